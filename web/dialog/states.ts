import type { Answer } from './question.ts'

/** The states of a dialog, as the spec names them. */
export type State = 'open' | 'loading' | 'confirmed' | 'denied' | 'dismissed'

/** While loading, a dialog cannot be denied or dismissed; once answered, it never changes again. */
const transitions: Record<State, readonly State[]> = {
  open: ['loading', 'confirmed', 'denied', 'dismissed'],
  loading: ['open', 'confirmed'],
  confirmed: [],
  denied: [],
  dismissed: [],
}

export const mayFollow = (state: State, next: State): boolean => transitions[state].includes(next)

export const isAnswered = (state: State): boolean => transitions[state].length === 0

/** The state that an answer leads to. */
export function stateAfter({ confirmed, denied }: Answer): State {
  if (confirmed) return 'confirmed'
  return denied ? 'denied' : 'dismissed'
}
