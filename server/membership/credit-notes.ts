import { toAmount } from '#contract/money.ts'
import type { CreditNote, Receipt } from '#contract/receipts.ts'
import { brandOf, shownOperator } from '#server/brand/brand.ts'
import type { Db } from '#server/db/db.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { cardOf } from './charges.ts'

/** The credit notes of a member's charges by reference, oldest first. */
export async function creditNotesOf(
  world: Pick<World, 'config' | 'db'>,
  member_id: string,
): Promise<Map<string, Receipt['credit_notes']>> {
  const rows = await selectNotes(world.db).where('member.id', '=', member_id).orderBy('credit_note').execute()
  const byReference = Map.groupBy(rows, ({ reference }) => reference)
  return new Map([...byReference].map(([reference, own]) => [reference, own.map((row) => noteOf(world, row))]))
}

/** A credit note by its number, with the member it belongs to. */
export async function findCreditNote(world: World, number: number) {
  const row = await selectNotes(world.db).where('credit_note', '=', number).executeTakeFirst()
  if (!row) return undefined
  const { first_name, last_name, business_name } = row
  const note: CreditNote = {
    ...noteOf(world, row),
    lines: shareOf(await linesOf(world.db, row), row.amount_cents),
    receipt: {
      reference: row.reference,
      paid_on: dayOf(world, row.updated_at),
      ...(row.starts_on && row.ends_on && row.period > 0 ? { starts_on: row.starts_on, ends_on: row.ends_on } : {}),
      total: toAmount(row.paid_cents),
      ...cardOf(row),
    },
    member: { first_name, last_name, business_name },
    operator: shownOperator(world, await brandOf(world)),
  }
  return { member_id: row.member_id, note }
}

const selectNotes = (db: Db) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'refund.payment_reference')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .leftJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'member.id').onRef('period.n', '=', 'payment.period'),
    )
    .select(['credit_note', 'is_void', 'refund.amount_cents', 'ended_at', 'refund.created_at'])
    .select(['payment.reference', 'payment.amount_cents as paid_cents', 'payment.updated_at', 'payment.period'])
    .select(['card_brand', 'card_last_four', 'card_expires', 'starts_on', 'ends_on', 'period.lines', 'attempt'])
    .select(['member.id as member_id', 'first_name', 'last_name', 'business_name'])
    .where('credit_note', 'is not', null)

type NoteRow = Awaited<ReturnType<ReturnType<typeof selectNotes>['execute']>>[number]

const noteOf = (world: Pick<World, 'config'>, row: NoteRow) => ({
  number: row.credit_note ?? 0,
  issued_on: dayOf(world, row.ended_at ?? row.created_at),
  amount: toAmount(row.amount_cents),
  is_void: row.is_void,
})

type Line = { name: string; cents: number }

/** The lines of the receipt: the order's for the first charge, the period's for a renewal. */
async function linesOf(db: Db, { period, lines, member_id, attempt }: NoteRow): Promise<Line[]> {
  if (period > 0) return (lines ?? []).map(({ name, renewal_cents }) => ({ name, cents: renewal_cents }))
  return db
    .selectFrom('orders')
    .innerJoin('order_line', 'order_line.order_id', 'orders.id')
    .select(['name', 'price_cents as cents'])
    .where('member_id', '=', member_id)
    .where('attempt', '=', attempt)
    .orderBy('product_id')
    .execute()
}

/** A part of a charge takes the same share of each line, to the cent. A line that gets nothing is left out. */
export function shareOf(lines: Line[], amount_cents: number): CreditNote['lines'] {
  const total = lines.reduce((sum, { cents }) => sum + cents, 0)
  let [before, shared] = [0, 0]
  return lines.flatMap(({ name, cents }) => {
    before += cents
    const share = Math.round((amount_cents * before) / total) - shared
    shared += share
    return share ? [{ name, price: toAmount(share) }] : []
  })
}
