import type { Answer } from './ask.ts'

/** The states of a dialog, by the names of the spec. */
export type State = 'open' | 'loading' | 'confirmed' | 'denied' | 'dismissed'

/** While it is loading nothing but its own work moves it on; an answer is given once. */
const followers: Record<State, readonly State[]> = {
  open: ['loading', 'confirmed', 'denied', 'dismissed'],
  loading: ['open', 'confirmed'],
  confirmed: [],
  denied: [],
  dismissed: [],
}

export const mayFollow = (state: State, next: State): boolean => followers[state].includes(next)

/** Whether the question has been answered. */
export const isOver = (state: State): boolean => followers[state].length === 0

/** The state that an answer leaves the dialog in. */
export function stateOf({ confirmed, denied }: Answer): State {
  if (confirmed) return 'confirmed'
  return denied ? 'denied' : 'dismissed'
}
