import { flushSync } from 'react-dom'
import { orderLists } from '#contract/packages.ts'
import { changedAnswers, type Draft, loadDraft, loadPhones, loadShared } from '#web/storage.ts'
import { findInStep } from './currentStep.ts'
import type { Wizard } from './wizard.ts'

/** Another tab of this browser may have changed answers, or paid: runs when it has, and when this tab is shown again. */
export function followOtherTabs(wizard: Wizard): void {
  const { receipt, joinedAs, draft } = wizard.getState()
  const { joined_as } = loadShared()
  if (joined_as === undefined) takeOverAnswers(wizard)
  else if (!receipt && joinedAs === undefined) {
    wizard.update({ joinedAs: joined_as })
    wizard.enter('PAYMENT', draft)
  }
}

/**
 * Takes over what was entered elsewhere, except answers that were changed in this tab, and fields on the screen while
 * somebody may be typing. The order stays the one that this tab shows.
 */
function takeOverAnswers(wizard: Wizard) {
  const { step, takeOvers = 0 } = wizard.getState()
  const draft = wizard.readDraft()
  const changedHere = changedAnswers(draft, wizard.receivedDraft)
  const isFormKept = step === 'PAYMENT' || (document.hasFocus() && findInStep('form :focus') !== null)
  const mayTakeOver = (name: string) =>
    !(name in changedHere) && !orderLists.some((list) => list === name) && !(isFormKept && isOnScreen(name))
  const newAnswers = Object.entries(changedAnswers(loadDraft(), wizard.receivedDraft))
  const answers: Draft = Object.fromEntries(newAnswers.filter(([name]) => mayTakeOver(name)))
  wizard.update({ phones: { ...wizard.getState().phones, ...loadPhones() } })
  if (!Object.keys(answers).length) return
  wizard.receivedDraft = { ...wizard.receivedDraft, ...answers }
  wizard.savedDraft = { ...wizard.savedDraft, ...answers }
  const nextDraft = { ...draft, ...answers }
  const focusedId = document.activeElement?.id ?? ''
  flushSync(() =>
    wizard.update({
      draft: nextDraft,
      preRenderedStep: undefined, // it has the old answers
      ...(Object.keys(answers).some(isOnScreen) ? { renderedDraft: nextDraft, takeOvers: takeOvers + 1 } : {}),
    }),
  )
  document.getElementById(focusedId)?.focus()
}

const isOnScreen = (name: string) => findInStep(`form [name=${name}]`) !== null
