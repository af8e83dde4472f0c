import { figures } from '#contract/figures.ts'
import { showAmount, toAmount, toCents } from '#contract/money.ts'
import { orderLists } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import { stepOf } from '#web/enroll/flow.ts'
import { chosenPackages, orderOf } from '#web/enroll/wizard/draft.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import type { Messages } from '#web/form/useForm.ts'
import { log } from '#web/log.ts'
import type { Draft } from '#web/storage.ts'

type Asking = Pick<Wizard, 'start' | 'step' | 'draft' | 'sumAfresh' | 'returnTo'>

/**
 * What an order costs. Undefined when something in it is no longer there, or no longer at the price that was shown, of which
 * the visitor has then been told.
 */
export async function askSum(wizard: Asking, answers: Draft, isWanted: () => boolean): Promise<string | undefined> {
  try {
    const { grand_total } = await api.sumOrder(orderOf(answers))
    return (await showPrices(wizard, answers, grand_total, isWanted)) ? undefined : grand_total
  } catch (cause) {
    if (cause instanceof RejectedCall && (await leadToShelf(wizard, answers, cause.fields, isWanted))) return undefined
    throw cause
  }
}

/** When the lines do not add up to the sum: shows what the packages cost now, and says so where they are chosen. */
async function showPrices(wizard: Asking, answers: Draft, sum: string, isWanted: () => boolean): Promise<boolean> {
  const shown = sumOf(answers, wizard.start)
  if (sum === shown) return false
  const packages = await askPackages(wizard.start)
  if (!isWanted()) return true // gone elsewhere meanwhile
  if (sumOf(answers, { packages }) === shown) return false // they cannot be had; the total is right all the same
  const summed = wizard.sumAfresh(packages, wizard.draft)
  const list = orderLists.find((each) => stepOf[each] === wizard.step)
  if (list) wizard.returnTo(wizard.step, list, { [list]: [repriced(sum, shown)] })
  await summed
  return true
}

const sumOf = (draft: Draft, start: Pick<StartData, 'packages'>) =>
  toAmount(chosenPackages({ draft, start }).reduce((sum, { price }) => sum + (toCents(price) ?? 0), 0))

const repriced = (now: string, before: string) =>
  `Your order comes to ${showAmount(now)} now, not ${showAmount(before)}. Please choose again.`

/** When packages are refused: takes them out of the order, and leads to where another one can be chosen. */
export async function leadToShelf(wizard: Asking, answers: Draft, fields: Messages, isWanted = () => true) {
  const refused = orderLists.filter((list) => fields[list])
  const [first] = refused
  if (!first) return false
  const packages = await askPackages(wizard.start)
  if (!isWanted()) return true // gone elsewhere meanwhile
  const left = refused.map((list) => [list, wizard.draft[list] === answers[list] ? '' : wizard.draft[list]])
  const summed = wizard.sumAfresh(packages, { ...wizard.draft, ...orderOf(answers), ...Object.fromEntries(left) })
  wizard.returnTo(stepOf[first], first, fields)
  await summed
  return true
}

/** What is offered now; what was, if nobody can say. */
export const askPackages = ({ packages }: Pick<StartData, 'packages'>) =>
  api
    .getPackages({ product_category_id: figures.product_category_id, language_id: figures.language_id })
    .catch((cause) => {
      log('The packages could not be asked for again.', cause)
      return packages
    })
