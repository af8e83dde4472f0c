import type { TimelineEntry } from '#contract/console/member-page.ts'
import { actions, isAction } from '#contract/console/permissions.ts'
import { toAmount } from '#contract/money.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import type { Db } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { eventKinds, isEventKind } from '#server/security/security-log.ts'
import type { TouchRow } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'
import { emailSentAt, emailTexts, type repeatableEmails } from './member-emails.ts'
import { brandName } from './member-list.ts'
import { type FoundMember, type FoundPayment, type FoundRefund, isVoided } from './member-rows.ts'

/** The newest entries that a page shows. */
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
  const [events, securityEvents, staffActs] = await Promise.all([
    eventsOf(db, member.id, emails),
    securityEventsOf(db, member.id),
    actsOn(db, member.id),
  ])
  const entries: TimelineEntry[] = [
    ...touches.map(({ site, why, touched_at }) =>
      entry('link', touched_at, touchTexts[why] ?? 'Opened a link', { detail: `/${site}` }),
    ),
    entry('membership', member.joined_at, 'Joined', {
      detail: member.joined_name ?? member.sponsor_name,
      tone: 'good',
    }),
    ...payments.map((payment) => paymentEntry(payment, isVoided(payment, refunds))),
    ...payments.flatMap(disputeEntries),
    ...refunds.map(refundEntry),
    ...(member.cancelled_at ? [entry('membership', member.cancelled_at, 'Canceled the membership', {})] : []),
    ...(member.ends_at && member.state === 'ended'
      ? [entry('membership', member.ends_at, 'The membership ended', { tone: 'bad' as const })]
      : []),
    ...events,
    ...securityEvents,
    ...staffActs,
  ]
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, MAX_ENTRIES)
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
}

const paymentTexts: { [State in PaymentState]: [text: string, tone: TimelineEntry['tone']] } = {
  reserved: ['Payment started', 'plain'],
  authorizing: ['Payment sent to the gateway', 'plain'],
  authorized: ['Payment authorized', 'plain'],
  enrolled: ['Payment authorized', 'good'],
  captured: ['Payment collected', 'good'],
  declined: ['Payment declined', 'bad'],
  unknown: ['Payment without an answer', 'bad'],
  review: ['Payment held for review', 'bad'],
  abandoned: ['Payment given up', 'plain'],
  voided: ['Payment voided', 'plain'],
  capture_failed: ['Payment could not be collected', 'bad'],
  refunded: ['Payment collected, refunded since', 'plain'],
  disputed: ['Payment disputed', 'bad'],
}

function paymentEntry(payment: FoundPayment, isVoided: boolean): TimelineEntry {
  const [what, tone] = paymentTexts[isVoided ? 'voided' : payment.state]
  const { card_last_four, period, decline_class, issuer_code } = payment
  const detail = [
    period ? `renewal ${period}` : 'first charge',
    card_last_four && `${brandName(payment.card_brand)} ${card_last_four}`,
    decline_class && [decline_class, issuer_code].filter(Boolean).join(', code '),
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
    ...(disputed_at ? [entry('money', disputed_at, 'Dispute opened', { ...more, tone: 'bad' as const })] : []),
    ...(dispute_won_at ? [entry('money', dispute_won_at, 'Dispute won', { ...more, tone: 'good' as const })] : []),
  ]
}

const refundTexts: Record<FoundRefund['state'], string> = {
  requested: 'Refund requested',
  done: 'Refund made',
  refused: 'Refund refused by the gateway',
}

const voidTexts: Record<FoundRefund['state'], string> = {
  requested: 'Void requested',
  done: 'Voided before it was collected',
  refused: 'Void refused by the gateway',
}

const refundEntry = (refund: FoundRefund): TimelineEntry =>
  entry(
    'money',
    refund.ended_at ?? refund.created_at,
    refund.is_void ? voidTexts[refund.state] : refundTexts[refund.state],
    {
      amount: toAmount(refund.amount_cents),
      detail: [refund.credit_note && showCreditNote(refund.credit_note), refund.payment_reference]
        .filter(Boolean)
        .join(' · '),
      reason: refund.reason,
      who: refund.who,
      tone: refund.state === 'refused' ? 'bad' : 'plain',
    },
  )

async function eventsOf(db: Db, member_id: string, emails: Journal['emails']): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('member_event')
    .select(['at', 'kind', 'what'])
    .where('member_id', '=', member_id)
    .orderBy('at', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  return rows.map(({ at, kind, what }) => {
    if (kind === 'sign_in') return entry('sign_in', at, 'Signed in to the office', {})
    const email_id = emailSentAt(emails, what, at)
    const text = emailTexts[what as keyof typeof emailTexts] ?? 'Email'
    return entry('email', at, `${text} sent`, email_id ? { email_id } : {})
  })
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

async function actsOn(db: Db, member_id: string): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .leftJoin('staff', 'staff.id', 'audit.staff_id')
    .select(['at', 'act', 'details', 'staff.name', 'audit.role'])
    .where('subject_kind', '=', 'member')
    .where('subject', '=', member_id)
    .orderBy('position', 'desc')
    .limit(MAX_ENTRIES)
    .execute()
  return rows.map(({ at, act, details, name, role }) => {
    type Facts = Record<string, unknown>
    const { reason, before, after }: { reason?: string; before?: Facts; after?: Facts } = JSON.parse(details ?? '{}')
    return entry('staff', at, isAction(act) ? actions[act].text : act, {
      ...(reason ? { reason } : {}),
      ...(typeof after?.amount === 'string' ? { amount: after.amount } : {}),
      ...(act === 'move_sponsor' ? { detail: `/${before?.sponsor} to /${after?.sponsor}` } : {}),
      ...(act === 'waive_period' ? { detail: `${after?.starts_on} to ${after?.ends_on}` } : {}),
      ...(act === 'move_renewal_day' ? { detail: `${before?.renews_on} to ${after?.renews_on}` } : {}),
      ...(act === 'resend_email' ? { detail: String(after?.email) } : {}),
      ...(act === 'change_details' ? { detail: namesOf(after ?? {}) } : {}),
      who: name ? `${name}, ${role}` : role,
    })
  })
}

/** 'email, mobile phone': which fields, not what was in them. */
const namesOf = (facts: Record<string, unknown>) => Object.keys(facts).join(', ').replaceAll('_', ' ')
