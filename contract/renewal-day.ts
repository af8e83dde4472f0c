/** The first day from a day on that has this number in its month, or is the last of a shorter month. */
export function firstDayFrom(from: string, day_of_month: number): string {
  const [year = 0, month = 1] = from.split('-').map(Number)
  const inMonth = (add: number) => {
    const lastDay = new Date(Date.UTC(year, month + add, 0)).getUTCDate()
    return new Date(Date.UTC(year, month - 1 + add, Math.min(day_of_month, lastDay))).toISOString().slice(0, 10)
  }
  const first = inMonth(0)
  return first >= from ? first : inMonth(1)
}
