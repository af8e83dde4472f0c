import type { Package } from './api.ts'
import { figures } from './figures.ts'

/** What the spec calls a package's group decides on which step it is offered. */
type Group = 'starter' | 'subscription' | 'special'

type Marks = { is_recurring: boolean; is_special: boolean }

export const groupOf = ({ is_recurring, is_special }: Marks): Group =>
  is_recurring ? 'subscription' : is_special ? 'special' : 'starter'

/** The package that a page begins with, if it is offered. */
export const preselected = (packages: Package[]): Package | undefined =>
  packages.find((found) => found.product_id === figures.starter_product_id && groupOf(found) === 'starter')

/** Which list of an order takes which group. */
export const groupOfList = {
  product_ids: 'starter',
  autoship_product_ids: 'subscription',
  special_product_ids: 'special',
} as const satisfies Record<string, Group>

export type OrderList = keyof typeof groupOfList
export const orderLists = Object.keys(groupOfList) as OrderList[]

/** '34,35' → [34, 35] */
export const productIds = (list: string): number[] => (list ? list.split(',').map(Number) : [])
