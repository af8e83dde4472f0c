/** What the lines of an order cost every month. */
export const monthlyTotal = (lines: readonly { renewal_cents: number }[]): number =>
  lines.reduce((sum, line) => sum + line.renewal_cents, 0)

/**
 * The next renewal day after `now`: the same day of the month as the join day, or the last day of a shorter month.
 * A member who joined on January 31 renews on February 28, then on March 31.
 */
export const renewsOn = (joined: Date, now: Date = joined): string => {
  const anchor_on = toDay(joined)
  return periodStart(anchor_on, Math.max(periodOn(anchor_on, toDay(now)), 0) + 1)
}

/** The first day of the nth period, always counted from the anchor, so that a short month does not move later ones. */
export const periodStart = (anchor_on: string, n: number): string => {
  const anchor = new Date(anchor_on)
  const [year, month, day] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + n, anchor.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return toDay(new Date(Date.UTC(year, month, Math.min(day, lastDay))))
}

/** The period that a day belongs to; -1 for the month before the anchor. */
export const periodOn = (anchor_on: string, day: string): number => {
  const months = monthNumber(day) - monthNumber(anchor_on)
  return periodStart(anchor_on, months) <= day ? months : months - 1
}

export const addDays = (day: string, days: number): string =>
  toDay(new Date(new Date(day).getTime() + days * 86_400_000))

const toDay = (date: Date) => date.toISOString().slice(0, 10)
const monthNumber = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
