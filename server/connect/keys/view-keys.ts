import type { KeyList, KeyView } from '#contract/console/keys.ts'
import { longDay } from '#contract/days.ts'
import { addDays } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { dayOf, endOfDay, lastDayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

type Context = Pick<World, 'config' | 'db' | 'now'>

/** How many days before its end a key is in the to-do list. */
const NOTICE_DAYS = 7
/** A key used within this many days is in use. */
const IN_USE_DAYS = 30

/** Newest first, with revoked keys at the end. */
export async function viewKeys(world: Context): Promise<KeyList> {
  const rows = await rowsOf(world.db)
  const keys = rows.map((row): KeyView => {
    const { id, name, ending, scopes, created_at, created_by_name, used_on, ends_at, revoked_at } = row
    return {
      id,
      name,
      ending,
      scopes,
      created_on: dayOf(world, created_at),
      ...(created_by_name ? { created_by: created_by_name } : {}),
      ...(used_on ? { used_on } : {}),
      ...(ends_at ? { ends_on: lastDayOf(world, ends_at) } : {}),
      ...(revoked_at ? { revoked_on: dayOf(world, revoked_at) } : {}),
      state: stateOf(world, row),
    }
  })
  return { keys: [...keys.filter(isUsable), ...keys.filter((key) => !isUsable(key))] }
}

const isUsable = ({ state }: KeyView) => state === 'active' || state === 'ending'

const rowsOf = (db: Db) =>
  db
    .selectFrom('api_key')
    .leftJoin('staff', 'staff.id', 'api_key.created_by')
    .selectAll('api_key')
    .select('staff.name as created_by_name')
    .orderBy('api_key.created_at', 'desc')
    .orderBy('api_key.id')
    .execute()

type Times = Pick<Tables['api_key'], 'ends_at' | 'revoked_at'>

function stateOf(world: Context, { ends_at, revoked_at }: Times): KeyView['state'] {
  if (revoked_at) return 'revoked'
  if (!ends_at) return 'active'
  if (ends_at <= world.now()) return 'ended'
  return ends_at <= noticeUntil(world) ? 'ending' : 'active'
}

const noticeUntil = (world: Context) => endOfDay(world, addDays(todayOf(world), NOTICE_DAYS))

export type EndingKey = { name: string; since: Date; sentence: string }

/** Keys in use that end within a week, for the to-do list. */
export async function endingKeys(world: Context): Promise<EndingKey[]> {
  const rows = await world.db
    .selectFrom('api_key')
    .select(['name', 'created_at', 'ends_at'])
    .where('revoked_at', 'is', null)
    .where('ends_at', '>', world.now())
    .where('ends_at', '<=', noticeUntil(world))
    .where('used_on', '>=', addDays(todayOf(world), -IN_USE_DAYS))
    .execute()
  return rows.flatMap(({ name, created_at, ends_at }) => {
    if (!ends_at) return []
    const last_day = lastDayOf(world, ends_at)
    const noticed = endOfDay(world, addDays(last_day, -NOTICE_DAYS - 1))
    const since = new Date(Math.max(created_at.getTime(), noticed.getTime()))
    return [{ name, since, sentence: `“${name}” expires after ${longDay(last_day)}.` }]
  })
}
