import { useEffect, useEffectEvent } from 'react'
import type { LegalDocument } from '#contract/api.ts'
import { isShownAtCheckout } from '#contract/legal.ts'
import { api } from '#web/api.ts'
import { type Fetch, useFetched } from '#web/useFetched.ts'

export type Documents = { list: LegalDocument[] } & Pick<Fetch<unknown>, 'state' | 'fetchAgain'>

/** The documents that are accepted at checkout. */
export function useDocuments(): Documents {
  const { data: list = [], ...fetched } = useFetched('legal documents', fetchCheckoutDocuments)
  const onOnline = useEffectEvent(() => fetched.state === 'failed' && fetched.fetchAgain())
  useEffect(() => {
    addEventListener('online', onOnline)
    return () => removeEventListener('online', onOnline)
  }, [])
  return { list, ...fetched }
}

const fetchCheckoutDocuments = async () => (await api.getLegalDocuments({})).filter(isShownAtCheckout)
