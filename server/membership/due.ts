import { hash } from 'node:crypto'
import type { World } from '#server/world/world.ts'
import { dayIn, startOfDay } from './time-zone.ts'

/** Renewals of a day are spread over its first hours, so that they do not all reach the gateway at once. */
const SPREAD_HOURS = 4

/** When a membership is due on a day: the same time of the day for the same member. */
export function dueAt({ config }: Pick<World, 'config'>, member_id: string, day: string): Date {
  const share = hash('sha256', member_id, 'buffer').readUInt32BE() / 2 ** 32
  return new Date(startOfDay(config.TIME_ZONE, day).getTime() + share * SPREAD_HOURS * 3_600_000)
}

/** Today, in the operator's time zone. */
export const todayOf = ({ config, now }: Pick<World, 'config' | 'now'>): string => dayIn(config.TIME_ZONE, now())
