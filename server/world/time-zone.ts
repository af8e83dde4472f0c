import type { World } from './world.ts'

/** Today, in the operator's time zone. */
export const todayOf = ({ config, now }: Pick<World, 'config' | 'now'>): string => dayIn(config.TIME_ZONE, now())

/** The calendar day in a time zone: '2026-11-17'. */
export function dayIn(time_zone: string, time: Date): string {
  const { year, month, day } = partsIn(time_zone, time)
  return `${year}-${month}-${day}`
}

/** When a calendar day begins in a time zone. Where the clocks skip midnight, the first moment after it. */
export function startOfDay(time_zone: string, day: string): Date {
  const midnight = new Date(`${day}T00:00:00Z`).getTime()
  const offsets = [-DAY_MS, DAY_MS].map((shift) => offsetMs(time_zone, new Date(midnight + shift)))
  const candidates = offsets.map((offset) => new Date(midnight - offset)).sort((a, b) => a.getTime() - b.getTime())
  const begins = (time: Date) => dayIn(time_zone, time) === day && dayIn(time_zone, new Date(time.getTime() - 1)) < day
  return candidates.find(begins) ?? new Date(Math.max(...candidates.map((time) => time.getTime())))
}

const DAY_MS = 86_400_000

/** How far local time is ahead of UTC. */
function offsetMs(time_zone: string, time: Date): number {
  const { year, month, day, hour, minute, second } = partsIn(time_zone, time)
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return local - Math.floor(time.getTime() / 1000) * 1000
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

function partsIn(time_zone: string, time: Date): Record<Part, string> {
  let format = formats.get(time_zone)
  if (!format) {
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone: time_zone, calendar: 'iso8601', ...digits, ...clock })
    formats.set(time_zone, format)
  }
  return Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value])) as Record<Part, string>
}

/** Creating a format is slow. */
const formats = new Map<string, Intl.DateTimeFormat>()
