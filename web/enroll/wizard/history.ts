import type { Step } from '#contract/start.ts'

/** The state of a browser history entry: its step, and the step of the entry before it. */
export type HistoryEntry = { step: Step; from?: Step }

export const currentEntry = (): HistoryEntry | null => history.state
