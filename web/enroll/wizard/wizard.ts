import type { StartData } from '#contract/start.ts'
import { isSameOrder, preselectedOrder } from '../order/order.ts'
import { createTotal } from '../order/total.ts'
import type { CodeSender } from '../steps/code-verification/codeSender.ts'
import type { Payment } from '../steps/payment/payment.ts'
import { currentEntry, type HistoryEntry } from './history.ts'
import { createLoading, type StepLoader } from './loading.ts'
import { createMoves } from './moves.ts'
import type { ResumePoint } from './state.ts'
import { createStore } from './store.ts'

type WizardOptions = { start: StartData; resumePoint?: ResumePoint | undefined; steps: StepLoader }

export type Wizard = ReturnType<typeof createWizard>

/**
 * The one owner of the wizard's state: the draft, the order, and one browser history entry for each step.
 * Next submits the step's form: `withRules` validates it, then `advance`, `enter` and `show` lead to the next step.
 */
export function createWizard({ start, resumePoint, steps }: WizardOptions) {
  const store = createStore(start, resumePoint)
  const loading = createLoading(store, steps)
  const moves = createMoves(store, loading, steps)
  const { loadTotalOf, ...total } = createTotal(store, loading, moves)

  /** Replaces the state that the server rendered with what the browser has stored. */
  const resume = () => {
    if (!resumePoint) return
    const { step, draft } = resumePoint
    const entry = currentEntry()
    if (entry?.from === step)
      history.back() // the entry before is the same step, and would take a second Back
    else history.replaceState({ ...entry, step } satisfies HistoryEntry, '')
    if (store.getState().isResumed) return
    const isSameTotal = isSameOrder(draft, preselectedOrder(start))
    const grand_total = isSameTotal ? start.grand_total : undefined
    store.update({ step, draft, renderedDraft: draft, grand_total, isResumed: true })
    if (!isSameTotal) loadTotalOf(draft)
  }

  return Object.assign(store, moves, total, {
    withRules: loading.withRules,
    resume,
    /** Set by their steps, whose code is loaded later. They live as long as the page. */
    codeSender: undefined as CodeSender | undefined,
    payment: undefined as Payment | undefined,
  })
}
