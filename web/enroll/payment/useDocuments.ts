import type { LegalDocument } from '#contract/api.ts'
import { isAtCheckout } from '#contract/legal.ts'
import { api } from '#web/api.ts'
import { type Fetched, useFetched } from '#web/useFetched.ts'

export type Documents = { list: LegalDocument[] } & Pick<Fetched<unknown>, 'state' | 'fetchAgain'>

/** The documents that are accepted at checkout. */
export function useDocuments(): Documents {
  const { found: list = [], ...fetched } = useFetched('legal documents', fetchAtCheckout)
  return { list, ...fetched }
}

const fetchAtCheckout = async () => (await api.getLegalDocuments({})).filter(isAtCheckout)
