import { figures } from '#contract/figures.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { groupOf, groupOfList, type OrderList, orderLists } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'

/** What is known before the visitor has answered anything: the preselected package. */
export const emptyDraft = ({ product_id }: StartData): Draft =>
  product_id === undefined ? {} : { product_ids: String(product_id) }

/** A draft from before the reload. A list whose package is no longer offered, or was taken out, begins again. */
export function refreshed(stored: Draft, start: StartData): Draft {
  const gone = orderLists.filter((list) => !packagesIn(list, stored, start).length)
  const still = Object.entries(stored).filter(([name]) => !gone.includes(name as OrderList))
  return { ...emptyDraft(start), ...Object.fromEntries(still) }
}

type Shelf = Pick<StartData, 'packages'>

/** The chosen packages of one list of the order. */
export const packagesIn = (list: OrderList, draft: Draft, { packages }: Shelf) =>
  packages.filter(
    (found) => groupOf(found) === groupOfList[list] && draft[list]?.split(',').includes(String(found.product_id)),
  )

/** The packages that are being bought. */
export const chosenPackages = ({ draft, start }: { draft: Draft; start: Shelf }) =>
  orderLists.flatMap((list) => packagesIn(list, draft, start))

/** What renews each month is the membership, at one price, whatever else was chosen. */
export const monthly = showAmount(toAmount(figures.subscription_cents))

/** The order as the server sums it. */
export const orderOf = (draft: Draft) =>
  Object.fromEntries(orderLists.map((list) => [list, draft[list] ?? ''])) as Record<OrderList, string>

/** Whether two drafts have the same answers. */
export const isSameDraft = (one: Draft, other: Draft): boolean =>
  Object.keys({ ...one, ...other }).every((name) => one[name as keyof Draft] === other[name as keyof Draft])

/** Whether two drafts order the same. */
export const isSameOrder = (one: Draft, other: Draft): boolean => isSameDraft(orderOf(one), orderOf(other))
