import { useEffect, useEffectEvent, useState } from 'react'
import type { LegalDocument } from '#contract/api.ts'
import { isAtCheckout } from '#contract/legal.ts'
import { api } from '#web/api.ts'
import { log } from '#web/log.ts'

export type Documents = { list: LegalDocument[]; state: 'loading' | 'here' | 'failed'; fetchAgain: () => void }

/** The documents that are accepted at checkout. */
export function useDocuments(): Documents {
  const [list, setList] = useState<LegalDocument[]>([])
  const [state, setState] = useState<Documents['state']>('loading')

  const load = async () => {
    setState('loading')
    try {
      const all = await api.getLegalDocuments({})
      setList(all.filter(isAtCheckout))
      setState('here')
    } catch (cause) {
      log('The legal documents could not be fetched.', cause)
      setState('failed')
    }
  }
  const loadFirst = useEffectEvent(load)
  useEffect(() => {
    loadFirst()
  }, [])

  return { list, state, fetchAgain: load }
}
