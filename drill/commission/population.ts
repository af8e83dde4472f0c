import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** A month of members and payments, written directly: how they got there doesn't matter to the files. */
export async function addMembers(db: Db, count: number, random: SeededRandom): Promise<string[]> {
  const sites = (await db.selectFrom('sponsor').select('id').where('renamed_to', 'is', null).execute()).map(
    ({ id }) => id,
  )
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const [id, enrollment_id, order_id, site_id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const sponsor_id = random.pick(sites)
    const [day, username] = [1 + random.below(28), `drilled${n}`]
    const at = new Date(Date.UTC(2026, 9, day, random.below(24), random.below(60), 0, n % 1000))
    await db.insertInto('enrollment').values({ id: enrollment_id, created_at: at }).execute()
    await db
      .insertInto('payment')
      .values({
        ...{ enrollment_id, attempt: 1, reference: `drill${n}`, state: 'captured', amount_cents: 9900, period: 0 },
        ...{ gateway: 'sandbox', transaction_id: `t${n}`, leased_until: at, created_at: at, updated_at: at },
        captured_at: at,
      })
      .execute()
    await db
      .insertInto('member')
      .values({
        ...{ id, enrollment_id, sponsor_id, level: 'Member', username, email: `${username}@mail.example` },
        ...{ password_hash: '', first_name: 'Dora', last_name: `Drilled${n}`, business_name: '', state: 'TX' },
        ...{ mobile_phone: `+1999${String(n).padStart(7, '0')}`, address: '1 Elm St', address2: '', city: 'Waco' },
        ...{ country: 'US', post_code: '76701', joined_at: at },
      })
      .execute()
    await db
      .insertInto('membership')
      .values({
        ...{ member_id: id, state: 'active', anchor_on: '2026-10-01', anchor_period: 0, period: 0, declines: 0 },
        ...{ lines: '[]', vault_reference: '', joined_at: at, billing_interval: 'month' },
      })
      .execute()
    await sql`insert into period (member_id, n, starts_on, ends_on, amount_cents, lines, state)
      values (${id}, 0, '2026-10-01', '2026-11-01', 9900, '[]', 'paid')`.execute(db)
    await db
      .insertInto('sponsor')
      .values({ id: site_id, site: username, name: 'Dora', active: true, member_id: id, created_at: at })
      .execute()
    await db
      .insertInto('orders')
      .values({
        ...{ id: order_id, member_id: id, attempt: 1, grand_total: 9900, created_at: at },
        ...{ ship_address: '', ship_address2: '', ship_city: '', ship_country: '', ship_state: '', ship_zip_code: '' },
      })
      .execute()
    await db
      .insertInto('order_line')
      .values({
        ...{ order_id, product_id: 34, list: 'product_ids', name: 'Membership', price_cents: 9900 },
        ...{ renewal_cents: 9900, billing_interval: 'month' },
      })
      .execute()
    sites.push(site_id)
    ids.push(id)
  }
  return ids
}
