import type { MemberPage } from '#contract/console/member-page.ts'
import { plainDay } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import { addJob, type JobKind } from '#server/jobs/queue.ts'
import { waivedOf } from '#server/membership/summary.ts'
import { Refusal } from '#server/refusal.ts'
import { dayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { emailTexts } from './email-texts.ts'
import { actOnMember } from './member-actions.ts'
import {
  type FoundMember,
  type FoundPayment,
  type FoundRefund,
  findMember,
  paymentsOf,
  refundsOf,
} from './member-rows.ts'

type Payload = Record<string, string | number>
/** An email that can be made again. `at`: what it is about happened then. */
type Repeatable = { kind: JobKind; reference?: string; payload?: Payload; text?: string; at?: Date }

type Journal = { payments: FoundPayment[]; refunds: FoundRefund[] }

/** Those that are still true. An alarm, such as about a changed password, is sent once and never again. */
export function repeatableEmails(
  world: Pick<World, 'config'>,
  member: FoundMember,
  { payments, refunds }: Journal,
): Repeatable[] {
  const { state, cancelled_at, enrollment_id } = member
  const isRenewing = ['active', 'past_due'].includes(state) && !cancelled_at && member.lines.length > 0
  const waived = waivedOf(member)
  const paid = payments.filter(
    ({ period, state }) => period > 0 && ['captured', 'refunded', 'disputed'].includes(state),
  )
  const declined = payments.find((payment) => payment.state === 'declined' && payment.period === member.period)
  const about = (kind: JobKind, { reference, attempt, updated_at, amount_cents }: FoundPayment): Repeatable => ({
    kind,
    reference,
    payload: { enrollment_id, attempt },
    at: updated_at,
    text: `${showAmount(toAmount(amount_cents))}, ${plainDay(dayOf(world, updated_at))}`,
  })
  return [
    ...(isImported(payments) ? [] : [{ kind: 'welcome' as const }, { kind: 'consent' as const }]),
    ...(member.email_confirmed_at || !isOfficeOurs(world.config) ? [] : [{ kind: 'confirm_address' as const }]),
    ...paid.map((payment) => about('renewed', payment)),
    ...(state === 'past_due' && declined ? [about('renewal_declined', declined)] : []),
    ...refunds
      .filter((refund) => refund.state === 'done')
      .map(({ id, amount_cents, ended_at, created_at }) => ({
        kind: 'refunded' as const,
        reference: id,
        payload: { refund_id: id },
        at: ended_at ?? created_at,
        text: `${showAmount(toAmount(amount_cents))}, ${plainDay(dayOf(world, ended_at ?? created_at))}`,
      })),
    ...(cancelled_at && state !== 'ended' ? [{ kind: 'cancelled' as const }] : []),
    ...(state === 'ended'
      ? [{ kind: 'membership_ended' as const, payload: { why: cancelled_at ? 'canceled' : 'unpaid' } }]
      : []),
    ...(waived && isRenewing ? [{ kind: 'waived' as const, payload: waived }] : []),
    ...(isRenewing ? [{ kind: 'yearly_reminder' as const }] : []),
    ...(isRenewing && member.card_expires ? [{ kind: 'card_expires' as const }] : []),
  ]
}

/** Then nothing was ordered or accepted here. */
const isImported = (payments: FoundPayment[]) => !payments.some(({ period }) => period === 0)

/** 'welcome', 'renewed:…': how the page names an email. */
const idOf = ({ kind, reference }: Repeatable) => (reference ? `${kind}:${reference}` : kind)

export const toEmails = (emails: Repeatable[]): MemberPage['emails'] =>
  emails.map((email) => ({
    email_id: idOf(email),
    text: [emailTexts[email.kind] ?? email.kind, email.text].filter(Boolean).join(', '),
  }))

/** The email that was sent at a time, if it can be sent again: the newest of its kind that it can have been about. */
export function emailSentAt(emails: Repeatable[], kind: string, sent_at: Date): string | undefined {
  const candidates = emails.filter((email) => email.kind === kind && (!email.at || email.at <= sent_at))
  const [newest] = candidates.sort((a, b) => Number(b.at ?? 0) - Number(a.at ?? 0))
  return newest && idOf(newest)
}

type Wanted = { member_id: string; email_id: string }

/** Writes the email again from current data, and sends it to the member's current address. */
export const resendEmail = (world: World, { member_id, email_id }: Wanted, session: StaffSession) =>
  actOnMember(world, session, { act: 'resend_email', member_id }, async (world) => {
    const { db, now } = world
    const member = await findMember(db, member_id)
    if (!member) throw new Refusal(404, 'There is no such member.')
    const [payments, refunds] = [await paymentsOf(db, member.enrollment_id), await refundsOf(db, member.enrollment_id)]
    const emails = repeatableEmails(world, { ...member, id: member_id }, { payments, refunds })
    const email = emails.find((each) => idOf(each) === email_id)
    if (!email) throw new Refusal(409, 'This email cannot be sent again. Please reload the page.')
    await addJob(db, email.kind, { ...email.payload, member_id } as never, now())
    return { after: { email: email_id } }
  })
