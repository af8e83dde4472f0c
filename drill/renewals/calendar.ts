// The drill's own calendar, so that a mistake in the product's cannot hide behind itself. A day is text: '2028-02-29'.

const two = (number: number) => String(number).padStart(2, '0')
const isLeapYear = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysInMonth = (year: number, month: number) =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

export const dateOf = (day: string): number => Number(day.slice(8))

/** The same date, or another one, of a later month; in a shorter month, its last day. */
export function monthsLater(day: string, months: number, date = dateOf(day)): string {
  let [year = 0, month = 0] = day.split('-').map(Number)
  for (let count = 0; count < months; count++) [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]
  return `${year}-${two(month)}-${two(Math.min(date, daysInMonth(year, month)))}`
}

const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** 'February 29, 2028' */
export function longDate(day: string): string {
  const [year, month = 0, date] = day.split('-').map(Number)
  return `${monthNames[month - 1]} ${date}, ${year}`
}

/** Finds such dates in a text. */
export const LONG_DATE = new RegExp(`(?:${monthNames.join('|')}) \\d{1,2}, \\d{4}`)

/** The same day of the year before. */
export function yearBefore(day: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return `${year - 1}-${two(month)}-${two(Math.min(date, daysInMonth(year - 1, month)))}`
}

export function daysLater(day: string, days: number): string {
  let [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  date += days
  for (let length = daysInMonth(year, month); date > length; length = daysInMonth(year, month)) {
    date -= length
    ;[year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]
  }
  return `${year}-${two(month)}-${two(date)}`
}

export const daysBefore = (day: string, days: number): string => {
  let [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  for (date -= days; date < 1; date += daysInMonth(year, month))
    [year, month] = month === 1 ? [year - 1, 12] : [year, month - 1]
  return `${year}-${two(month)}-${two(date)}`
}

/** All days from one to another, both included. */
export function daysBetween(first: string, last: string): string[] {
  const days = [first]
  for (let day = first; day < last; ) {
    day = daysLater(day, 1)
    days.push(day)
  }
  return days
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** Day and time on the wall of a time zone: '2028-02-29 23:30:00'. */
function wallClock(zone: string, time: Date): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(zone, format)
  return format.format(time)
}

export const dayInZone = (zone: string, time: Date): string => wallClock(zone, time).slice(0, 10)

/** When the clocks of a zone show this time. */
export function timeInZone(zone: string, day: string, time: string): Date {
  const wanted = Date.parse(`${day}T${time}Z`)
  let guess = wanted
  for (let round = 0; round < 3; round++)
    guess += wanted - Date.parse(`${wallClock(zone, new Date(guess)).replace(' ', 'T')}Z`)
  return new Date(guess)
}
