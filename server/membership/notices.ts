import { addDays, NOTICE_DAYS, periodOn, periodStart } from '#contract/renewal.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import { firstAtNewPrice, type Upcoming } from './prices.ts'

export type Notice = 'card_expires' | 'yearly_reminder'
type Dates = Pick<Tables['membership'], 'anchor_on' | 'card_expires'>

/** The first day, from this one on, on which each notice is due. */
const days: Record<Notice, (membership: Dates, from: string) => string | undefined> = {
  card_expires: ({ card_expires }, from) => {
    const day = card_expires ? addDays(periodStart(`${card_expires}-01`, 1), -NOTICE_DAYS) : ''
    return day >= from ? day : undefined
  },
  yearly_reminder: ({ anchor_on }, from) => {
    const dayOf = (year: number) => addDays(periodStart(anchor_on, year, 'year'), -NOTICE_DAYS)
    const year = Math.max(periodOn(anchor_on, addDays(from, NOTICE_DAYS), 'year'), 1)
    return dayOf(year) >= from ? dayOf(year) : dayOf(year + 1)
  },
}
const kinds = Object.keys(days) as Notice[]

/** What a member has to be told between two days. */
export const noticesBetween = (membership: Dates, from: string, to: string): Notice[] =>
  kinds.filter((kind) => (days[kind](membership, from) ?? '9999') <= to)

/** The day of the next notice, from this day on. */
export const nextNotice = (membership: Dates, from: string): string | undefined =>
  kinds
    .flatMap((kind) => days[kind](membership, from) ?? [])
    .sort()
    .at(0)

/** An email that was not sent by then was given up, and is written again. */
const RETRY_DAYS = 5

type Announced = NonNullable<RenewalLine['announced']>

/** The first day, from this one on, on which the email about a higher price is due: 7 to 30 days before the first period at it. */
export function priceNoticeDay(
  membership: Upcoming,
  announced: Announced | undefined,
  from: string,
): string | undefined {
  if (!announced?.is_untold) return undefined
  const first = latest(from, announced.queued_on ? addDays(announced.queued_on, RETRY_DAYS) : '')
  return latest(first, addDays(firstAtNewPrice(membership, announced, first), -NOTICE_DAYS))
}

const latest = (one: string, other: string) => (one > other ? one : other)

export const MEMBERS_AT_ONCE = 50
/** A limit per run, so that other work gets a turn; the rest follows a minute later. */
const MAX_BATCHES = 20

/** Repeats a batch until one comes back short. */
export async function inBatches(writeSome: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await writeSome()) < MEMBERS_AT_ONCE) return
}
