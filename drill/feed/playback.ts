import type { Db } from '#server/db/db.ts'
import { stateSql } from '#server/membership/state.ts'
import type { Reader } from './reader.ts'

/** Members and payments in one form, from the events and from the database. */
type Books = Record<'members' | 'captured' | 'refunds' | 'disputed' | 'states', string[]>

/** What a reader knows who has only heard the events. */
export function playBack(events: ReturnType<Reader['heard']>): Books {
  const members = new Set<string>()
  const captured = new Set<string>()
  const refunds = new Set<string>()
  const disputed = new Set<string>()
  const states = new Map<string, string>()
  for (const { type, member_id, payload } of events) {
    if (type === 'member.joined') {
      members.add(String(member_id))
      states.set(String(member_id), 'active')
    }
    if (type === 'payment.captured') captured.add(`${payload.reference} ${payload.amount}`)
    if (type === 'payment.refunded') refunds.add(`${payload.refund_id} refunded`)
    if (type === 'payment.voided') refunds.add(`${payload.refund_id} voided`)
    if (type === 'dispute.opened') disputed.add(payload.reference)
    if (type === 'dispute.closed' && payload.outcome === 'won') disputed.delete(payload.reference)
    if ('state' in payload) states.set(String(member_id), payload.state)
  }
  const sorted = (set: Set<string>) => [...set].sort()
  return {
    members: sorted(members),
    captured: sorted(captured),
    refunds: sorted(refunds),
    disputed: sorted(disputed),
    states: [...states].map((pair) => pair.join(' ')).sort(),
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
  const states = await db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'member_id')
    .select(['member_id', stateSql.as('seen')])
    .execute()
  const disputed = payments.filter(({ state }) => state === 'disputed')
  return {
    members: members.map(({ id }) => id).sort(),
    captured: payments.map(({ reference, amount_cents }) => `${reference} ${(amount_cents / 100).toFixed(2)}`).sort(),
    refunds: refunds.map(({ id, is_void }) => `${id} ${is_void ? 'voided' : 'refunded'}`).sort(),
    disputed: disputed.map(({ reference }) => reference).sort(),
    states: states.map(({ member_id, seen }) => `${member_id} ${seen}`).sort(),
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
