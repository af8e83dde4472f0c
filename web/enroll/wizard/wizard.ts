import type { OrderList } from '#contract/packages.ts'
import type { Policy, StartData, Step } from '#contract/start.ts'
import { ask } from '#web/dialog/ask.ts'
import { readForm } from '#web/form/readForm.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import { whenOnline } from '#web/network.ts'
import { type Draft, type FieldName, saveDraft } from '#web/storage.ts'
import { nextStep, previousStep } from '../flow.ts'
import { isSameOrder, preselectedOrder } from '../order/order.ts'
import { orderFailed } from '../order/orderFailed.ts'
import type { CodeSender } from '../steps/code-verification/codeSender.ts'
import type { Payment } from '../steps/payment/payment.ts'
import { findInStep } from './currentStep.ts'
import { isSameDraft } from './draft.ts'
import { currentEntry, type HistoryEntry } from './history.ts'
import { initialState, type Move, moveTo, type ResumePoint, type State } from './state.ts'

type Rules = typeof import('./rules.ts')

/** Loads the code of later steps, and the rules of the fields. */
export type StepLoader = {
  isLoaded: (step: Step) => boolean
  /** Throws when the code cannot be fetched. */
  load: (step: Step) => Promise<void>
  loadRules: () => Rules | Promise<Rules>
  /** The code of the next step, and the rules that lead there. */
  loadNext: (step: Step, policy: Policy) => Promise<unknown>
}

type WizardOptions = { start: StartData; resumePoint?: ResumePoint | undefined; steps: StepLoader }

export type Wizard = ReturnType<typeof createWizard>

/**
 * The one owner of the wizard's state: the draft, the order, and one browser history entry for each step.
 * Next submits the step's form: `withRules` validates it, then `advance`, `enter` and `show` lead to the next step.
 */
export function createWizard({ start, resumePoint, steps }: WizardOptions) {
  const { policy } = start
  let state = initialState(start, resumePoint)
  const listeners = new Set<() => void>()
  let latestRequest = 0 // a newer move or choice replaces an older one that still waits for the network
  let retryTotal: (() => Promise<unknown>) | undefined

  const update = (change: Partial<State>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  /** The draft with what the form contains now. */
  const readDraft = (): Draft => {
    const form = findInStep<HTMLFormElement>('form')
    return { ...state.draft, ...(form ? readForm(form) : {}) }
  }

  const saveForm = (more: Draft = {}): Draft => {
    const draft = { ...readDraft(), ...more }
    wizard.savedDraft = saveDraft(draft, wizard.savedDraft)
    return draft
  }

  /** Runs `check` with the field rules, synchronously if they are loaded. Undefined if they cannot be loaded. */
  const withRules = <Result>(check: (rules: Rules) => Result): Result | Promise<Result | undefined> => {
    const rules = steps.loadRules()
    if (!(rules instanceof Promise)) return check(rules)
    return rules.then(check, async (cause: unknown) => {
      if (await waitForNetwork()) return withRules(check)
      return stopWithoutStep(state.draft, cause)
    })
  }

  /** While the browser is offline, says so and waits. False if it is online. */
  const waitForNetwork = async () => {
    if (navigator.onLine) return false
    update({ stop: 'offline' })
    await whenOnline()
    update({ stop: undefined })
    return true
  }

  const loadStep = async (step: Step): Promise<void> => {
    try {
      await steps.load(step)
    } catch (cause) {
      if (!(await waitForNetwork())) throw cause
      await loadStep(step)
    }
  }

  /** PAYMENT led here, by Edit, Change or a rejected field: Next leads straight back. */
  const isFromPayment = () => currentEntry()?.from === 'PAYMENT'

  /** The answers are valid: goes to the next step. Returns 'again' if the form changed while that step was loading. */
  const advance = async (answers: Draft): Promise<'again' | undefined> => {
    if (isFromPayment()) return void history.back()
    const next = nextStep(state.step, policy)
    if (!steps.isLoaded(next)) {
      const submittedDraft = saveForm()
      const request = ++latestRequest
      const failure = await loadStep(next).catch((cause: unknown) => ({ cause }))
      if (request !== latestRequest) return
      if (failure) return stopWithoutStep(saveForm(), failure.cause)
      if (!isSameDraft(submittedDraft, saveForm())) return 'again'
    }
    return enter(next, saveForm(answers))
  }

  /** Goes to a step with a new history entry. */
  const enter = (step: Step, draft: Draft, focusField?: FieldName, rejectedFields?: Messages) =>
    show({ step, draft, focusField, rejectedFields }, () => {
      if (step !== state.step) history.pushState({ step, from: state.step } satisfies HistoryEntry, '')
    })

  /** Shows a step once its code is loaded. `onShow` runs just before, so that history and screen agree. */
  const show = async (move: Move, onShow?: () => void): Promise<undefined> => {
    const request = ++latestRequest
    try {
      if (!steps.isLoaded(move.step)) await loadStep(move.step)
      if (request !== latestRequest) return
      onShow?.()
      update(moveTo(state, move))
    } catch (cause) {
      if (request === latestRequest) stopWithoutStep(move.draft, cause)
    }
  }

  const stopWithoutStep = (draft: Draft, cause: unknown): undefined => {
    log('The next step could not be loaded.', cause)
    update({ draft, stop: 'step-not-loaded' })
  }

  /** Goes to an earlier step, and there to a field. Uses the browser's Back if that leads there. */
  const returnTo = (step: Step, focusField?: FieldName, rejectedFields?: Messages) => {
    if (!focusField && currentEntry()?.from === step) history.back()
    else enter(step, saveForm(), focusField, rejectedFields)
  }

  /** The browser's Back or Forward. */
  const followHistory = async (entry: HistoryEntry | null) => {
    const draft = saveForm()
    const target = entry?.step ?? state.step
    const step =
      (await withRules(({ reachableStep }) => reachableStep(target, { ...state, draft }, policy))) ?? state.step
    if (step !== target) history.replaceState({ ...entry, step } satisfies HistoryEntry, '')
    show({ step, draft })
  }

  /** Chooses one package of a list, and goes to the next step once the total is known. */
  const choosePackage = async (list: OrderList, product_ids: string): Promise<undefined> => {
    const request = ++latestRequest
    const choice = { [list]: product_ids, agreement_2: '' } // the consent is for another order
    await loadTotal(
      { ...state.draft, ...choice },
      () => request === latestRequest,
      () => choosePackage(list, product_ids),
      async () => {
        const draft = saveForm(choice)
        if (!isFromPayment()) return enter(nextStep(state.step, policy), draft)
        update({ draft })
        return void history.back()
      },
    )
  }

  /** Asks the server for the total of an order, then continues. */
  const loadTotal = async (
    draft: Draft,
    isCurrent: () => boolean,
    retry: () => Promise<unknown>,
    onTotal?: () => Promise<undefined>,
  ) => {
    try {
      const { fetchTotal } = await import('../order/fetchTotal.ts')
      const grand_total = await fetchTotal(wizard, draft, isCurrent)
      if (!grand_total || !isCurrent()) return
      update({ grand_total, stop: undefined })
      await onTotal?.()
    } catch (cause) {
      if (!isCurrent()) return
      if (!(await waitForNetwork())) stopWithoutTotal(cause, retry)
      else if (isCurrent()) await retry()
    }
  }

  /** The packages or the total could not be loaded: no button works until `retry` has succeeded. */
  const stopWithoutTotal = (cause: unknown, retry: () => Promise<unknown>) => {
    log('The order could not be loaded.', cause)
    retryTotal = retry
    update({ stop: 'total-not-loaded' })
    ask(orderFailed(cause)).then(() => document.getElementById('total-not-loaded')?.focus())
  }

  const loadTotalOf = (draft: Draft): Promise<void> =>
    loadTotal(
      draft,
      () => isSameOrder(draft, state.draft),
      () => loadTotalOf(draft),
    )

  /** Replaces the state that the server rendered with what the browser has stored. */
  const resume = () => {
    if (!resumePoint) return
    const { step, draft } = resumePoint
    const entry = currentEntry()
    if (entry?.from === step)
      history.back() // the entry before is the same step, and would take a second Back
    else history.replaceState({ ...entry, step } satisfies HistoryEntry, '')
    if (state.isResumed) return
    const isSameTotal = isSameOrder(draft, preselectedOrder(start))
    const grand_total = isSameTotal ? start.grand_total : undefined
    update({ step, draft, renderedDraft: draft, grand_total, isResumed: true })
    if (!isSameTotal) loadTotalOf(draft)
  }

  const wizard = {
    start,
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    update,
    readDraft,
    saveForm,
    withRules,
    advance,
    back: () => returnTo(previousStep(state.step, policy)),
    returnTo,
    choosePackage,
    retryTotal: () => retryTotal?.(),
    stopWithoutTotal,
    /** The packages or their prices have changed since the page was loaded. */
    refreshOrder: (packages: StartData['packages'], draft: Draft) => {
      update({ packages, draft, grand_total: undefined, stop: undefined })
      return loadTotalOf(draft)
    },
    enter,
    followHistory,
    resume,
    /** The draft as this tab last took it over, and as it last saved it. */
    receivedDraft: resumePoint?.draft ?? {},
    savedDraft: resumePoint?.draft ?? {},
    /** Set by their steps, whose code is loaded later. They live as long as the page. */
    codeSender: undefined as CodeSender | undefined,
    payment: undefined as Payment | undefined,
  }
  return wizard
}
