import type { Interval } from './renewal.ts'
/** The group of a package decides which step offers it. */
export type Group = 'starter' | 'subscription' | 'special'

type PackageFlags = { is_recurring: boolean; is_special: boolean }

export const groupOf = ({ is_recurring, is_special }: PackageFlags): Group =>
  is_recurring ? 'subscription' : is_special ? 'special' : 'starter'

/** The group that each list of an order accepts. */
export const groupOfList = {
  product_ids: 'starter',
  autoship_product_ids: 'subscription',
  special_product_ids: 'special',
} as const satisfies Record<string, Group>

export type OrderList = keyof typeof groupOfList
export const orderLists = Object.keys(groupOfList) as OrderList[]

/** The list of an order that takes one package at most. The others take several, each once. */
export const SINGLE_LIST: OrderList = 'product_ids'

/** '34,35' → [34, 35] */
export const productIds = (list: string): number[] => (list ? list.split(',').map(Number) : [])

/** How often the lines of an order renew. One order never has both. */
export const intervalOf = (lines: readonly { billing_interval: string }[]): Interval =>
  lines.some((line) => line.billing_interval === 'year') ? 'year' : 'month'

/** Everything that renews is charged together, so it has one interval. */
export const canRenewTogether = (lines: readonly { billing_interval: string }[]): boolean =>
  new Set(lines.map((line) => line.billing_interval).filter((interval) => interval !== 'once')).size < 2
