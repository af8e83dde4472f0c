import { sql } from 'kysely'
import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { addEvent } from '#server/events/events.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { chargePayload, transition } from '#server/payments/payments.ts'
import type { World } from '#server/world/world.ts'
import { isDispute } from './comparison.ts'

type Context = Pick<World, 'db' | 'log' | 'now'>
type JournalRow = Pick<
  Tables['payment'],
  'enrollment_id' | 'attempt' | 'reference' | 'state' | 'updated_at' | 'period' | 'amount_cents'
> & {
  member_id: string | null
}

/** Records disputes that the books show for the first time, and those that were won. Returns the payments as they are now. */
export async function recordDisputes<Row extends JournalRow>(
  context: Context,
  attempts: Row[],
  books: Transaction[],
): Promise<Row[]> {
  const byReference = Map.groupBy(books, ({ reference }) => reference)
  const current: Row[] = []
  for (const attempt of attempts) {
    const lines = byReference.get(attempt.reference) ?? []
    const isDisputed = lines.some((theirs) => isDispute(attempt, theirs))
    const hasMoney = lines.some(({ state }) => state === 'captured')
    if (attempt.state === 'captured' && isDisputed) current.push(await openDispute(context, attempt))
    else if (attempt.state === 'disputed' && hasMoney && !isDisputed) current.push(await winDispute(context, attempt))
    else current.push(attempt)
  }
  return current
}

/** Nothing more is charged until a person has decided. `updated_at` stays the time when it was paid. */
async function openDispute<Row extends JournalRow>(context: Context, attempt: Row): Promise<Row> {
  const { reference, member_id } = attempt
  const isNew = await inTransaction(context.db, async (db) => {
    if (!(await changeState({ ...context, db }, attempt, 'captured', 'disputed'))) return false
    await addEvent(db, context.now(), { type: 'dispute.opened', member_id, payload: chargePayload(attempt) })
    await recordChange({ ...context, db }, reference, true)
    if (member_id) await holdForDispute({ ...context, db }, member_id)
    return true
  })
  if (!isNew) return attempt
  context.log.error({ reference, member_id }, 'a payment is disputed; the membership is on hold')
  return { ...attempt, state: 'disputed' }
}

/** A canceled membership still ends on its day. */
async function holdForDispute({ db, now }: Pick<World, 'db' | 'now'>, member_id: string): Promise<void> {
  const since = now()
  const held = await db
    .updateTable('membership')
    .from('member')
    .set(({ eb }) => ({
      on_hold_since: since,
      hold_reason: 'dispute',
      due_at: eb.case().when('cancelled_at', 'is', null).then(null).else(eb.ref('due_at')).end(),
    }))
    .whereRef('member.id', '=', 'member_id')
    .where('member_id', '=', member_id)
    .where('on_hold_since', 'is', null)
    .returning('membership.state')
    .executeTakeFirst()
  if (!held) return
  await recordMembershipEvent(db, member_id, 'on_hold_dispute', since)
  const state = held.state === 'ended' ? 'ended' : 'on_hold'
  await addEvent(db, since, { type: 'membership.on_hold', member_id, payload: { why: 'dispute', state } })
  await addJob(db, 'hold_began', { member_id, why: 'dispute', since: since.toISOString() }, since)
}

/** The money is back. Whether the membership goes on is for a person to decide. */
async function winDispute<Row extends JournalRow>(context: Context, attempt: Row): Promise<Row> {
  const { reference, member_id } = attempt
  const isNew = await inTransaction(context.db, async (db) => {
    if (!(await changeState({ ...context, db }, attempt, 'disputed', 'captured'))) return false
    const payload = { ...chargePayload(attempt), outcome: 'won' as const }
    await addEvent(db, context.now(), { type: 'dispute.closed', member_id, payload })
    await recordChange({ ...context, db }, reference, false)
    return true
  })
  if (!isNew) return attempt
  context.log.warn({ reference, member_id }, 'a dispute was won; the membership stays on hold until a person decides')
  return { ...attempt, state: 'captured' }
}

const changeState = (
  { db, now }: Pick<World, 'db' | 'now'>,
  attempt: JournalRow,
  from: 'captured' | 'disputed',
  state: 'captured' | 'disputed',
) =>
  transition({ db, now: () => attempt.updated_at }, attempt, [from], {
    state,
    ...(state === 'disputed' ? { disputed_at: now(), dispute_won_at: null } : { dispute_won_at: now() }),
  })

/** Kept for good: a month is replayed from it. Always after the last one, even if this clock is behind. */
const recordChange = ({ db, now }: Pick<World, 'db' | 'now'>, payment_reference: string, is_open: boolean) =>
  sql`insert into dispute_change (payment_reference, is_open, changed_at)
    select ${payment_reference}, ${is_open}, greatest(${now()}, max(changed_at) + interval '1 millisecond')
    from dispute_change where payment_reference = ${payment_reference}`.execute(db)
