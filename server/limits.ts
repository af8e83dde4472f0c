import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { sql } from 'kysely'
import type { LimitName } from './config.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * Counts one more of something, or refuses when it would be too many. One table and one statement, shared by all processes;
 * what is counted by is kept only as a keyed hash. The time slides: it is counted in eighths, so that midnight doubles
 * nothing. What turns out not to count can be given back.
 */
export async function spend(world: World, limit: LimitName, key: string): Promise<{ giveBack: () => Promise<void> }> {
  const { most, name, hash, part, since, until } = countingOf(world, limit, key)
  const earlier = sql`(select coalesce(sum(count), 0) from limit_count
    where name = ${name} and key = ${hash} and window_start > ${since} and window_start < ${part})`
  const counted = await sql`
    insert into limit_count (name, key, window_start, count, expires_at)
    select ${name}, ${hash}, cast(${part} as timestamptz), 1, cast(${until} as timestamptz) where ${earlier} < ${most}
    on conflict (name, key, window_start) do update set count = limit_count.count + 1
      where limit_count.count + ${earlier} < ${most}
    returning count`.execute(world.db)
  if (!counted.rows.length) throw await tooMany(world, limit, key)
  return { giveBack: () => giveBackOne(world, limit, key, part) }
}

/** Several at once, all or none: what was counted before one of them refused is given back. */
export async function spendAll(world: World, limits: [limit: LimitName, key: string][]) {
  const counted: { giveBack: () => Promise<void> }[] = []
  const giveBack = async () => {
    for (const each of counted.splice(0)) await each.giveBack()
  }
  try {
    for (const [limit, key] of limits) counted.push(await spend(world, limit, key))
    return { giveBack }
  } catch (error) {
    await giveBack()
    throw error
  }
}

/** Takes one back, from the eighth in which it was counted or from the newest that has one. */
export async function giveBackOne(world: World, limit: LimitName, key: string, counted_in?: Date): Promise<void> {
  const { name, hash, since } = countingOf(world, limit, key)
  await sql`
    update limit_count set count = count - 1
    where name = ${name} and key = ${hash} and count > 0 and window_start = coalesce(
      cast(${counted_in ?? null} as timestamptz),
      (select max(window_start) from limit_count
        where name = ${name} and key = ${hash} and window_start > ${since} and count > 0))`.execute(world.db)
}

/** What has been counted so far, without counting: for limits that only failures fill. */
export async function refuseIfSpent(world: World, limit: LimitName, key: string): Promise<void> {
  const { most, name, hash, since } = countingOf(world, limit, key)
  const row = await world.db
    .selectFrom('limit_count')
    .select((select) => select.fn.sum<number>('count').as('count'))
    .where('name', '=', name)
    .where('key', '=', hash)
    .where('window_start', '>', since)
    .executeTakeFirst()
  if (Number(row?.count ?? 0) >= most) throw await tooMany(world, limit, key)
}

const PARTS = 8

/** Where and since when a limit counts. A part counts as long as anything in it may still be young enough. */
function countingOf(world: World, limit: LimitName, key: string) {
  const { most, seconds } = world.config[limit]
  const now = world.now().getTime()
  const length = (seconds * 1000) / PARTS
  const start = Math.floor(now / length) * length
  return {
    most,
    name: limit,
    hash: hidden(world, key),
    part: new Date(start),
    since: new Date(now - seconds * 1000 - length),
    until: new Date(start + seconds * 1000 + length),
  }
}

/** How often each limit of this process has said no, for /metrics. */
export const refusals = new Map<string, number>()
export const countRefusal = (limit: string) => refusals.set(limit, (refusals.get(limit) ?? 0) + 1)

/** The wait ends when the oldest part that counts no longer does. */
async function tooMany(world: World, limit: LimitName, key: string): Promise<Refusal> {
  countRefusal(limit)
  const { name, hash, since } = countingOf(world, limit, key)
  const oldest = await world.db
    .selectFrom('limit_count')
    .select((select) => select.fn.min<Date>('expires_at').as('until'))
    .where('name', '=', name)
    .where('key', '=', hash)
    .where('window_start', '>', since)
    .where('count', '>', 0)
    .executeTakeFirst()
  const left = oldest?.until ? oldest.until.getTime() - world.now().getTime() : 0
  const retryAfter = Math.max(1, Math.ceil(left / 1000))
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
