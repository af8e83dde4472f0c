import { useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { OrderList } from '#contract/packages.ts'
import type { StartData, Step } from '#contract/start.ts'
import { ask } from '#web/dialog/ask.ts'
import { flowOrder, nextStep, previousStep } from '#web/enroll/flow.ts'
import { orderFailed } from '#web/enroll/order/orderFailed.ts'
import { fetchRules, fetchScreen, type Rules, screenOf } from '#web/enroll/steps.tsx'
import { readForm } from '#web/form/readForm.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import { type Draft, type FieldName, forgetDraft, saveDraft } from '#web/storage.ts'
import { emptyDraft, isSameDraft, isSameOrder } from './draft.ts'
import { onStage, useFocus, useHistory, useReadiness, useSettling } from './effects.ts'
import { overlookSecondTap } from './ignoreSecondTap.ts'
import { currentEntry, type Entry, type Place } from './resume.ts'
import { begin, reduce } from './state.ts'

/** Where to stand in a step, and what the server said against its answers. */
type Arrival = { field?: FieldName | undefined; refused?: Messages | undefined }

export type Wizard = ReturnType<typeof useWizard>

/** The wizard: one reducer, the draft, and one entry of the browser's history for each step. */
export function useWizard(start: StartData, place: Place | undefined) {
  const { policy } = start
  const [state, dispatch] = useReducer(reduce, { start, place }, begin)
  const { step, draft, grand_total, moves, ahead, leaving } = state
  const again = useRef<() => Promise<unknown>>(undefined)
  const asked = useRef(0)

  /** Takes what stands in the form, keeps it, and tells the whole draft. */
  const remember = (more: Draft = {}): Draft => {
    const form = onStage<HTMLFormElement>('form')
    const answers = { ...draft, ...(form ? readForm(form) : {}), ...more }
    saveDraft(answers)
    return answers
  }

  /** Shows a step once its code is here. `entered` is told just before, so that history and screen agree. */
  const show = async (to: Step, answers: Draft, entered?: () => unknown, at: Arrival = {}): Promise<undefined> => {
    const mine = ++asked.current
    try {
      if (!screenOf(to)) await fetchScreen(to, start) // what is here is shown at once
      if (mine !== asked.current) return // who has gone elsewhere meanwhile stays there
      entered?.()
      flushSync(() => dispatch({ type: 'moved', step: to, draft: answers, focus: at.field, refused: at.refused })) // who pressed waits
      overlookSecondTap()
    } catch (cause) {
      if (mine === asked.current) tellUnfetched(to, answers, cause)
    }
  }

  const tellUnfetched = (to: Step, answers: Draft, cause: unknown): undefined => {
    log(`The step ${to} could not be fetched.`, cause)
    dispatch({ type: 'stopped', draft: answers, stop: 'unfetched' })
  }

  const enter = (to: Step, answers: Draft, at?: Arrival) =>
    show(to, answers, () => to !== step && history.pushState({ step: to, from: step } satisfies Entry, ''), at)

  /** To an earlier step, with what was typed; the way the browser's own Back takes, where that leads there. */
  const returnTo = (to: Step, field?: FieldName, refused?: Messages) => {
    if (!field && currentEntry()?.from === to) history.back()
    else enter(to, remember(), { field, refused })
  }

  /** Asks what an order costs, and goes on once that is known. `repeat` is what "try again" does. */
  const sum = async (
    answers: Draft,
    isWanted: () => boolean,
    repeat: () => Promise<unknown>,
    goOn?: () => Promise<undefined>,
  ) => {
    try {
      const { askSum } = await import('#web/enroll/order/fetchTotal.ts')
      const grand_total = await askSum(wizard, answers, isWanted)
      if (!grand_total || !isWanted()) return // gone elsewhere meanwhile, or chosen something else
      dispatch({ type: 'summed', grand_total })
      await goOn?.()
    } catch (cause) {
      log('The order could not be summed.', cause)
      if (!isWanted()) return
      again.current = repeat
      dispatch({ type: 'stopped', stop: 'unsummed' })
      ask(orderFailed(cause)).then(() => document.getElementById('again')?.focus())
    }
  }

  const sumAlone = (answers: Draft): Promise<void> =>
    sum(
      answers,
      () => isSameOrder(answers, wizard.draft),
      () => sumAlone(answers),
    )

  /** Chooses a package, one at a time, and goes on once its price is known. */
  const choose = async (list: OrderList, product_ids: string): Promise<undefined> => {
    const choice = { [list]: product_ids }
    const mine = ++asked.current // it replaces the one before, and every way to another step
    const isWanted = () => mine === asked.current
    const goOn = () => enter(nextStep(step, policy), remember(choice))
    await sum({ ...draft, ...choice }, isWanted, () => choose(list, product_ids), goOn)
  }

  /** Asks the rules something, at once if they are here. Undefined, and the visitor is told, when they cannot be fetched. */
  const byRules = <Answer>(ask: (rules: Rules) => Answer): Answer | Promise<Answer | undefined> => {
    const found = fetchRules()
    if (!(found instanceof Promise)) return ask(found)
    return found.then(ask, (cause: unknown) => {
      log('The rules could not be fetched.', cause)
      dispatch({ type: 'stopped', stop: 'unfetched' })
      return undefined
    })
  }

  const newest = {
    start: { ...start, packages: state.packages, renews_on: state.renews_on },
    step,
    /** What stands on the page, in the order of the flow, so that nothing has to change its place. */
    stages: flowOrder.filter((name) => name === step || name === ahead || name === leaving),
    ahead,
    leaving,
    version: state.version,
    moves,
    draft,
    grand_total,
    stop: state.stop,
    refused: state.refused,
    remember,
    /** Before a step takes its own form away: what stands there is not lost, unless it is to be. */
    keep: (answers = remember()) => dispatch({ type: 'kept', draft: answers }),
    /** The page may have been open for days: what is paid today renews in a month from today. */
    renew: (renews_on: string) => dispatch({ type: 'kept', renews_on }),
    byRules,
    /** The step is valid: on to the next one, with these answers; or back to the payment that asked for a code. */
    advance: async (answers: Draft): Promise<'again' | undefined> => {
      const to = nextStep(step, policy)
      if (step === 'CODE_VERIFICATION' && currentEntry()?.from === 'PAYMENT') return void history.back()
      if (!screenOf(to)) {
        const pressedWith = remember()
        const mine = ++asked.current
        const missing = await fetchScreen(to, start).catch((cause: unknown) => ({ cause }))
        if (mine !== asked.current) return // who has gone elsewhere meanwhile stays there
        if (missing) return tellUnfetched(to, remember(), missing.cause)
        if (!isSameDraft(pressedWith, remember())) return 'again' // and who has corrected something means that
      }
      return enter(to, remember(answers))
    },
    /** Previous. */
    back: () => returnTo(previousStep(step, policy)),
    /** Edit, Change and refusals: to an earlier step, and there to a field. */
    returnTo,
    /** It is paid: the answers are forgotten, and the office is next. */
    finish: () => {
      forgetDraft()
      return enter('ACCESS', {})
    },
    choose,
    sumAgain: () => again.current?.(),
    /** The prices have changed since the page came, or what is there to choose from. */
    sumAfresh: (packages: StartData['packages'], answers: Draft) => {
      flushSync(() => dispatch({ type: 'offered', packages, draft: answers })) // the way there begins with these
      return sumAlone(answers)
    },
  }
  // One object for as long as the page lives: a step that was made before the answers still knows them.
  const wizard = Object.assign(useState(newest)[0], newest)

  useHistory({
    popped: async (entry) => {
      const answers = remember()
      const wanted = entry?.step ?? step
      const to = (await byRules(({ reachable }) => reachable(wanted, answers, policy))) ?? step
      if (to !== wanted) history.replaceState({ ...entry, step: to }, '')
      show(to, answers)
    },
    hidden: () => remember(),
  })
  useSettling(wizard, state.settled, place, (found) => {
    const asServed = isSameOrder(found.draft, emptyDraft(start))
    dispatch({ type: 'settled', ...found, grand_total: asServed ? start.grand_total : undefined })
    if (!asServed) sumAlone(found.draft)
  })
  useFocus(moves, state.focus)
  useReadiness(wizard, start, dispatch)

  return wizard
}
