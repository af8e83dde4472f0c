import { type Brand, brands } from '#contract/card.ts'
import { toAmount } from '#contract/money.ts'
import type { ClockEvent, ClockMembership } from '#contract/pages.ts'
import { renewalTotal } from '#contract/renewal.ts'
import type { Tables } from '#server/db/tables.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

const MAX_EVENTS = 200
const MAX_MEMBERSHIPS = 50

/** Everything that happened to members, newest first. */
export async function listEvents(world: World): Promise<(ClockEvent & { at: Date })[]> {
  const [payments, members, emails] = await Promise.all([listPayments(world), listMembers(world), listEmails(world)])
  const explained = new Set<string>()
  const events = [...members, ...payments].map((event) => {
    const own = emails.filter((email) => !explained.has(email.id) && follows(email, event)).map(({ id }) => id)
    for (const id of own) explained.add(id) // when a decline ends a membership, the email is about the end
    return { ...event, emails: own }
  })
  const others = emails
    .filter(({ id }) => !explained.has(id))
    .map(({ id, ...email }) => ({ kind: 'email' as const, emails: [id], ...email }))
  return [...events, ...others]
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, MAX_EVENTS)
    .map(({ recipient, ...event }) => ({ ...event, day: dayOf(world, event.at) }))
}

const EMAIL_DELAY_MS = 60_000

type Addressed = { recipient: string; at: Date }
/** An email that was sent because of an event. */
const follows = (email: Addressed, { recipient, at }: Addressed) =>
  email.recipient === recipient && email.at >= at && email.at.getTime() - at.getTime() < EMAIL_DELAY_MS

/** The states of a renewal as events. An abandoned one was never charged, and is tried again. */
const kinds: Partial<Record<Tables['payment']['state'], ClockEvent['kind']>> = {
  captured: 'charged',
  declined: 'declined',
  authorizing: 'unanswered',
  unknown: 'unanswered',
  review: 'unanswered',
}

async function listPayments({ db }: World) {
  const rows = await db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .select([
      'username',
      'email as recipient',
      'payment.period',
      'payment.state',
      'amount_cents',
      'updated_at',
      'member.joined_at',
    ])
    .select(({ fn }) => [
      fn.coalesce('payment.card_brand', 'membership.card_brand').as('card_brand'),
      fn.coalesce('payment.card_last_four', 'membership.card_last_four').as('card_last_four'),
    ])
    .orderBy('updated_at', 'desc')
    .limit(MAX_EVENTS)
    .execute()
  return rows.flatMap(({ username, recipient, period, state, amount_cents, updated_at, joined_at, ...card }) => {
    const isFirst = period === 0 && (state === 'enrolled' || state === 'captured')
    const kind = isFirst ? 'joined' : period > 0 ? kinds[state] : undefined
    const at = isFirst ? joined_at : updated_at
    return kind ? [{ kind, at, username, recipient, amount: toAmount(amount_cents), ...cardOf(card) }] : []
  })
}

type CardColumns = { card_brand: string | null; card_last_four: string | null }
/** 'Visa 4242' */
const cardOf = ({ card_brand, card_last_four }: CardColumns) =>
  card_last_four ? { card: `${brands[card_brand as Brand]?.name ?? 'card'} ${card_last_four}` } : {}

async function listMembers({ db, now }: World) {
  const rows = await db
    .selectFrom('member')
    .select(['username', 'email as recipient', 'cancelled_at', 'ends_at'])
    .where(({ or, eb }) => or([eb('cancelled_at', 'is not', null), eb('ends_at', 'is not', null)]))
    .limit(MAX_EVENTS)
    .execute()
  return rows.flatMap(({ username, recipient, cancelled_at, ends_at }) => [
    ...(cancelled_at ? [{ kind: 'canceled' as const, at: cancelled_at, username, recipient }] : []),
    ...(ends_at && ends_at <= now() ? [{ kind: 'ended' as const, at: ends_at, username, recipient }] : []),
  ])
}

const listEmails = ({ db }: World) =>
  db
    .selectFrom('message')
    .select(['id', 'recipient', 'recipient as username', 'subject', 'created_at as at'])
    .where('channel', '=', 'mail')
    .orderBy('created_at', 'desc')
    .limit(2 * MAX_EVENTS)
    .execute()

/** How every membership stands now, the next to be charged first. */
export async function listMemberships({ db, config, now }: World): Promise<ClockMembership[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select(['username', 'membership.state', 'due_at', 'lines', 'on_hold_since', 'cancelled_at', 'ends_at'])
    .select('billing_interval')
    .orderBy('due_at', (order) => order.asc().nullsLast())
    .limit(MAX_MEMBERSHIPS)
    .execute()
  return rows.map(({ username, state, due_at, lines, on_hold_since, cancelled_at, ends_at, billing_interval }) => {
    const isOver = state === 'ended' || (ends_at !== null && ends_at <= now())
    return {
      username,
      state: isOver ? 'ended' : on_hold_since ? 'on_hold' : cancelled_at ? 'canceled' : state,
      amount: toAmount(renewalTotal(lines)),
      interval: billing_interval,
      ...(due_at && config.RENEWALS === 'on' ? { next_day: dayOf({ config }, due_at) } : {}),
    }
  })
}

/** When the next membership is charged, tried again or ended. */
export async function nextRenewal({ db, config, now }: World): Promise<Date | undefined> {
  if (config.RENEWALS === 'off') return undefined
  const { due_at } = await db
    .selectFrom('membership')
    .select(({ fn }) => fn.min<Date | null>('due_at').as('due_at'))
    .where('due_at', '>', now())
    .executeTakeFirstOrThrow()
  return due_at ?? undefined
}
