/** What the lines of an order cost every month. */
export const monthlyTotal = (lines: readonly { renewal_cents: number }[]): number =>
  lines.reduce((sum, line) => sum + line.renewal_cents, 0)

/**
 * The next renewal day after `now`: the same day of the month as the join day, or the last day of a shorter month.
 * A member who joined on January 31 renews on February 28, then on March 31.
 */
export const renewsOn = (joined: Date, now: Date = joined): string => {
  const months = Math.max(1, monthNumber(now) - monthNumber(joined))
  const thisMonth = monthsAfter(joined, months)
  return thisMonth > toDay(now) ? thisMonth : monthsAfter(joined, months + 1)
}

const toDay = (date: Date) => date.toISOString().slice(0, 10)
const monthNumber = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()

const monthsAfter = (joined: Date, months: number): string => {
  const [year, month, day] = [joined.getUTCFullYear(), joined.getUTCMonth() + months, joined.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return toDay(new Date(Date.UTC(year, month, Math.min(day, lastDay))))
}
