import { sql } from 'kysely'
import type { Occasion } from '#contract/commission.ts'
import type { PriceKey, Volumes } from '#server/catalog/volumes.ts'
import type { World } from '#server/world/world.ts'
import type { Month } from './month.ts'
import { share } from './shares.ts'

/** A line that was paid in a month, or taken back in it with negative amounts. */
export type OrderLine = {
  at: Date
  kind: 'sale' | 'refund' | 'dispute' | 'dispute_won'
  occasion: Occasion
  order_id: string
  member_id: string
  product_id: number
  amount_cents: number
} & Volumes

/** The volumes of a line, or none if its price has none yet. */
export type FindVolumes = (price: PriceKey, paid_at: Date) => Volumes | undefined

type Context = Pick<World, 'db'>
type PaidLine = { product_id: number; price_cents: number }
type Payment = {
  reference: string
  member_id: string
  period: number
  amount_cents: number
  captured_at: Date
  lines: PaidLine[] | null
}

/** All lines of a month, by time and order: what was paid in it, and what was taken back in it, whenever that was paid. */
export async function* orderLines(context: Context, month: Month, find: FindVolumes): AsyncGenerator<OrderLine> {
  const sources = [sales(context, month, find), takenBack(context, month, find)]
  const heads = await Promise.all(sources.map((source) => source.next()))
  for (;;) {
    const [first] = heads
      .flatMap(({ value, done }, index) => (done ? [] : [{ lines: value, index }]))
      .sort((a, b) => compare(a.lines.key, b.lines.key) || a.index - b.index)
    if (!first) return
    yield* first.lines.lines
    const source = sources[first.index]
    if (source) heads[first.index] = await source.next()
  }
}

/** What happened to one payment at one time. */
type Movement = { key: string; lines: OrderLine[] }
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const keyOf = (at: Date, reference: string) => `${at.toISOString()} ${reference}`

const PAGE_SIZE = 1_000

/** What a payment was for: the lines of the first order, or those of the period that it renewed. */
const payments = sql`
  select payment.reference, payment.period, payment.amount_cents, payment.captured_at, member.id as member_id,
    case when payment.period = 0 then (
      select jsonb_agg(jsonb_build_object('product_id', product_id, 'price_cents', price_cents) order by product_id)
      from orders join order_line on order_line.order_id = orders.id
      where orders.member_id = member.id and orders.attempt = payment.attempt)
    else (
      select jsonb_agg(jsonb_build_object('product_id', cast(line ->> 'product_id' as integer),
        'price_cents', cast(line ->> 'renewal_cents' as integer)) order by cast(line ->> 'product_id' as integer))
      from period cross join lateral jsonb_array_elements(period.lines) line
      where period.member_id = member.id and period.n = payment.period)
    end as lines
  from payment join member on member.enrollment_id = payment.enrollment_id`

async function* sales({ db }: Context, { starts_at, ends_at }: Month, find: FindVolumes): AsyncGenerator<Movement> {
  for (let after = { captured_at: starts_at, reference: '' }; ; ) {
    const { rows } = await sql<Payment>`${payments}
      where payment.captured_at >= ${after.captured_at} and payment.captured_at < ${ends_at}
        and (payment.captured_at > ${after.captured_at} or payment.reference collate "C" > ${after.reference})
      order by payment.captured_at, payment.reference collate "C" limit ${sql.lit(PAGE_SIZE)}`.execute(db)
    for (const payment of rows)
      yield {
        key: keyOf(payment.captured_at, payment.reference),
        lines: linesOf(payment, find).map((line) => ({ ...line, at: payment.captured_at, kind: 'sale' })),
      }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) return
    after = last
  }
}

function linesOf({ reference, member_id, period, captured_at, lines }: Payment, find: FindVolumes) {
  if (!lines) throw new Error(`The payment ${reference} has no lines.`)
  return lines.map(({ product_id, price_cents }) => {
    const occasion: Occasion = period ? 'renewal' : 'joining'
    const volumes = find({ product_id, occasion, price_cents }, captured_at)
    return {
      occasion,
      order_id: reference,
      member_id,
      product_id,
      amount_cents: price_cents,
      business_volume: volumes?.business_volume ?? 0,
      commissionable_volume: volumes?.commissionable_volume ?? 0,
    }
  })
}

/** A refund that was made, or a dispute that was opened or won. */
type Step = { at: Date; reference: string; kind: 'refund' | 'dispute' | 'dispute_won'; n: number; amount_cents: number }

/** In the order they apply: the credit note's number decides between two at the same time. */
const steps = sql`
  select * from (
    select ended_at as at, payment_reference as reference, 'refund' as kind, credit_note as n, amount_cents
    from refund where state = 'done'
    union all
    select changed_at, payment_reference, case when is_open then 'dispute' else 'dispute_won' end, 0, 0
    from dispute_change) step`
const order = sql`order by at, reference collate "C", n`

/**
 * What was taken back, or given back after a dispute was won. While a dispute is open, everything is taken back; a refund then
 * takes nothing more, even if it was requested before.
 */
async function* takenBack(context: Context, month: Month, find: FindVolumes): AsyncGenerator<Movement> {
  const { starts_at, ends_at } = month
  for (let after = { at: starts_at, reference: '', n: -1 }; ; ) {
    const { rows } = await sql<Step>`${steps}
      where at >= ${after.at} and at < ${ends_at} and (at > ${after.at} or reference collate "C" > ${after.reference}
        or (reference = ${after.reference} and n > ${after.n}))
      ${order} limit ${sql.lit(PAGE_SIZE)}`.execute(context.db)
    const histories = await historiesOf(context, [...new Set(rows.map(({ reference }) => reference))])
    for (const step of rows) {
      const history = histories.get(step.reference)
      if (history) yield { key: keyOf(step.at, step.reference), lines: movedBy(step, history, find) }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) return
    after = last
  }
}

type History = { payment: Payment; steps: Step[] }

async function historiesOf({ db }: Context, references: string[]): Promise<Map<string, History>> {
  if (!references.length) return new Map()
  const { rows: found } = await sql<Payment>`${payments}
    where payment.captured_at is not null and payment.reference in (${sql.join(references)})`.execute(db)
  const { rows } = await sql<Step>`${steps} where reference in (${sql.join(references)}) ${order}`.execute(db)
  const byReference = Map.groupBy(rows, ({ reference }) => reference)
  return new Map(
    found.map((payment) => [payment.reference, { payment, steps: byReference.get(payment.reference) ?? [] }]),
  )
}

function movedBy(step: Step, { payment, steps }: History, find: FindVolumes): OrderLine[] {
  const index = steps.findIndex((each) => each.kind === step.kind && each.n === step.n && +each.at === +step.at)
  const [before, after] = [takenAfter(payment, steps.slice(0, index)), takenAfter(payment, steps.slice(0, index + 1))]
  if (before === after) return []
  const lines = linesOf(payment, find)
  const total = payment.amount_cents
  let sum = 0
  return lines.map((line) => {
    const [start, end] = [sum, sum + line.amount_cents]
    sum = end
    /** The line's share of what has been taken back. The shares of all lines add up to it. */
    const amount = (taken: number) => share(end, taken, total) - share(start, taken, total)
    const moved = (value: number) => share(value, before, total) - share(value, after, total)
    return {
      ...line,
      at: step.at,
      kind: step.kind,
      amount_cents: amount(before) - amount(after),
      business_volume: moved(line.business_volume),
      commissionable_volume: moved(line.commissionable_volume),
    }
  })
}

/** How much of a payment has been taken back after these steps. */
function takenAfter({ amount_cents }: Payment, steps: Step[]): number {
  const refunded = steps.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  const isDisputed = steps.findLast(({ kind }) => kind !== 'refund')?.kind === 'dispute'
  return isDisputed ? amount_cents : Math.min(refunded, amount_cents)
}
