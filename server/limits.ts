import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { sql } from 'kysely'
import type { LimitName } from './config.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * Counts one more of something and refuses when it is too many. One table and one statement, shared by all processes.
 * What is counted by is kept only as a keyed hash. What turns out not to count can be given back.
 */
export async function spend(world: World, limit: LimitName, key: string): Promise<{ giveBack: () => Promise<void> }> {
  const { most, seconds } = world.config[limit]
  const now = world.now().getTime()
  const start = Math.floor(now / 1000 / seconds) * seconds * 1000
  const end = start + seconds * 1000
  const counted = await sql<{ count: number }>`
    insert into limit_count (name, key, window_start, count, expires_at)
    values (${limit}, ${hidden(world, key)}, ${new Date(start)}, 1, ${new Date(end)})
    on conflict (name, key, window_start) do update set count = limit_count.count + 1
    returning count`.execute(world.db)
  if ((counted.rows[0]?.count ?? 0) > most) throw tooMany(limit, Math.ceil((end - now) / 1000))
  const giveBack = async () => {
    await sql`
      update limit_count set count = count - 1
      where name = ${limit} and key = ${hidden(world, key)} and window_start = ${new Date(start)} and count > 0`.execute(
      world.db,
    )
  }
  return { giveBack }
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
  if ((row?.count ?? 0) >= most) throw tooMany(limit, Math.ceil((start + seconds * 1000 - now) / 1000))
}

/** How often each limit of this process has said no, for /metrics. */
export const refusals = new Map<string, number>()
export const countRefusal = (limit: string) => refusals.set(limit, (refusals.get(limit) ?? 0) + 1)

function tooMany(limit: string, retryAfter: number) {
  countRefusal(limit)
  return new Refusal(429, `That was tried too often. Please wait ${inWords(retryAfter)} and try again.`, { retryAfter })
}

export const inWords = (seconds: number) => {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60 ? `${seconds} seconds` : minutes === 1 ? 'a minute' : `${minutes} minutes`
}

const hidden = (world: World, key: string) =>
  createHmac('sha256', world.keys.hmac('limits')).update(key).digest('base64url')

/** One visitor: an IPv4 address, or the /64 of an IPv6 one, since a household has all of that. */
export const visitorOf = (address: string): string => {
  const [bare = ''] = address.split('%') // without the name of an interface
  if (!isIPv6(bare)) return bare
  const parts = eightParts(new URL(`http://[${bare}]`).hostname.slice(1, -1))
  const isMapped = parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff
  if (isMapped)
    return parts
      .slice(6)
      .flatMap((part) => [part >> 8, part & 255])
      .join('.')
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}

/** The numbers of an IPv6 address as URL writes it, '::' filled up. */
const eightParts = (address: string): number[] => {
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].map((part) => Number.parseInt(part, 16))
}
