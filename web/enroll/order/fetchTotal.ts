import { figures } from '#contract/figures.ts'
import { showAmount } from '#contract/money.ts'
import { orderLists } from '#contract/packages.ts'
import type { Policy, StartData, Step } from '#contract/start.ts'
import { api } from '#web/api.ts'
import { RejectedCall } from '#web/call.ts'
import type { Messages } from '#web/form/useForm.ts'
import type { Draft, FieldName } from '#web/storage.ts'
import { stepOf } from '../flow.ts'
import { addAmounts, chosenPackages, orderOf } from './order.ts'

type Packages = StartData['packages']

/** The part of the wizard that an order may change. */
type OrderStore = {
  start: { policy: Pick<Policy, 'catalog'> }
  getState: () => { step: Step; draft: Draft; packages: Packages }
  refreshOrder: (packages: Packages, draft: Draft) => Promise<unknown>
  returnTo: (step: Step, field: FieldName, rejectedFields: Messages) => void
}

/**
 * What an order costs. Undefined if a package was withdrawn or its price has changed; the visitor then sees the new offers
 * and a message. `isCurrent` is false once the visitor has moved on.
 */
export async function fetchTotal(
  store: OrderStore,
  draft: Draft,
  isCurrent: () => boolean,
): Promise<string | undefined> {
  try {
    const { grand_total } = await api.sumOrder(orderOf(draft), { isWanted: isCurrent })
    return (await showChangedPrices(store, draft, grand_total, isCurrent)) ? undefined : grand_total
  } catch (cause) {
    if (cause instanceof RejectedCall && (await goToRejectedPackage(store, draft, cause.fields, isCurrent))) return
    throw cause
  }
}

/** If the shown prices do not add up to the total: loads the packages again, and says so on the package step. */
async function showChangedPrices(
  store: OrderStore,
  draft: Draft,
  total: string,
  isCurrent: () => boolean,
): Promise<boolean> {
  const shownTotal = totalOf(draft, store.getState().packages)
  if (total === shownTotal) return false
  const packages = await fetchPackages(store.start.policy)
  if (!isCurrent()) return true
  if (totalOf(draft, packages) === shownTotal) return false // the price has changed twice; the server asks again when it is paid
  const { step, draft: newestDraft } = store.getState()
  const refresh = store.refreshOrder(packages, newestDraft)
  const list = orderLists.find((name) => stepOf[name] === step)
  if (list) store.returnTo(step, list, { [list]: [priceChanged(total, shownTotal)] })
  await refresh
  return true
}

const totalOf = (draft: Draft, packages: Packages) =>
  addAmounts(chosenPackages(draft, packages).map(({ price }) => price))

const priceChanged = (total: string, shownTotal: string) =>
  `Your order now costs ${showAmount(total)}, not ${showAmount(shownTotal)}. Please choose again.`

/** If the server rejected packages: removes them from the order, and goes to the step where another can be chosen. */
export async function goToRejectedPackage(
  store: OrderStore,
  draft: Draft,
  fields: Messages,
  isCurrent = () => true,
): Promise<boolean> {
  const rejectedLists = orderLists.filter((list) => fields[list])
  const [first] = rejectedLists
  if (!first) return false
  const packages = await fetchPackages(store.start.policy)
  if (!isCurrent()) return true
  const newestDraft = store.getState().draft
  const remaining = rejectedLists.map((list) => [list, newestDraft[list] === draft[list] ? '' : newestDraft[list]])
  const refresh = store.refreshOrder(packages, {
    ...newestDraft,
    ...orderOf(draft),
    ...Object.fromEntries(remaining),
  })
  store.returnTo(stepOf[first], first, fields)
  await refresh
  return true
}

/** The packages that are offered now. */
export const fetchPackages = ({ catalog = figures }: Pick<Policy, 'catalog'>): Promise<Packages> =>
  api.getPackages({ product_category_id: catalog.product_category_id, language_id: catalog.language_id })
