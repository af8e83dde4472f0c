import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'

/** Sponsors form one tree, placements another: under the placement parent or, without one, under the sponsor. */

/**
 * Takes turns with every other move in either tree, so that no two together make a circle. Locks the members' rows first,
 * in the order in which an erasure does.
 */
export async function lockTrees(db: Db, member_ids: string[]): Promise<void> {
  await db.selectFrom('member').select('id').where('id', 'in', member_ids).orderBy('id').forUpdate().execute()
  await sql`lock table sponsor_move in share row exclusive mode`.execute(db)
}

/** Deeper than any real tree, so even a circle made by hand ends. */
const MAX_HEIGHT = sql.lit(10_000)

/** The member whose site this is, their sponsor, and so on to the top. */
export async function membersAbove(db: Db, sponsor_id: string): Promise<string[]> {
  const { rows } = await sql<{ member_id: string }>`
    with recursive above as (
      select member_id, 1 as height from sponsor where id = ${sponsor_id}
      union
      select sponsor.member_id, height + 1 from above join member on member.id = above.member_id
        join sponsor on sponsor.id = member.sponsor_id
      where height < ${MAX_HEIGHT})
    select member_id from above where member_id is not null order by height`.execute(db)
  return rows.map(({ member_id }) => member_id)
}

/** A member, the member they're placed under, and so on to the top. */
export async function placedAbove(db: Db, member_id: string): Promise<string[]> {
  const { rows } = await sql<{ member_id: string }>`
    with recursive above as (
      select cast(${member_id} as uuid) as member_id, 1 as height
      union
      select coalesce(placed.parent_id, sponsor.member_id), height + 1
      from above join member on member.id = above.member_id
        join sponsor on sponsor.id = member.sponsor_id
        left join lateral (select parent_id from placement_move where placement_move.member_id = member.id
          order by moved_at desc limit 1) placed on true
      where height < ${MAX_HEIGHT})
    select member_id from above where member_id is not null order by height`.execute(db)
  return rows.map(({ member_id }) => member_id)
}

/** When a move happens: always after the member's last one, even if this clock is behind or stands still. */
export function moveTime(now: Date, last: Date | null | undefined): Date {
  return last && last >= now ? new Date(last.getTime() + 1) : now
}
