import { addDays } from '#contract/renewal.ts'
import { OperatorError } from '#server/operator-error.ts'
import { startOfDay } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/** A calendar month in the operator's time zone. */
export type Month = { name: string; time_zone: string; starts_at: Date; ends_at: Date }

/** A transaction that began in a month's last minutes may commit a little later. */
const SETTLING_MINUTES = 15

/** Refused until the month has ended and everything that belongs to it is written. */
export function endedMonth({ config, now }: Pick<World, 'config' | 'now'>, name: string): Month {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(name)) throw new OperatorError(`'${name}' is not a month. Write it as 2026-10.`)
  const time_zone = config.TIME_ZONE
  const first = `${name}-01`
  const next = `${addDays(first, 31).slice(0, 7)}-01`
  const month = { name, time_zone, starts_at: startOfDay(time_zone, first), ends_at: startOfDay(time_zone, next) }
  const settled_at = new Date(month.ends_at.getTime() + SETTLING_MINUTES * 60_000)
  if (now() < month.ends_at)
    throw new OperatorError(`${name} hasn’t ended yet. It ends on ${month.ends_at.toISOString()} (${time_zone}).`)
  if (now() < settled_at)
    throw new OperatorError(
      `${name} has only just ended, and its last payments may still be on their way. Try again after ${settled_at.toISOString()}.`,
    )
  return month
}
