import { figures } from '#contract/figures.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { groupOf, groupOfList, type OrderList, orderLists } from '#contract/packages.ts'
import type { StartData } from '#contract/start.ts'
import type { Draft } from '#web/storage.ts'
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

/** Only the membership renews, at one price, whatever else was chosen. */
export const monthlyPrice = showAmount(toAmount(figures.subscription_cents))

/** The order as `sumOrder` takes it. */
export const orderOf = (draft: Draft) =>
  Object.fromEntries(orderLists.map((list) => [list, draft[list] ?? ''])) as Record<OrderList, string>

export const isSameOrder = (one: Draft, other: Draft): boolean => isSameDraft(orderOf(one), orderOf(other))

/** A draft with nothing but the preselected package. */
export const preselectedOrder = ({ product_id }: Pick<StartData, 'product_id'>): Draft =>
  product_id === undefined ? {} : { product_ids: String(product_id) }

/** A stored draft, without packages that are no longer offered. */
export function restoreDraft(stored: Draft, start: Pick<StartData, 'product_id' | 'packages'>): Draft {
  const withdrawn = orderLists.filter((list) => !packagesIn(list, stored, start.packages).length)
  const remaining = Object.entries(stored).filter(([name]) => !withdrawn.includes(name as OrderList))
  return { ...preselectedOrder(start), ...Object.fromEntries(remaining) }
}
