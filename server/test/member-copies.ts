import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'

/** Many members that are like this one, written directly: a list does not care how they came. Their last name is `last_name`. */
export async function addMemberCopies(
  db: Db,
  { username, last_name, count }: { username: string; last_name: string; count: number },
) {
  const prefix = last_name.toLowerCase()
  await sql`
    insert into enrollment (id, created_at)
    select gen_random_uuid(), cast('2026-01-01' as timestamptz) from generate_series(1, ${sql.lit(count)})`.execute(db)
  await sql`
    insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name, business_name,
      mobile_phone, address, address2, city, country, state, post_code, joined_at)
    select gen_random_uuid(), e.id, sponsor_id, level, ${sql.lit(prefix)} || row_number() over (), ${`${prefix}@mail.example`}, '',
      first_name, ${last_name}, '', '+19990000000', address, address2, city, country, member.state, post_code, joined_at
    from enrollment e, member
    where member.username = ${username} and e.created_at = cast('2026-01-01' as timestamptz)
      and not exists (select from member where enrollment_id = e.id)`.execute(db)
  await sql`
    insert into membership (member_id, state, anchor_on, anchor_period, period, declines, lines, vault_reference, joined_at, billing_interval)
    select id, 'active', '2026-11-15', 0, 0, 0, '[]', '', joined_at, 'month'
    from member where last_name = ${last_name}`.execute(db)
}
