/**
 * The day on which the month that is paid at `now` ends and the next one begins: the join day of the first month that is
 * still to come, or the last day of a shorter month. Who joined on a 31st renews on 02-28 and then on 03-31.
 */
export const renewsOn = (joined: Date, now: Date = joined): string => {
  const months = Math.max(1, monthsOf(now) - monthsOf(joined))
  const thisMonth = monthsAfter(joined, months)
  return thisMonth > dayOf(now) ? thisMonth : monthsAfter(joined, months + 1)
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10)
const monthsOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()

const monthsAfter = (joined: Date, months: number): string => {
  const [year, month, day] = [joined.getUTCFullYear(), joined.getUTCMonth() + months, joined.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return dayOf(new Date(Date.UTC(year, month, Math.min(day, lastDay))))
}
