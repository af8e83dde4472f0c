import { addDays, MIN_NOTICE_DAYS, renewalTotal } from '#contract/renewal.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import { type Anchor, startsOn } from './next-step.ts'

/** What renews, at the prices of a period that begins on this day: an announced price applies from its day on, if the member was told. */
export const linesOn = (lines: RenewalLine[], starts_on: string): RenewalLine[] =>
  lines.map(({ announced, ...line }) => {
    if (!announced) return line
    return announced.from_on <= starts_on && !announced.is_untold
      ? { ...line, renewal_cents: announced.renewal_cents }
      : { ...line, announced }
  })

/** What an unpaid period costs now: packages that were dropped are gone, lower prices apply, and higher ones never do. */
export const linesDue = (period_lines: RenewalLine[], lines: RenewalLine[]): RenewalLine[] =>
  period_lines.flatMap((line) => {
    const now = lines.find(({ product_id }) => product_id === line.product_id)
    return now ? [{ ...line, renewal_cents: Math.min(line.renewal_cents, now.renewal_cents) }] : []
  })

export const priceOn = (lines: RenewalLine[], starts_on: string): number => renewalTotal(linesOn(lines, starts_on))

/** What decides which periods follow, and which of them is free. */
export type Upcoming = Anchor & Pick<Tables['membership'], 'period' | 'waived_period'>

/** The first day of the first period to pay that begins on this day or later, and after the newest one. */
export function firstPeriodFrom(membership: Upcoming, day: string): string {
  let n = membership.period + 1
  while (startsOn(membership, n) < day || n === membership.waived_period) n++
  return startsOn(membership, n)
}

/** The first period at a higher price, if its email is sent on this day. */
export const firstAtNewPrice = (
  membership: Upcoming,
  { from_on }: NonNullable<RenewalLine['announced']>,
  day: string,
): string => {
  const earliest = addDays(day, MIN_NOTICE_DAYS)
  return firstPeriodFrom(membership, from_on < earliest ? earliest : from_on)
}

/** Higher prices that members were told of need a new email where the day in it no longer holds. */
export const untold = (lines: RenewalLine[], holds: (from_on: string) => boolean): RenewalLine[] =>
  lines.map((line) =>
    line.announced && !holds(line.announced.from_on)
      ? { ...line, announced: { ...line.announced, is_untold: true } }
      : line,
  )

/** A line after its price was changed. A higher price is announced; a lower one counts from the next period on. */
export function changeLine(line: RenewalLine, new_cents: number, from_on: string): RenewalLine {
  const { announced, ...rest } = line
  if (new_cents <= line.renewal_cents) return { ...rest, renewal_cents: new_cents }
  const isLessThanAnnounced = announced && new_cents <= announced.renewal_cents
  return {
    ...rest,
    announced: { renewal_cents: new_cents, from_on: isLessThanAnnounced ? announced.from_on : from_on },
  }
}
