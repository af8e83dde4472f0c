import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#server/test/database.ts'
import { type Database, inTransaction } from './db.ts'
import { migrate, provider } from './migrate.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const NOW = new Date('2026-11-17T12:00:00Z')
const SPLIT = '0010_plain_names.sql'
const ADDRESS = '0011_address_decides.sql'
const PRICES = '0014_prices.sql'
const MEMBERSHIPS = '0015_memberships.sql'
const ONE_ROW = '0031_open_uses.sql'
const PRICE_NOTICES = '0036_price_notices.sql'
const CREDIT_NOTES = '0039_credit_notes.sql'

/** Empties the database and applies the migrations before this one. */
async function schemaBefore(name: string) {
  const { db } = database
  await sql`drop schema public cascade`.execute(db)
  await sql`create schema public`.execute(db)
  const names = Object.keys(await provider.getMigrations())
  await inTransaction(db, async (db) => {
    await sql`select set_config('foyer.now', ${NOW.toISOString()}, true)`.execute(db)
    const { error } = await new Migrator({ db, provider }).migrateTo(names[names.indexOf(name) - 1] ?? '')
    if (error) throw error
  })
}

it('9.1 every row of the table spent finds its place when the table is split', async () => {
  const { db } = database
  await schemaBefore(SPLIT)
  const expires_at = new Date('2026-11-17T12:00:00.000Z')
  const trip = new Date('2026-11-16T08:30:00.123Z')
  const run = new Date('2026-11-16T09:00:00.456Z')
  const rows: [kind: string, key: string, used_by: string | null][] = [
    ['grant', 'jti', null],
    ['letter', 'hash', null],
    ['captcha', 'signature', 'zoe'],
    ['code', '+12025550123', null],
    ['comparison', '2974', null],
    ['breaker', 'declines', null],
    ['breaker codes', trip.toISOString(), null],
    ['compared', run.toISOString(), null],
  ]
  for (const [kind, key, used_by] of rows)
    await sql`insert into spent (kind, key, expires_at, used_by) values (${kind}, ${key}, ${expires_at}, ${used_by})`.execute(
      db,
    )

  expect(await migrate(db, NOW)).toContain(SPLIT)
  expect(await db.selectFrom('one_time_key').selectAll().orderBy('kind').execute()).toEqual([
    { kind: 'captcha', key: 'signature', used_by: 'zoe', expires_at },
    { kind: 'grant', key: 'jti', used_by: null, expires_at },
    { kind: 'letter', key: 'hash', used_by: null, expires_at },
  ])
  expect(await db.selectFrom('lease').selectAll().orderBy('name').execute()).toEqual([
    { name: 'code', key: '+12025550123', expires_at },
    { name: 'reconciliation', key: '2974', expires_at },
  ])
  expect(await db.selectFrom('breaker').select(['name', 'open_until']).execute()).toEqual([
    { name: 'declines', open_until: expires_at },
  ])
  expect(await db.selectFrom('breaker_trip').selectAll().execute()).toEqual([
    { breaker: 'codes', tripped_at: trip, expires_at },
  ])
  expect(await db.selectFrom('reconciliation_run').selectAll().execute()).toEqual([{ finished_at: run, expires_at }])
  expect(await db.selectFrom('email_link').selectAll().execute()).toEqual([])
})

it('16.2 enrollments that only chose a sponsor are deleted when the address decides, and those that tried to pay stay', async () => {
  const { db } = database
  await schemaBefore(ADDRESS)
  const now = new Date('2026-11-16T09:00:00.000Z')
  const [chose, tried, plain] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
  await sql`insert into enrollment (id, created_at, expires_at)
    values (${chose}, ${now}, ${now}), (${tried}, ${now}, ${now}), (${plain}, ${now}, null)`.execute(db)
  for (const id of [chose, tried])
    await sql`insert into sponsor_touch values (${id}, 1, 'ana', 'chosen', ${now}, 'hash')`.execute(db)
  await sql`insert into payment (enrollment_id, attempt, reference, state, amount_cents, gateway, leased_until, created_at, updated_at)
    values (${tried}, 1, 'reference', 'declined', 9900, 'sandbox', ${now}, ${now}, ${now})`.execute(db)
  expect(await migrate(db, NOW)).toContain(ADDRESS)
  const ids = await db.selectFrom('enrollment').select('id').orderBy('id').execute()
  expect(ids).toEqual([{ id: tried }, { id: plain }])
  const touches = await db.selectFrom('sponsor_touch').select('enrollment_id').execute()
  expect(touches).toEqual([{ enrollment_id: tried }])
})

it('4.5 9.1 members keep the monthly price of the text they accepted when prices become data', async () => {
  const { db } = database
  await schemaBefore(PRICES)
  const now = new Date('2026-11-16T09:00:00.000Z')
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const consents = ['$123.00 today and $99.00 every month', '$123.00 today and $123.00 every month']
  await sql`insert into sponsor (id, site, name, active, created_at) values (${id(1)}, 'ana', 'Ana', true, ${now})`.execute(
    db,
  )
  await sql`insert into package values (34, 17, 1, 'Membership', '', '/x', 14900, 'month', false, false, false, 1),
    (41, 17, 1, 'Parcel', '', '/x', 2400, 'month', true, false, true, 2), (51, 17, 1, 'Seat', '', '/x', 4900, 'month', false, true, false, 3)`.execute(
    db,
  )
  for (const [n, content] of consents.entries()) {
    const [enrollment, member, order] = [id(10 + n), id(20 + n), id(30 + n)]
    await sql`insert into legal_text values (${content}, ${content})`.execute(db)
    await sql`insert into enrollment values (${enrollment}, ${now})`.execute(db)
    await sql`insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name, business_name,
        mobile_phone, address, address2, city, country, state, post_code, joined_at)
      select ${member}, ${enrollment}, ${id(1)}, 'Member', ${`m${n}`}, 'm@example.com', '', '', '', '', '', '', '', '', '', '', '', ${now}`.execute(
      db,
    )
    await sql`insert into orders select ${order}, ${member}, 1, 12300, '', '', '', '', '', '', ${now}`.execute(db)
    await sql`insert into order_line values (${order}, 34, 'product_ids', '', 9900), (${order}, 41, 'autoship_product_ids', '', 2400)`.execute(
      db,
    )
    await sql`insert into acceptance values (${member}, 'agreement_2', 'Subscription consent', 1, ${content}, ${now})`.execute(
      db,
    )
  }
  const details = JSON.stringify({ lines: [{ product_id: 41, list: 'autoship_product_ids', price_cents: 2400 }] })
  await sql`insert into enrollment values (${id(40)}, ${now})`.execute(db)
  await sql`insert into payment (enrollment_id, attempt, reference, state, amount_cents, details, gateway, leased_until, created_at, updated_at)
    values (${id(40)}, 1, 'reference', 'unknown', 2400, cast(${details} as jsonb), 'sandbox', ${now}, ${now}, ${now})`.execute(
    db,
  )

  expect(await migrate(db, NOW)).toContain(PRICES)
  const lines = await db
    .selectFrom('order_line')
    .select('renewal_cents')
    .orderBy('order_id')
    .orderBy('product_id')
    .execute()
  expect(lines.map(({ renewal_cents }) => renewal_cents)).toEqual([9900, 0, 9900, 2400])
  const packages = await db
    .selectFrom('package')
    .select(['renewal_cents', 'billing_interval'])
    .orderBy('product_id')
    .execute()
  expect(packages.map(({ renewal_cents, billing_interval }) => [renewal_cents, billing_interval])).toEqual([
    [9900, 'month'],
    [2400, 'month'],
    [0, 'once'],
  ])
  const open = await db.selectFrom('payment').select('details').executeTakeFirstOrThrow()
  expect(open.details?.lines).toEqual([
    { product_id: 41, list: 'autoship_product_ids', price_cents: 2400, renewal_cents: 2400, billing_interval: 'month' },
  ])
})

it('17.6 9.1 members who joined earlier get a membership: what has passed is waived, and the next month is charged', async () => {
  const { db } = database
  await schemaBefore(MEMBERSHIPS)
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const joined = new Date('2026-08-31T09:00:00Z')
  await sql`insert into sponsor (id, site, name, active, created_at) values (${id(1)}, 'ana', 'Ana', true, ${joined})`.execute(
    db,
  )
  for (const [n, ends_at] of [null, new Date('2026-10-01T00:00:00Z'), new Date('2026-12-01T12:00:00Z')].entries()) {
    const [enrollment, member, order] = [id(10 + n), id(20 + n), id(30 + n)]
    await sql`insert into enrollment values (${enrollment}, ${joined})`.execute(db)
    await sql`insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name, business_name,
        mobile_phone, address, address2, city, country, state, post_code, vault_reference, joined_at, ends_at)
      select ${member}, ${enrollment}, ${id(1)}, 'Member', ${`m${n}`}, 'm@example.com', '', '', '', '', '', '', '', '', '', '', '', 'vault_1',
        ${joined}, cast(${ends_at} as timestamptz)`.execute(db)
    await sql`insert into orders select ${order}, ${member}, 1, 12300, '', '', '', '', '', '', ${joined}`.execute(db)
    await sql`insert into order_line values (${order}, 34, 'product_ids', 'Membership', 9900, 9900),
      (${order}, 21, 'autoship_product_ids', 'Parcel', 2400, 2400)`.execute(db)
  }
  expect(await migrate(db, NOW)).toContain(MEMBERSHIPS)
  const memberships = await db.selectFrom('membership').selectAll().orderBy('member_id').execute()
  expect(
    memberships.map(({ state, anchor_on, period, due_at }) => [state, anchor_on, period, due_at?.toISOString()]),
  ).toEqual([
    ['active', '2026-08-31', 2, '2026-11-30T00:00:00.000Z'],
    ['ended', '2026-08-31', 1, undefined],
    ['active', '2026-08-31', 2, '2026-12-01T12:00:00.000Z'],
  ])
  expect(memberships[0]?.lines.map(({ product_id }) => product_id)).toEqual([34, 21])
  const periods = await db.selectFrom('period').selectAll().where('member_id', '=', id(20)).orderBy('n').execute()
  expect(
    periods.map(({ starts_on, ends_on, amount_cents, state }) => [starts_on, ends_on, amount_cents, state]),
  ).toEqual([
    ['2026-08-31', '2026-09-30', 12_300, 'paid'],
    ['2026-09-30', '2026-10-31', 12_300, 'waived'],
    ['2026-10-31', '2026-11-30', 12_300, 'waived'],
  ])
})

it('6.7 9.1 what attempts have open stays open when their rows become one for each request', async () => {
  const { db } = database
  await schemaBefore(ONE_ROW)
  const [first, second] = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
  const [window, lease, later] = ['2026-11-17T11:00:00Z', '2026-11-17T12:01:00Z', '2026-11-18T11:00:00Z']
  await sql`insert into open_use (id, reference, name, key, window_start, expires_at) values
    (${first}, 'twice', 'LIMIT_DECLINES', 'a', ${window}, ${lease}), (${first}, 'twice', 'LIMIT_DECLINES', 'b', ${window}, ${lease}),
    (${first}, 'twice', 'LIMIT_DECLINES_BY_CARD', 'a', ${window}, ${later}), (${second}, 'twice', 'LIMIT_DECLINES', 'a', ${window}, ${lease})`.execute(
    db,
  )

  expect(await migrate(db, NOW)).toContain(ONE_ROW)
  const rows = await db.selectFrom('open_use').selectAll().orderBy('id').execute()
  expect(rows.map(({ id, reference, expires_at }) => [id, reference, expires_at])).toEqual([
    [first, 'twice', new Date(later)],
    [second, 'twice', new Date(lease)],
  ])
  const usesOf = (row: (typeof rows)[number] | undefined) =>
    row?.uses.map(({ name, key, window_start }) => [name, key, new Date(window_start)]).sort()
  expect(rows.map(usesOf)).toEqual([
    [
      ['LIMIT_DECLINES', 'a', new Date(window)],
      ['LIMIT_DECLINES', 'b', new Date(window)],
      ['LIMIT_DECLINES_BY_CARD', 'a', new Date(window)],
    ],
    [['LIMIT_DECLINES', 'a', new Date(window)]],
  ])
})

it('17.44 9.1 members who were told of a higher price too early are told again', async () => {
  const { db } = database
  await schemaBefore(PRICE_NOTICES)
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  await sql`insert into sponsor (id, site, name, active, created_at) values (${id(1)}, 'ana', 'Ana', true, ${NOW})`.execute(
    db,
  )
  for (const [n, from_on] of ['2026-12-17', '2026-12-18'].entries()) {
    const [enrollment, member] = [id(10 + n), id(20 + n)]
    const lines = [{ product_id: 34, name: 'A', renewal_cents: 9900, announced: { renewal_cents: 10_900, from_on } }]
    await sql`insert into enrollment (id, created_at) values (${enrollment}, ${NOW})`.execute(db)
    await sql`insert into member (id, enrollment_id, sponsor_id, level, username, email, password_hash, first_name, last_name, business_name,
        mobile_phone, address, address2, city, country, state, post_code, joined_at)
      select ${member}, ${enrollment}, ${id(1)}, 'Member', ${`m${n}`}, 'm@example.com', '', '', '', '', '', '', '', '', '', '', '', ${NOW}`.execute(
      db,
    )
    await sql`insert into membership (member_id, state, anchor_on, anchor_period, period, declines, lines, vault_reference, billing_interval, joined_at)
      values (${member}, 'active', '2026-11-17', 0, 0, 0, cast(${JSON.stringify(lines)} as jsonb), 'vault', 'month', ${NOW})`.execute(
      db,
    )
  }
  for (const [n, done_at] of [null, NOW].entries())
    await sql`insert into price_change (id, product_id, old_cents, new_cents, notice_days, reason, made_by, made_at, told, done_at)
      values (${id(30 + n)}, 34, 9900, 10900, 45, '', '', ${NOW}, 0, ${done_at})`.execute(db)

  expect(await migrate(db, NOW)).toContain(PRICE_NOTICES)
  const memberships = await db.selectFrom('membership').select(['lines', 'notice_at']).orderBy('member_id').execute()
  expect(memberships.map(({ lines, notice_at }) => [lines[0]?.announced?.is_untold, notice_at])).toEqual([
    [undefined, null],
    [true, NOW],
  ])
  const changes = await db.selectFrom('price_change').select('notice_days').orderBy('id').execute()
  expect(changes.map(({ notice_days }) => notice_days)).toEqual([30, 45])
})

it('17.45 refunds that were made before have credit notes in the order in which they were made', async () => {
  const { db } = database
  await schemaBefore(CREDIT_NOTES)
  const enrollment = '00000000-0000-4000-8000-000000000001'
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 16, hour))
  await sql`insert into enrollment (id, created_at) values (${enrollment}, ${at(1)})`.execute(db)
  for (const [attempt, state] of ['captured', 'disputed'].entries())
    await sql`insert into payment (enrollment_id, attempt, reference, state, amount_cents, refunded_cents, period, gateway,
      leased_until, created_at, updated_at) values (${enrollment}, ${attempt}, ${state}, ${state}, 9900, 0, ${attempt},
      'sandbox', ${at(2)}, ${at(2)}, ${at(2)})`.execute(db)
  await sql`insert into difference (reference, kind, ours, theirs, found_at)
    values ('disputed', 'dispute', 'on hold', 'disputed', ${at(9)})`.execute(db)
  const refunds = [
    ['done', 5],
    ['refused', 4],
    ['done', 3],
    ['requested', undefined],
  ] as const
  for (const [n, [state, hour]] of refunds.entries())
    await sql`insert into refund (id, payment_reference, amount_cents, reason, is_void, state, refund_reference, who,
      created_at, ended_at) values (gen_random_uuid(), 'captured', 100, '', false, ${state}, ${String(n)}, '', ${at(2)},
      ${hour ? at(hour) : null})`.execute(db)
  expect(await migrate(db, NOW)).toContain(CREDIT_NOTES)
  const rows = await db.selectFrom('refund').select('credit_note').orderBy('refund_reference').execute()
  expect(rows.map(({ credit_note }) => credit_note)).toEqual([2, null, 1, null])
  const payments = await db.selectFrom('payment').select('disputed_at').orderBy('attempt').execute()
  expect(payments).toEqual([{ disputed_at: null }, { disputed_at: at(9) }])
})
