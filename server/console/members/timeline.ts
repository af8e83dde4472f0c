import type { TimelineEntry } from '#contract/console/member-page.ts'
import { type ActionName, actions, isAction } from '#contract/console/permissions.ts'
import { plainDay } from '#contract/days.ts'
import { toAmount } from '#contract/money.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import { isMembershipEvent, type MembershipEvent, membershipEvents } from '#server/audit/membership-history.ts'
import type { Db } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { eventKinds, isEventKind } from '#server/security/security-log.ts'
import type { TouchRow } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'
import { emailTexts } from './email-texts.ts'
import { emailSentAt, type repeatableEmails } from './member-emails.ts'
import { brandName } from './member-list.ts'
import { type FoundMember, type FoundPayment, type FoundRefund, isVoided, showDecline } from './member-rows.ts'

/** The newest entries that a page shows, next to the whole history of the membership. */
const MAX_ENTRIES = 200

type Journal = {
  emails: ReturnType<typeof repeatableEmails>
  payments: FoundPayment[]
  refunds: FoundRefund[]
  touches: TouchRow[]
}

/** Everything that happened to a member, newest first. */
export async function timelineOf(
  { db }: Pick<World, 'db'>,
  member: FoundMember,
  { emails, payments, refunds, touches }: Journal,
): Promise<TimelineEntry[]> {
  const [history, events, securityEvents, staffActions] = await Promise.all([
    eventsOf(db, member.id).where('kind', '=', 'membership').execute(),
    eventsOf(db, member.id).where('kind', '<>', 'membership').limit(MAX_ENTRIES).execute(),
    securityEventsOf(db, member.id),
    actionsOn(db, member.id),
  ])
  /** Each list oldest first, and what leads to something before it: that is the order of two entries of the same instant. */
  const entries: TimelineEntry[] = [
    ...touches.map(({ site, why, touched_at }) =>
      entry('link', touched_at, touchTexts[why] ?? 'Opened a link', { detail: `/${site}` }),
    ),
    entry('membership', member.joined_at, 'Joined', {
      detail: member.joined_name ?? member.sponsor_name,
      tone: 'good',
    }),
    ...payments.map((payment) => paymentEntry(payment, isVoided(payment, refunds))).reverse(),
    ...staffActions
      .filter(({ act }) => act !== 'void_payment')
      .map(actionEntry)
      .reverse(),
    ...refunds.flatMap((refund) => refundEntries(refund, staffActions)),
    ...payments.flatMap(disputeEntries),
    ...membershipEntries(member, history.reverse(), staffActions),
    ...securityEvents.reverse(),
    ...events.map(({ at, kind, what }) => eventEntry(at, kind, what, emails)).reverse(),
  ]
  return entries
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .reverse()
    .filter(({ kind }, n) => n < MAX_ENTRIES || kind === 'membership')
}

/** Staff actions that are also membership events. We show the action, because it says who and why. */
const eventOfAction: Partial<Record<ActionName, MembershipEvent>> = {
  cancel_membership: 'canceled',
  resume_membership: 'cancellation_undone',
  hold_membership: 'on_hold',
  release_membership: 'hold_released',
}
const SAME_MOMENT_MS = 10_000
const isSameMoment = (a: Date, b: Date) => Math.abs(a.getTime() - b.getTime()) < SAME_MOMENT_MS

const goodEvents: MembershipEvent[] = ['cancellation_undone', 'hold_released', 'returned']
const badEvents: MembershipEvent[] = ['on_hold', 'on_hold_dispute', 'ended']

function membershipEntries(member: FoundMember, history: Event[], staffActions: StaffAction[]): TimelineEntry[] {
  const recorded = history.flatMap(({ at, what }) => (isMembershipEvent(what) ? [{ at, what }] : []))
  const isByStaff = ({ at, what }: { at: Date; what: MembershipEvent }) =>
    staffActions.some(
      ({ act, at: done_at }) => isAction(act) && eventOfAction[act] === what && isSameMoment(at, done_at),
    )
  return [...recorded, ...earlierEvents(member, recorded)]
    .filter((event) => !isByStaff(event))
    .map(({ at, what }) =>
      entry('membership', at, membershipEvents[what], {
        tone: goodEvents.includes(what) ? 'good' : badEvents.includes(what) ? 'bad' : 'plain',
      }),
    )
}

/** Those that the membership's row shows and that happened before events were recorded. */
function earlierEvents(member: FoundMember, recorded: { at: Date; what: MembershipEvent }[]) {
  const { cancelled_at, on_hold_since, hold_reason, ends_at, state } = member
  const isRecorded = (from: Date, ...names: MembershipEvent[]) =>
    recorded.some(({ at, what }) => names.includes(what) && at >= from)
  const hold: MembershipEvent = hold_reason === 'dispute' ? 'on_hold_dispute' : 'on_hold'
  const candidates: [at: Date | null, what: MembershipEvent][] = [
    [cancelled_at, 'canceled'],
    [on_hold_since, hold],
    [state === 'ended' ? ends_at : null, 'ended'],
  ]
  return candidates.flatMap(([at, what]) => (at && !isRecorded(at, what) ? [{ at, what }] : []))
}

const entry = (
  kind: TimelineEntry['kind'],
  at: Date,
  what: string,
  more: Partial<Omit<TimelineEntry, 'kind' | 'at' | 'what'>>,
): TimelineEntry => ({ kind, at: at.toISOString(), what, tone: 'plain', ...more })

const touchTexts: Record<string, string> = {
  opened: 'Opened a sponsor’s link',
  chosen: 'Chose the sponsor',
  ordered: 'Ordered through the link',
  imported: 'Sponsor in the imported file',
}

const COLLECTED = 'Payment collected'

/** What happened at the time of the payment. A refund, a void or a dispute has an entry of its own. */
const paymentTexts: { [State in PaymentState]: [text: string, tone: TimelineEntry['tone']] } = {
  reserved: ['Payment started', 'plain'],
  authorizing: ['Payment sent to the gateway', 'plain'],
  authorized: ['Payment authorized', 'plain'],
  enrolled: ['Payment authorized', 'good'],
  captured: [COLLECTED, 'good'],
  declined: ['Payment declined', 'bad'],
  unknown: ['Payment without an answer', 'bad'],
  review: ['Payment held for review', 'bad'],
  abandoned: ['Payment given up', 'plain'],
  voided: ['Payment voided', 'plain'],
  capture_failed: ['Payment could not be collected', 'bad'],
  refunded: [COLLECTED, 'good'],
  disputed: [COLLECTED, 'good'],
}

function paymentEntry(payment: FoundPayment, isVoided: boolean): TimelineEntry {
  const [what, tone] = paymentTexts[isVoided ? 'enrolled' : payment.state]
  const { card_last_four, period, decline_class, issuer_code } = payment
  const detail = [
    period ? `renewal ${period}` : 'first charge',
    card_last_four && `${brandName(payment.card_brand)} ${card_last_four}`,
    decline_class && showDecline(decline_class, issuer_code),
    payment.reference,
  ]
  return entry('money', payment.updated_at, what, {
    amount: toAmount(payment.amount_cents),
    detail: detail.filter(Boolean).join(' · '),
    tone,
  })
}

const disputeEntries = ({ disputed_at, dispute_won_at, amount_cents, reference }: FoundPayment): TimelineEntry[] => {
  const more = { amount: toAmount(amount_cents), detail: reference }
  return [
    ...(disputed_at
      ? [entry('money', disputed_at, 'Dispute reported by the gateway', { ...more, tone: 'bad' as const })]
      : []),
    ...(dispute_won_at
      ? [entry('money', dispute_won_at, 'Dispute won, reported by the gateway', { ...more, tone: 'good' as const })]
      : []),
  ]
}

const refundTexts: Record<FoundRefund['state'], string> = {
  requested: 'Refund requested',
  done: 'Refund made',
  refused: 'Refund refused by the gateway',
}

const voidTexts: Record<FoundRefund['state'], string> = {
  requested: 'Void requested',
  done: 'Payment voided before it was collected',
  refused: 'Void refused by the gateway',
}

/** A refund may be made days after it was requested; a void is one event. */
function refundEntries(refund: FoundRefund, staffActions: StaffAction[]): TimelineEntry[] {
  const { is_void, state, created_at, ended_at, payment_reference } = refund
  const action = staffActions.find(
    ({ act, at, after }) =>
      (act === 'void_payment' || act === 'refund_payment') &&
      after?.payment === payment_reference &&
      isSameMoment(at, created_at),
  )
  if (!ended_at && action && !is_void) return [] // the staff action shows it
  return [
    entry('money', ended_at ?? created_at, is_void ? voidTexts[state] : refundTexts[state], {
      amount: toAmount(refund.amount_cents),
      detail: [refund.credit_note && showCreditNote(refund.credit_note), payment_reference].filter(Boolean).join(' · '),
      reason: refund.reason,
      who: action?.who ?? refund.who,
      tone: state === 'refused' ? 'bad' : 'plain',
    }),
  ]
}

const eventsOf = (db: Db, member_id: string) =>
  db.selectFrom('member_event').select(['at', 'kind', 'what']).where('member_id', '=', member_id).orderBy('at', 'desc')
type Event = Awaited<ReturnType<ReturnType<typeof eventsOf>['execute']>>[number]

function eventEntry(at: Date, kind: Event['kind'], what: string, emails: Journal['emails']): TimelineEntry {
  if (kind === 'sign_in') return entry('sign_in', at, 'Signed in to the office', {})
  const email_id = emailSentAt(emails, what, at)
  const text = emailTexts[what as keyof typeof emailTexts] ?? 'Email'
  return entry('email', at, `${text} sent`, email_id ? { email_id } : {})
}

/** Sign-ins are among the other events. */
async function securityEventsOf(db: Db, member_id: string): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('security_event')
    .select(['at', 'kind', 'count'])
    .where('member_id', '=', member_id)
    .where('kind', 'not in', ['sign_in', 'grant_used', 'grant_minted'])
    .orderBy('at', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  return rows.map(({ at, kind, count }) =>
    entry('sign_in', at, isEventKind(kind) ? eventKinds[kind].text : kind, {
      ...(count > 1 ? { detail: `${count} times` } : {}),
      tone: kind.endsWith('_failed') || kind.endsWith('_refused') ? 'bad' : 'plain',
    }),
  )
}

type Facts = Record<string, unknown>

async function actionsOn(db: Db, member_id: string) {
  const rows = await db
    .selectFrom('audit')
    .leftJoin('staff', 'staff.id', 'audit.staff_id')
    .select(['at', 'act', 'details', 'staff.name', 'audit.role'])
    .where('subject_kind', '=', 'member')
    .where('subject', '=', member_id)
    .orderBy('position', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  return rows.map(({ details, name, role, ...row }) => {
    const facts: { reason?: string; before?: Facts; after?: Facts } = JSON.parse(details ?? '{}')
    return { ...row, ...facts, who: name ? `${name}, ${role}` : role }
  })
}
type StaffAction = Awaited<ReturnType<typeof actionsOn>>[number]

const day = (value: unknown) => plainDay(String(value))

const actionDetails: Partial<Record<ActionName, (before: Facts, after: Facts) => string>> = {
  move_sponsor: (before, after) => `/${before.sponsor} to /${after.sponsor}`,
  change_placement: (before, after) => `${before.side} to ${after.side}`,
  waive_period: (_before, after) => `${day(after.starts_on)} to ${day(after.ends_on)}`,
  move_renewal_day: (before, after) => `${day(before.renews_on)} to ${day(after.renews_on)}`,
  resend_email: (_before, after) => String(after.email),
  change_details: (_before, after) => namesOf(after),
}

function actionEntry({ at, act, reason, before = {}, after = {}, who }: StaffAction): TimelineEntry {
  const detail = isAction(act) ? actionDetails[act]?.(before, after) : undefined
  return entry('staff', at, isAction(act) ? actions[act].text : act, {
    ...(reason ? { reason } : {}),
    ...(typeof after.amount === 'string' ? { amount: after.amount } : {}),
    ...(detail ? { detail } : {}),
    who,
  })
}

/** 'email, mobile phone': which fields, not what was in them. */
const namesOf = (facts: Record<string, unknown>) => Object.keys(facts).join(', ').replaceAll('_', ' ')
