import { sql } from 'kysely'
import type { FeedEvent } from '#contract/events.ts'
import { toAmount } from '#contract/money.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import { stateSql } from '#server/membership/state.ts'

/** What other systems can know, in one form, from the events and from the database. */
type Books = Record<(typeof names)[number], string[]>
const names = [
  ...(['members', 'erased', 'states', 'sponsors', 'former links', 'changed prices'] as const),
  ...(['captured', 'refunds', 'disputed', 'paid periods', 'waived periods', 'declined renewals'] as const),
] as const

export type Told = Pick<FeedEvent, 'type' | 'member_id' | 'payload'>

/** What a reader knows from the events alone. */
export function playBack(events: readonly Told[]): Books {
  const sets = Object.fromEntries(names.map((name) => [name, new Set<string>()])) as Record<keyof Books, Set<string>>
  const states = new Map<string, string>()
  const sponsors = new Map<string, string>()
  const prices = new Map<string, { first: string; last: string }>()
  for (const event of events as readonly FeedEvent[]) {
    const { type, payload } = event
    const member_id = String(event.member_id)
    if ('state' in payload) states.set(member_id, payload.state)
    switch (type) {
      case 'member.joined':
        sets.members.add(member_id)
        states.set(member_id, 'active')
        sponsors.set(member_id, payload.sponsor_id)
        break
      case 'member.erased':
        sets.erased.add(member_id)
        break
      case 'sponsor.moved':
        sponsors.set(member_id, payload.sponsor_id)
        break
      case 'sponsor.renamed':
        if (event.member_id) sets['former links'].add(payload.former_sponsor_id).delete(payload.sponsor_id)
        break
      case 'membership.price_changed':
        prices.set(member_id, { first: prices.get(member_id)?.first ?? payload.former_price, last: payload.price })
        break
      case 'renewal.paid':
        sets['paid periods'].add(`${member_id} ${payload.period} from ${payload.starts_on}`)
        break
      case 'renewal.waived':
        sets['waived periods'].add(`${member_id} ${payload.period} from ${payload.starts_on}`)
        break
      case 'renewal.failed':
        sets['declined renewals'].add(payload.reference)
        break
      case 'payment.captured':
        sets.captured.add(`${payload.reference} ${payload.amount}`)
        break
      case 'payment.refunded':
        sets.refunds.add(`${payload.refund_id} refunded`)
        break
      case 'payment.voided':
        sets.refunds.add(`${payload.refund_id} voided`)
        break
      case 'dispute.opened':
        sets.disputed.add(payload.reference)
        break
      case 'dispute.closed':
        if (payload.outcome === 'won') sets.disputed.delete(payload.reference)
    }
  }
  for (const [member_id, state] of states) sets.states.add(`${member_id} ${state}`)
  for (const [member_id, sponsor_id] of sponsors) sets.sponsors.add(`${member_id} under ${sponsor_id}`)
  for (const [member_id, { first, last }] of prices)
    if (first !== last) sets['changed prices'].add(`${member_id} ${last}`)
  return Object.fromEntries(names.map((name) => [name, [...sets[name]].sort()])) as Books
}

export async function readBooks(db: Db): Promise<Books> {
  const members = await db
    .selectFrom('member')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .innerJoin('period', (join) => join.onRef('period.member_id', '=', 'member.id').on('n', '=', 0))
    .select(['member.id', 'sponsor_id', 'erased_at', 'membership.lines', 'period.lines as first_lines'])
    .select(stateSql.as('seen_state'))
    .execute()
  const periods = await db
    .selectFrom('period')
    .select(['member_id', 'n', 'starts_on', 'state'])
    .where('n', '>', 0)
    .execute()
  const payments = await db
    .selectFrom('payment')
    .select(['reference', 'amount_cents', 'state', 'period', 'captured_at'])
    .execute()
  const refunds = await db.selectFrom('refund').select(['id', 'is_void']).where('state', '=', 'done').execute()
  const links = await db
    .selectFrom('sponsor')
    .select('id')
    .where('member_id', 'is not', null)
    .where('renamed_to', 'is not', null)
    .execute()
  const periodsIn = (wanted: string) =>
    periods
      .filter(({ state }) => state === wanted)
      .map(({ member_id, n, starts_on }) => `${member_id} ${n} from ${starts_on}`)
  const price = (lines: Parameters<typeof renewalTotal>[0]) => toAmount(renewalTotal(lines))
  const books: Books = {
    members: members.map(({ id }) => id),
    erased: members.filter(({ erased_at }) => erased_at).map(({ id }) => id),
    states: members.map(({ id, seen_state }) => `${id} ${seen_state}`),
    sponsors: members.map(({ id, sponsor_id }) => `${id} under ${sponsor_id}`),
    'former links': links.map(({ id }) => id),
    'changed prices': members
      .filter(({ lines, first_lines }) => price(lines) !== price(first_lines))
      .map(({ id, lines }) => `${id} ${price(lines)}`),
    captured: payments
      .filter(({ captured_at }) => captured_at)
      .map(({ reference, amount_cents }) => `${reference} ${toAmount(amount_cents)}`),
    refunds: refunds.map(({ id, is_void }) => `${id} ${is_void ? 'voided' : 'refunded'}`),
    disputed: payments.filter(({ state }) => state === 'disputed').map(({ reference }) => reference),
    'paid periods': periodsIn('paid'),
    'waived periods': periodsIn('waived'),
    'declined renewals': payments
      .filter(({ period, state }) => period > 0 && state === 'declined')
      .map(({ reference }) => reference),
  }
  for (const lines of Object.values(books)) lines.sort()
  return books
}

/** Every line that only one of them has. */
export function compareBooks(heard: Books, real: Books): string[] {
  const missing = (from: Books, to: Books, words: string) =>
    names.flatMap((name) => {
      const others = new Set(to[name])
      return from[name].filter((line) => !others.has(line)).map((line) => `${name}: ${line} ${words}`)
    })
  return [...missing(real, heard, 'was never told'), ...missing(heard, real, 'is not in the database')]
}

/** From here on, keeps what is written: the site deletes events after 90 days of its clock. */
export async function keepEvents(db: Db): Promise<void> {
  await sql`create table kept_event (
    n bigint generated always as identity primary key, type text, member_id uuid, payload jsonb)`.execute(db)
  await sql`create function keep_event() returns trigger language plpgsql as $$
    begin
      insert into kept_event (type, member_id, payload) values (new.type, new.member_id, new.payload);
      return new;
    end $$`.execute(db)
  await sql`create trigger keep_event after insert on new_event for each row execute function keep_event()`.execute(db)
}

/** What changed without an event, or has an event but didn't happen. For a database with events from its first member on. */
export const findUntold = (db: Db, table: 'event' | 'kept_event' = 'event'): Promise<string[]> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read') // the server may still be writing
    .execute(async (db) => {
      const { rows } = await (table === 'kept_event'
        ? sql<Told>`select type, member_id, payload from kept_event order by n`
        : sql<Told>`select type, member_id, payload from (
            select 1 as part, position as n, type, member_id, payload from event
            union all select 2, written, type, member_id, payload from new_event) as told order by part, n`
      ).execute(db)
      return compareBooks(playBack(rows), await readBooks(db))
    })
