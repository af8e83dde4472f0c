import type { StartData } from '#contract/start.ts'
import { readForm } from '#web/form/readForm.ts'
import { type Draft, saveDraft } from '#web/storage.ts'
import { findInStep } from './currentStep.ts'
import { initialState, type ResumePoint, type State } from './state.ts'

export type Store = ReturnType<typeof createStore>

/** The wizard's state, and the draft in it. */
export function createStore(start: StartData, resumePoint: ResumePoint | undefined) {
  let state = initialState(start, resumePoint)
  const listeners = new Set<() => void>()
  let latestRequest = 0

  const store = {
    start,
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    update(change: Partial<State>) {
      state = { ...state, ...change }
      for (const listener of listeners) listener()
    },
    /** The draft with what the form contains now. */
    readDraft(): Draft {
      const form = findInStep<HTMLFormElement>('form')
      return { ...state.draft, ...(form ? readForm(form) : {}) }
    },
    saveForm(more: Draft = {}): Draft {
      const draft = { ...store.readDraft(), ...more }
      store.savedDraft = saveDraft(draft, store.savedDraft)
      return draft
    },
    /** Starts a move or a choice. What it returns says whether it is the latest: a newer one replaces one that still waits. */
    startRequest() {
      const request = ++latestRequest
      return () => request === latestRequest
    },
    /** The draft as this tab last took it over, and as it last saved it. */
    receivedDraft: resumePoint?.draft ?? {},
    savedDraft: resumePoint?.draft ?? {},
  }
  return store
}
