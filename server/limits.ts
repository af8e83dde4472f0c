import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { sql } from 'kysely'
import type { LimitName } from './config.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * Counts one more of something and refuses when it is too many. One table and one statement, shared by all processes.
 * What is counted by is kept only as a keyed hash.
 */
export async function spend(world: World, limit: LimitName, key: string): Promise<void> {
  const { most, seconds } = world.config[limit]
  const now = world.now().getTime()
  const start = Math.floor(now / 1000 / seconds) * seconds * 1000
  const end = start + seconds * 1000
  const counted = await sql<{ count: number }>`
    insert into limit_count (name, key, window_start, count, expires_at)
    values (${limit}, ${hidden(world, key)}, ${new Date(start)}, 1, ${new Date(end)})
    on conflict (name, key, window_start) do update set count = limit_count.count + 1
    returning count`.execute(world.db)
  if ((counted.rows[0]?.count ?? 0) > most) throw tooMany(Math.ceil((end - now) / 1000))
}

/** What has been counted so far, without counting: for limits that only failures fill. */
export async function refuseIfSpent(world: World, limit: LimitName, key: string): Promise<void> {
  const { most, seconds } = world.config[limit]
  const now = world.now().getTime()
  const start = Math.floor(now / 1000 / seconds) * seconds * 1000
  const row = await world.db
    .selectFrom('limit_count')
    .select('count')
    .where('name', '=', limit)
    .where('key', '=', hidden(world, key))
    .where('window_start', '=', new Date(start))
    .executeTakeFirst()
  if ((row?.count ?? 0) >= most) throw tooMany(Math.ceil((start + seconds * 1000 - now) / 1000))
}

const tooMany = (retryAfter: number) =>
  new Refusal(429, `That was tried too often. Please wait ${inWords(retryAfter)} and try again.`, { retryAfter })

const inWords = (seconds: number) => {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60 ? `${seconds} seconds` : minutes === 1 ? 'a minute' : `${minutes} minutes`
}

const hidden = (world: World, key: string) =>
  createHmac('sha256', world.keys.hmac('limits')).update(key).digest('base64url')

/** One visitor: an IPv4 address, or the /64 of an IPv6 one, since a household has all of that. */
export const visitorOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped || !isIPv6(address)) return mapped ?? address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const front = head.split(':').filter(Boolean)
  const back = (tail ?? '').split(':').filter(Boolean)
  const whole =
    tail === undefined ? front : [...front, ...Array(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
  return whole
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')
}
