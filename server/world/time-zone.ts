import { dayIn, partsIn } from '#contract/days.ts'
import { addDays } from '#contract/renewal.ts'
import type { World } from './world.ts'

type Context = Pick<World, 'config' | 'now'>

/** Today, in the operator's time zone. */
export const todayOf = ({ config, now }: Context): string => dayOf({ config }, now())

/** The day of a time, in the operator's time zone: '2026-11-17'. */
export const dayOf = ({ config }: Pick<World, 'config'>, time: Date): string => dayIn(config.TIME_ZONE, time)

/** The last day before a time: what ends with a day ends when the next day begins. */
export const lastDayOf = (context: Pick<World, 'config'>, ends_at: Date): string =>
  dayOf(context, new Date(ends_at.getTime() - 1))

/** When a day has ended, in the operator's time zone. */
export const endOfDay = ({ config }: Pick<World, 'config'>, day: string): Date =>
  startOfDay(config.TIME_ZONE, addDays(day, 1))

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
