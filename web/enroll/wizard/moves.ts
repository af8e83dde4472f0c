import type { Step } from '#contract/start.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { Draft, FieldName } from '#web/storage.ts'
import { nextStep, previousStep } from '../flow.ts'
import { isSameDraft } from './draft.ts'
import { currentEntry, type HistoryEntry } from './history.ts'
import type { Loading, StepLoader } from './loading.ts'
import { type Move, moveTo } from './state.ts'
import type { Store } from './store.ts'

export type Moves = ReturnType<typeof createMoves>

/** PAYMENT led here, by Edit, Change or a rejected field: Next leads straight back. */
export const isFromPayment = () => currentEntry()?.from === 'PAYMENT'

/** The ways from step to step, with one browser history entry for each. */
export function createMoves(store: Store, { loadStep, stopWithoutStep, withRules }: Loading, steps: StepLoader) {
  const { getState, update, saveForm, startRequest, start } = store
  const { policy } = start

  /** The answers are valid: goes to the next step. Returns 'again' if the form changed while that step was loading. */
  const advance = async (answers: Draft): Promise<'again' | undefined> => {
    if (isFromPayment()) return void history.back()
    const next = nextStep(getState().step, policy)
    if (!steps.isLoaded(next)) {
      const submittedDraft = saveForm()
      const isLatest = startRequest()
      const failure = await loadStep(next).catch((cause: unknown) => ({ cause }))
      if (!isLatest()) return
      if (failure) return stopWithoutStep(saveForm(), failure.cause)
      if (!isSameDraft(submittedDraft, saveForm())) return 'again'
    }
    return enter(next, saveForm(answers))
  }

  /** Goes to a step with a new history entry. */
  const enter = (step: Step, draft: Draft, focusField?: FieldName, rejectedFields?: Messages) =>
    show({ step, draft, focusField, rejectedFields }, () => {
      const from = getState().step
      if (step !== from) history.pushState({ step, from } satisfies HistoryEntry, '')
    })

  /** Shows a step once its code is loaded. `onShow` runs just before, so that history and screen agree. */
  const show = async (move: Move, onShow?: () => void): Promise<undefined> => {
    const isLatest = startRequest()
    try {
      if (!steps.isLoaded(move.step)) await loadStep(move.step)
      if (!isLatest()) return
      onShow?.()
      update(moveTo(getState(), move))
    } catch (cause) {
      if (isLatest()) stopWithoutStep(move.draft, cause)
    }
  }

  /** Goes to an earlier step, and there to a field. Uses the browser's Back if that leads there. */
  const returnTo = (step: Step, focusField?: FieldName, rejectedFields?: Messages) => {
    if (!focusField && currentEntry()?.from === step) history.back()
    else enter(step, saveForm(), focusField, rejectedFields)
  }

  /** The browser's Back or Forward. */
  const followHistory = async (entry: HistoryEntry | null) => {
    const draft = saveForm()
    const target = entry?.step ?? getState().step
    const step =
      (await withRules(({ reachableStep }) => reachableStep(target, { ...getState(), draft }, policy))) ??
      getState().step
    if (step !== target) history.replaceState({ ...entry, step } satisfies HistoryEntry, '')
    show({ step, draft })
  }

  return {
    advance,
    enter,
    returnTo,
    followHistory,
    back: () => returnTo(previousStep(getState().step, policy)),
  }
}
