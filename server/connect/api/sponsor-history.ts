import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'

/** Who sponsored whom at a moment. The tables hold the present; moves and renames since then are undone. */

export type Person = {
  id: string
  username: string
  joined_at: Date
  /** The same with microseconds. */
  joined_key: string
  erased_at: Date | null
  /** The member directly above. */
  parent: string | null
}

/** The sponsor before the first move that came later. */
const sponsorAt = (as_of: string) => sql`coalesce(
  (select from_id from sponsor_move where sponsor_move.member_id = member.id and moved_at >= ${as_of}
    order by moved_at limit 1), member.sponsor_id)`

/** A member's links are their usernames so far; this is the newest at that moment. */
const personAt = (as_of: string) => sql`
  member.id, member.joined_at, to_char(member.joined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as joined_key, erased_at,
  coalesce((select site from sponsor own cross join unnest(own.earlier_from || own.created_at) taken_at
    where own.member_id = member.id and taken_at < ${as_of}
    order by taken_at desc limit 1), joined_username, username) as username`

/** The member, then their sponsor, and so on up, at most `height` of them. `site`: the link that each joined under. */
export async function upFrom(db: Db, as_of: string, member_id: string, height: number) {
  const { rows } = await sql<Person & { depth: number; site: string }>`
    with recursive line as (
      select id, ${sponsorAt(as_of)} as sponsor_id, 0 as depth from member where id = ${member_id}
      union all
      select member.id, ${sponsorAt(as_of)}, depth + 1
      from line join sponsor on sponsor.id = line.sponsor_id join member on member.id = sponsor.member_id
      where depth < ${height})
    select ${personAt(as_of)}, depth, sponsor.member_id as parent, coalesce(current.site, sponsor.site) as site
    from line join member on member.id = line.id join sponsor on sponsor.id = line.sponsor_id
      left join sponsor current on current.site = sponsor.renamed_to
    order by depth`.execute(db)
  return rows
}

export type Wanted = { parent: string; after?: Pick<Person, 'joined_key' | 'id'> | undefined }

/**
 * The members directly below each of these at a moment, in the order they joined, at most `limit` each: those who still are,
 * and those moved away since. A member has a row for each of their links, and people stay with the one they joined through.
 */
export async function downFrom(db: Db, as_of: string, wanted: Wanted[], limit: number): Promise<Person[][]> {
  const list = sql.join(
    wanted.map(
      ({ parent, after }, n) =>
        sql`(cast(${n} as integer), cast(${parent} as uuid), cast(${after?.joined_key ?? '-infinity'} as timestamptz),
          cast(${after?.id ?? '00000000-0000-0000-0000-000000000000'} as uuid))`,
    ),
  )
  const inOrder = sql`(member.joined_at, member.id) > (wanted.at, wanted.after) and member.joined_at < ${as_of}`
  const isMoveBefore = sql`exists (select from sponsor_move earlier where earlier.member_id = member.id
    and earlier.moved_at >= ${as_of} and (earlier.moved_at, earlier.id) < (sponsor_move.moved_at, sponsor_move.id))`
  const { rows } = await sql<Person & { n: number }>`
    with wanted (n, parent, at, after) as (values ${list})
    select wanted.n, wanted.parent, ${personAt(as_of)}
    from wanted cross join lateral (
      select id, joined_at from (
        (select stayed.id, stayed.joined_at from sponsor link cross join lateral (
          select id, joined_at from member where sponsor_id = link.id and ${inOrder}
            and not exists (select from sponsor_move where sponsor_move.member_id = member.id and moved_at >= ${as_of})
          order by joined_at, id limit ${limit}) stayed
        where link.member_id = wanted.parent)
        union all
        (select member.id, member.joined_at from sponsor link
          join sponsor_move on sponsor_move.from_id = link.id and moved_at >= ${as_of}
          join member on member.id = sponsor_move.member_id
        where link.member_id = wanted.parent and ${inOrder} and not ${isMoveBefore})) both_kinds
      order by joined_at, id limit ${limit}) found
    join member on member.id = found.id order by wanted.n, member.joined_at, member.id`.execute(db)
  const groups: Person[][] = wanted.map(() => [])
  for (const { n, ...person } of rows) groups[n]?.push(person)
  return groups
}
