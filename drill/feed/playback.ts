import type { Db } from '#server/db/db.ts'
import type { Reader } from './reader.ts'

/** Members and payments in one form, from the events and from the database. */
type Books = Record<'members' | 'captured' | 'refunds' | 'disputed' | 'on hold', string[]>

/** What a reader knows who has only heard the events. */
export function playBack(events: ReturnType<Reader['heard']>): Books {
  const members = new Set<string>()
  const captured = new Set<string>()
  const refunds = new Set<string>()
  const disputed = new Set<string>()
  const onHold = new Set<string>()
  for (const { type, member_id, payload } of events) {
    if (type === 'member.joined') members.add(String(member_id))
    if (type === 'payment.captured') captured.add(`${payload.reference} ${payload.amount}`)
    if (type === 'payment.refunded') refunds.add(`${payload.refund_id} refunded`)
    if (type === 'payment.voided') refunds.add(`${payload.refund_id} voided`)
    if (type === 'dispute.opened') disputed.add(payload.reference)
    if (type === 'dispute.closed' && payload.outcome === 'won') disputed.delete(payload.reference)
    if (type === 'membership.on_hold') onHold.add(String(member_id))
  }
  const sorted = (set: Set<string>) => [...set].sort()
  return {
    members: sorted(members),
    captured: sorted(captured),
    refunds: sorted(refunds),
    disputed: sorted(disputed),
    'on hold': sorted(onHold),
  }
}

export async function readBooks(db: Db): Promise<Books> {
  const members = await db.selectFrom('member').select('id').execute()
  const payments = await db
    .selectFrom('payment')
    .select(['reference', 'amount_cents', 'state'])
    .where('captured_at', 'is not', null)
    .execute()
  const refunds = await db.selectFrom('refund').select(['id', 'is_void']).where('state', '=', 'done').execute()
  const holds = await db.selectFrom('membership').select('member_id').where('on_hold_since', 'is not', null).execute()
  const disputed = payments.filter(({ state }) => state === 'disputed')
  return {
    members: members.map(({ id }) => id).sort(),
    captured: payments.map(({ reference, amount_cents }) => `${reference} ${(amount_cents / 100).toFixed(2)}`).sort(),
    refunds: refunds.map(({ id, is_void }) => `${id} ${is_void ? 'voided' : 'refunded'}`).sort(),
    disputed: disputed.map(({ reference }) => reference).sort(),
    'on hold': holds.map(({ member_id }) => member_id).sort(),
  }
}

/** Every line that only one of them has. */
export function compareBooks(heard: Books, real: Books): string[] {
  const missing = (from: Books, to: Books, words: string) =>
    Object.entries(from).flatMap(([name, lines]) => {
      const others = new Set(to[name as keyof Books])
      return lines.filter((line) => !others.has(line)).map((line) => `${name}: ${line} ${words}`)
    })
  return [...missing(real, heard, 'was never heard'), ...missing(heard, real, 'is not in the database')]
}
