import { useEffect, useRef, useState } from 'react'
import { whenOnline } from '#web/network.ts'

/** A press that waits for the network. */
export type NetworkWait = {
  /** Something may have reached the server before the network was lost. */
  isSent: boolean
  stop: () => void
}

/** Lets a press wait until the browser is online, or until the visitor stops waiting or leaves the step. */
export function useNetworkWait() {
  const [networkWait, setNetworkWait] = useState<NetworkWait>()
  const current = useRef<NetworkWait>(undefined)

  const waitForNetwork = async (isSent: boolean): Promise<boolean> => {
    const stopped = new Promise<false>((resolve) => {
      current.current = { isSent, stop: () => resolve(false) }
    })
    setNetworkWait(current.current)
    const isBack = await Promise.race([whenOnline().then(() => true), stopped])
    setNetworkWait(undefined)
    return isBack
  }

  useEffect(
    () => () => {
      if (!current.current?.isSent) current.current?.stop() // a payment that was sent must be looked up
    },
    [],
  )
  return { networkWait, waitForNetwork }
}
