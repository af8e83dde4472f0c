import { daysLater } from './calendar.ts'
import { MEMBERSHIP, PARCEL, YEARLY } from './members.ts'

/** What the operator changes in the afternoon of a day. */
export type PriceChange = { product_id: number; new_cents: number; notice_days: number }

/** In the year: each change is dearer for some members and cheaper for others. The last one takes back the one before. The first ones fall in a time without mail. */
const changes: (PriceChange & { after: { long: number; short: number } })[] = [
  { product_id: MEMBERSHIP, new_cents: 11_000, notice_days: 30, after: { long: 81, short: 33 } },
  { product_id: PARCEL, new_cents: 2_500, notice_days: 30, after: { long: 82, short: 34 } },
  { product_id: PARCEL, new_cents: 3_000, notice_days: 7, after: { long: 83, short: 36 } },
  { product_id: YEARLY, new_cents: 12_000, notice_days: 30, after: { long: 90, short: 38 } },
  { product_id: MEMBERSHIP, new_cents: 13_000, notice_days: 30, after: { long: 280, short: 80 } },
  { product_id: MEMBERSHIP, new_cents: 11_000, notice_days: 30, after: { long: 290, short: 86 } },
]

export const priceChangesOf = (firstDay: string, length: 'long' | 'short'): ReadonlyMap<string, PriceChange> =>
  new Map(changes.map(({ after, ...change }) => [daysLater(firstDay, after[length]), change]))
