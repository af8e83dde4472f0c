/**
 * What day it is, and how days and times are written. A day is a string, '2026-11-15', and belongs to the operator's time
 * zone: charges, screens and emails all get it here, so that they agree.
 */
export function dayIn(time_zone: string, time: Date): string {
  const { year, month, day } = partsIn(time_zone, time)
  return `${year}-${month}-${day}`
}

export const isMonday = (day: string): boolean => formatDay(day, { weekday: 'short' }) === 'Mon'

/** '2026-11-15' → 'November 15, 2026' */
export const longDay = (day: string): string => formatDay(day, { dateStyle: 'long' })

/** '2026-11-15' → 'Nov 15, 2026' */
export const plainDay = (day: string): string => formatDay(day, { dateStyle: 'medium' })

/** '2026-11-15' → 'Nov 15' */
export const shortDay = (day: string): string => formatDay(day, { month: 'short', day: 'numeric' })

/** '2030-07' → 'July 2030' */
export const monthAndYear = (month: string): string => formatDay(`${month}-01`, { month: 'long', year: 'numeric' })

/** 'Nov 15, 2026, 12:00:00 UTC' */
export const timestampIn = (time_zone: string, time: Date): string =>
  formatOf(time_zone, { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' }).format(time)

/** 'Nov 15, 2026, 7:00 AM EST' */
export const fullTimeIn = (time_zone: string, time: Date): string =>
  formatOf(time_zone, { ...withZone, year: 'numeric' }).format(time)

/** 'Nov 15, 12:00 PM UTC' */
export const timeWithZoneIn = (time_zone: string, time: Date): string => formatOf(time_zone, withZone).format(time)

const withZone: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
}

/** 'Nov 15, 2026, 12:00 PM', where the screen names the zone. */
export const timeIn = (time_zone: string, time: Date): string =>
  formatOf(time_zone, { dateStyle: 'medium', timeStyle: 'short' }).format(time)

/** '14:05 UTC' */
export const clockIn = (time_zone: string, time: Date): string =>
  formatOf(time_zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' }).format(time)

/** A day has no zone, so formatting it in UTC keeps it the same. A time becomes 'Invalid Date'. */
const formatDay = (day: string, style: Intl.DateTimeFormatOptions) =>
  new Date(`${day}T00:00Z`).toLocaleDateString('en-US', { ...style, timeZone: 'UTC' })

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

/** The calendar and the clock on the wall in a time zone. */
export const partsIn = (time_zone: string, time: Date): Record<Part, string> =>
  Object.fromEntries(
    formatOf(time_zone, digits)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  ) as Record<Part, string>

const digits: Intl.DateTimeFormatOptions = {
  calendar: 'iso8601',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

function formatOf(timeZone: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${Object.values(style)}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-US', { ...style, timeZone })
  formats.set(key, format)
  return format
}

/** Creating a format is slow. */
const formats = new Map<string, Intl.DateTimeFormat>()
