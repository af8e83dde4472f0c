import { addDays } from './renewal.ts'

/** How many free days a member can get in 12 months by moving the renewal day, unless staff ask for more. */
export const MAX_FREE_DAYS = 31

/**
 * The next renewal after the renewal day is moved, and the free days before it. They are counted from the day until which
 * the member has paid, so that moving the day again doesn't add more.
 */
export function movedRenewal({ paid_until, today }: { paid_until: string; today: string }, day_of_month: number) {
  const tomorrow = addDays(today, 1)
  const starts_on = firstDayFrom(paid_until > tomorrow ? paid_until : tomorrow, day_of_month)
  return { starts_on, free_days: Math.round((Date.parse(starts_on) - Date.parse(paid_until)) / 86_400_000) }
}

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
