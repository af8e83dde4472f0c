/** How often a membership renews, and how many months that is. */
export const MONTHS = { month: 1, year: 12 } as const
export type Interval = keyof typeof MONTHS

/** How many days ahead members are told of a higher price, of a card that expires, and of the next year. */
export const NOTICE_DAYS = 30
/** A higher price is never announced later than this. */
export const MIN_NOTICE_DAYS = 7

/** What the lines of an order cost every time they renew. */
export const renewalTotal = (lines: readonly { renewal_cents: number }[]): number =>
  lines.reduce((sum, line) => sum + line.renewal_cents, 0)

/**
 * The first day of the nth period, always counted from the anchor, so that a short month does not move later ones. A member
 * who joined on January 31 renews on February 28, then on March 31.
 */
export const periodStart = (anchor_on: string, n: number, interval: Interval = 'month'): string => {
  const anchor = new Date(anchor_on)
  const [year, day] = [anchor.getUTCFullYear(), anchor.getUTCDate()]
  const month = anchor.getUTCMonth() + n * MONTHS[interval]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return toDay(new Date(Date.UTC(year, month, Math.min(day, lastDay))))
}

/** The period that a day belongs to; -1 for the one before the anchor. */
export const periodOn = (anchor_on: string, day: string, interval: Interval = 'month'): number => {
  const months = monthNumber(day) - monthNumber(anchor_on)
  const passed = periodStart(anchor_on, months) <= day ? months : months - 1
  return Math.floor(passed / MONTHS[interval])
}

export const addDays = (day: string, days: number): string =>
  toDay(new Date(new Date(day).getTime() + days * 86_400_000))

/** The Monday of the week that a day belongs to. */
export const mondayOf = (day: string): string => addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

const toDay = (date: Date) => date.toISOString().slice(0, 10)
const monthNumber = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

/** Everything that renews can be stopped, so the membership itself is paid. */
export const isPaidOnce = (lines: { can_stop: boolean }[]): boolean => lines.every(({ can_stop }) => can_stop)
