import { hash } from 'node:crypto'
import { startOfDay } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/** Renewals of a day are spread over its first hours, so that they do not all reach the gateway at once. */
const SPREAD_HOURS = 4

/** When a membership is due on a day: the same time of the day for the same member. */
export function dueAt({ config }: Pick<World, 'config'>, member_id: string, day: string): Date {
  const share = hash('sha256', member_id, 'buffer').readUInt32BE() / 2 ** 32
  return new Date(startOfDay(config.TIME_ZONE, day).getTime() + share * SPREAD_HOURS * 3_600_000)
}
