import { sql } from 'kysely'
import type * as z from 'zod/mini'
import type { ApiCalls } from '#contract/connect/api.ts'
import type { Payment, PaymentPage, paymentStates } from '#contract/connect/shapes.ts'
import { toAmount } from '#contract/money.ts'
import type { Db } from '#server/db/db.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { brandName, timeIn } from './members.ts'
import { all, type Condition, comesAfter, type Key, keySql, onDays, orderBy, readPage } from './pages.ts'

type Query = z.infer<ApiCalls['listPayments']['query']>
type ShownState = (typeof paymentStates)[number]

export async function listPayments(world: World, query: Query) {
  const { rows, next } = await readPage(world, {
    call: 'listPayments',
    query,
    walk: (after, count) => walk(world, query, after, count),
    fetch: (references) => fetchPayments(world.db, references, query),
  })
  return { payments: rows.map(toPayment), ...(next ? { next } : {}) }
}

export async function getPayment({ db }: World, reference: string): Promise<z.infer<typeof PaymentPage>> {
  const [row] = await fetchPayments(db, [reference], { order: 'oldest' })
  if (!row) throw new Refusal(404, 'There is no such payment.')
  const refunds = await db
    .selectFrom('refund')
    .select(['id', 'amount_cents', 'is_void', 'state', 'created_at', 'ended_at'])
    .where('payment_reference', '=', reference)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return {
    ...toPayment(row),
    refunds: refunds.map(({ id, amount_cents, is_void, state, created_at, ended_at }) => ({
      ...{ id, amount: toAmount(amount_cents), is_void, state, requested_at: created_at.toISOString() },
      ...timeIn('ended_at', ended_at),
    })),
  }
}

/** The next payments: those of one member, or all in the order of their index. */
async function walk(world: World, query: Query, after: Key | undefined, count: number) {
  const { member_id, created_from, created_to, order } = query
  const [at, id] = [sql`created_at`, sql`reference`]
  const conditions = [
    ...(member_id ? [sql`enrollment_id = (select enrollment_id from member where member.id = ${member_id})`] : []),
    ...onDays(world, at, created_from, created_to),
    ...comesAfter(order, at, id, after, sql`text`),
  ]
  const { rows } = await sql<{ id: string; key: Key }>`
    select reference as id, ${keySql(at, id)} as key from payment where ${all(conditions)} ${orderBy(order, at, id)}
    limit ${sql.lit(count)}`.execute(world.db)
  return rows
}

/** A charge that was canceled before it was collected is voided. */
const shownState = sql<ShownState>`case
  when payment.state in ('reserved', 'authorizing', 'authorized') then 'pending'
  when payment.state = 'enrolled' then 'approved'
  when payment.state = 'refunded' and exists (select from refund
    where payment_reference = reference and is_void and refund.state = 'done') then 'voided'
  else payment.state end`

type Row = {
  id: string
  key: Key
  member_id: string | null
  period: number
  state: ShownState
  amount_cents: number
  refunded_cents: number
  created_at: Date
  captured_at: Date | null
  disputed_at: Date | null
  card_brand: string | null
  card_last_four: string | null
}

async function fetchPayments(db: Db, references: string[], { state, order }: Partial<Query> & Pick<Query, 'order'>) {
  const [at, id] = [sql`payment.created_at`, sql`reference`]
  const conditions: Condition[] = [
    sql`reference in (${sql.join(references)})`,
    ...(state ? [sql`${shownState} = ${state}`] : []),
  ]
  const { rows } = await sql<Row>`
    select reference as id, ${keySql(at, id)} as key, member.id as member_id, period,
      ${shownState} as state, amount_cents, refunded_cents, ${at}, captured_at, disputed_at, card_brand, card_last_four
    from payment left join member on member.enrollment_id = payment.enrollment_id
    where ${all(conditions)} ${orderBy(order, at, id)}`.execute(db)
  return rows
}

function toPayment(row: Row): z.infer<typeof Payment> {
  const { id, member_id, period, state, amount_cents, refunded_cents, created_at, card_brand, card_last_four } = row
  return {
    reference: id,
    ...(member_id ? { member_id } : {}),
    kind: period ? 'renewal' : 'enrollment',
    period,
    state,
    amount: toAmount(amount_cents),
    refunded: toAmount(refunded_cents),
    currency: 'USD',
    created_at: created_at.toISOString(),
    ...timeIn('captured_at', row.captured_at),
    ...timeIn('disputed_at', row.disputed_at),
    ...(card_last_four ? { card: { brand: brandName(card_brand), last_four: card_last_four } } : {}),
  }
}
