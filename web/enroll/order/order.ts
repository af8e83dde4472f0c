import { toAmount, toCents } from '#contract/money.ts'
import { groupOf, groupOfList, type OrderList, orderLists } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
import { isOn, stepOf } from '../flow.ts'
import { isSameDraft } from '../wizard/draft.ts'

type Packages = StartData['packages']

/** The chosen packages of one list of the order. */
export const packagesIn = (list: OrderList, draft: Draft, packages: Packages): Packages =>
  packages.filter(
    (offer) => groupOf(offer) === groupOfList[list] && draft[list]?.split(',').includes(String(offer.product_id)),
  )

/** All packages that are being bought. */
export const chosenPackages = (draft: Draft, packages: Packages): Packages =>
  orderLists.flatMap((list) => packagesIn(list, draft, packages))

/** The sum of amounts, '123.00'; '0.00' of none. */
export const addAmounts = (amounts: (string | undefined)[]): string =>
  toAmount(amounts.reduce((cents, amount) => cents + (toCents(amount ?? '') ?? 0), 0))

/** What the chosen packages cost every month or year. */
export const renewalPrice = (chosen: Packages): string => addAmounts(chosen.map((offer) => offer.renewal_price))

/** The order as `sumOrder` takes it. */
export const orderOf = (draft: Draft) =>
  Object.fromEntries(orderLists.map((list) => [list, draft[list] ?? ''])) as Record<OrderList, string>

export const isSameOrder = (one: Draft, other: Draft): boolean => isSameDraft(orderOf(one), orderOf(other))

/** A draft with nothing but the preselected package. */
export const preselectedOrder = ({ product_id }: Pick<StartData, 'product_id'>): Draft =>
  product_id === undefined ? {} : { product_ids: String(product_id) }

/** A stored draft, without packages that are no longer offered, or whose step has been switched off. */
export function restoreDraft(stored: Draft, start: Pick<StartData, 'product_id' | 'packages' | 'policy'>): Draft {
  const withdrawn = orderLists.filter(
    (list) => !isOn(stepOf[list], start.policy) || !packagesIn(list, stored, start.packages).length,
  )
  const remaining = Object.entries(stored).filter(([name]) => !withdrawn.includes(name as OrderList))
  return { ...preselectedOrder(start), ...Object.fromEntries(remaining) }
}
