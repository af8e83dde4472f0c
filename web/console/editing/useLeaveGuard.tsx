import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { LeaveQuestion } from '#web/ui/FormDialog.tsx'
import { CHANGED, LEAVING, type Leaving } from '../router.tsx'

type GuardOptions = {
  isUnsaved: () => boolean
  /** Whether the form stays on the screen at this address. */
  staysAt: (address: URL) => boolean
  /** Whether what was typed is kept. */
  isKept: boolean
}

/** Asks before unsaved changes are lost by opening a screen, Back, signing out or closing the tab. Returns the question. */
export function useLeaveGuard({ isUnsaved, staysAt, isKept }: GuardOptions): ReactNode {
  const [leave, setLeave] = useState<{ go: () => void; isSignOut: boolean }>()
  const isSure = useRef(false)
  const loses = useEffectEvent((to: URL | undefined) => isUnsaved() && !(to && staysAt(to)))
  const warn = useEffectEvent((event: BeforeUnloadEvent) => isUnsaved() && event.preventDefault())
  useEffect(() => {
    let here = pageAt(location)
    const onLeaving = (event: Event) => {
      const { to, isBack, go } = (event as Leaving).detail
      const address = to === undefined ? undefined : new URL(to, location.origin)
      const stays = address && pageAt(address) === here
      if (isSure.current || stays || !loses(address)) return
      event.preventDefault()
      if (isBack) history.pushState(null, '', here) // the browser is there already
      const goBack = () => {
        isSure.current = true
        history.back()
      }
      setLeave({ go: isBack ? goBack : go, isSignOut: !address })
    }
    const onUnload = (event: BeforeUnloadEvent) => warn(event)
    const remember = () => {
      here = pageAt(location)
    }
    addEventListener(LEAVING, onLeaving)
    addEventListener(CHANGED, remember)
    addEventListener('beforeunload', onUnload)
    return () => {
      removeEventListener(LEAVING, onLeaving)
      removeEventListener(CHANGED, remember)
      removeEventListener('beforeunload', onUnload)
    }
  }, [])
  if (!leave) return null
  const stay = () => setLeave(undefined)
  const keptText = isKept ? 'We keep what you typed in this tab until you save it, discard it or sign out.' : undefined
  const text = leave.isSignOut ? 'Signing out deletes what you typed.' : keptText
  return (
    <LeaveQuestion
      {...(text ? { text } : {})}
      onLeave={() => {
        stay()
        leave.go()
      }}
      onStay={stay}
    />
  )
}

const pageAt = ({ pathname, search }: { pathname: string; search: string }) => pathname + search
