import type { MemberPage, PaymentRow } from '#contract/console/member-page.ts'
import { toAmount } from '#contract/money.ts'
import { addDays, renewalTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { findNewestLink } from '#server/members/email-links.ts'
import { factorsOf } from '#server/members/factors.ts'
import { disputeDays } from '#server/membership/charges.ts'
import { stepOnRelease } from '#server/membership/hold.ts'
import { isPaidOnce } from '#server/membership/lines.ts'
import { startsOn } from '#server/membership/next-step.ts'
import { linesOn } from '#server/membership/prices.ts'
import { freeDaysGiven } from '#server/membership/renewal-day.ts'
import { waivedOf } from '#server/membership/summary.ts'
import { AWAITING_GATEWAY } from '#server/payments/payments.ts'
import { mayRefund, mayVoid } from '#server/payments/refunds.ts'
import { Refusal } from '#server/refusal.ts'
import { findTouches } from '#server/sponsors/touches.ts'
import { dayOf, lastDayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { detailsVersion } from './member-details.ts'
import { repeatableEmails, toEmails } from './member-emails.ts'
import { brandName } from './member-list.ts'
import {
  type FoundMember,
  type FoundPayment,
  type FoundRefund,
  findMember,
  isVoided,
  paymentsOf,
  refundsOf,
  showDecline,
} from './member-rows.ts'
import { placementOf } from './placement-moves.ts'
import { creditOf } from './sponsor-moves.ts'
import { timelineOf } from './timeline.ts'

/** Everything about a member. */
export async function viewMember(world: World, member_id: string): Promise<MemberPage> {
  const { db, config } = world
  const member = await findMember(db, member_id)
  if (!member) throw new Refusal(404, 'There is no such member.')
  const [payments, refunds, accepted, sessions, factors, touches, emailLink, free_days_given, is_paid_once] =
    await Promise.all([
      paymentsOf(db, member.enrollment_id),
      refundsOf(db, member.enrollment_id),
      acceptedTexts(db, member_id),
      countSessions(world, member_id),
      factorsOf(db, member_id),
      findTouches(db, member.enrollment_id),
      findNewestLink(world, 'email', member_id),
      freeDaysGiven(db, member_id, todayOf(world), member.period),
      isPaidOnce(db, { member_id, lines: member.lines }),
    ])
  const emails = member.erased_at ? [] : repeatableEmails(world, { ...member, id: member_id }, { payments, refunds })
  return {
    id: member_id,
    first_name: member.first_name,
    last_name: member.last_name,
    business_name: member.business_name,
    username: member.username,
    email: member.email,
    is_email_confirmed: member.email_confirmed_at !== null,
    ...(member.email_bounced_at && member.email_bounce
      ? { email_bounce: member.email_bounce, email_bounced_on: dayOf(world, member.email_bounced_at) }
      : {}),
    mobile_phone: member.mobile_phone,
    details_version: detailsVersion({ ...member, state: member.address_state }, emailLink?.email),
    ...(emailLink?.email ? { unconfirmed_email: emailLink.email } : {}),
    postal: {
      address: member.address,
      address2: member.address2,
      city: member.city,
      state: member.address_state,
      post_code: member.post_code,
      country: member.country,
    },
    joined_at: member.joined_at.toISOString(),
    ...(member.erased_at ? { erased_on: dayOf(world, member.erased_at) } : {}),
    sponsor: { site: member.site, name: member.sponsor_name },
    credit: await creditOf(db, { ...member, id: member_id }, touches),
    placement: await placementOf(db, member_id),
    link: `${config.PUBLIC_URL}/${member.username}`,
    sessions,
    has_second_factor: factors.has_app || factors.has_passkey,
    membership: membershipOf(world, { ...member, free_days_given, is_paid_once }, payments),
    payments: payments
      .map((payment) => toPayment(world, payment, refunds))
      .map(({ refundable, ...payment }) => ({
        ...payment,
        ...(refundable && !member.erased_at ? { refundable } : {}),
      })),
    accepted,
    emails: toEmails(emails),
    timeline: await timelineOf(world, { ...member, id: member_id }, { emails, payments, refunds, touches }),
  }
}

type Found = Omit<FoundMember, 'id'> & { free_days_given: number; is_paid_once: boolean }

function membershipOf(world: World, member: Found, payments: FoundPayment[]): MemberPage['membership'] {
  const waived = waivedOf(member)
  const lines = linesOn(member.lines, waived?.ends_on ?? member.ends_on ?? '') // at the price of the next charge
  const { state, due_at, ends_at, hold_reason, starts_on, ends_on, period_state } = member
  const isEnding = member.cancelled_at !== null
  return {
    state,
    price: toAmount(renewalTotal(lines)),
    interval: member.billing_interval,
    lines: lines.map(({ name, renewal_cents }) => ({ name, price: toAmount(renewal_cents) })),
    announced: member.lines.flatMap(({ name, announced }) =>
      announced
        ? [
            {
              name,
              price: toAmount(announced.renewal_cents),
              from_on: announced.from_on,
              is_told: !announced.is_untold,
            },
          ]
        : [],
    ),
    ...(starts_on && ends_on && period_state ? { period: { starts_on, ends_on, state: period_state } } : {}),
    ...(due_at && !isEnding && state !== 'ended' ? { next_charge_on: waived?.ends_on ?? dayOf(world, due_at) } : {}),
    ...(waived ? { waived } : {}),
    ...adjustments(world, member, payments),
    ...(ends_at ? { ends_on: lastDayOf(world, ends_at) } : {}),
    ...(hold_reason ? { hold_reason } : {}),
    ...(member.card_last_four
      ? {
          card: {
            brand: brandName(member.card_brand),
            last_four: member.card_last_four,
            ...(member.card_expires ? { expires: member.card_expires } : {}),
          },
        }
      : {}),
    may_cancel: state !== 'ended' && !isEnding,
    may_resume: state !== 'ended' && isEnding,
    may_hold: state !== 'ended' && !member.on_hold_since,
    may_release: state !== 'ended' && member.on_hold_since !== null,
    ...(state !== 'ended' && member.on_hold_since ? { on_release: onRelease(world, member) } : {}),
  }
}

/** A forbidden card isn't tried again: the unpaid period just runs out. */
function onRelease(world: World, member: Found): MemberPage['membership']['on_release'] {
  const next = stepOnRelease(world, { ...member, state: 'active', period_state: member.period_state ?? 'paid' })
  const end = member.is_paid_once ? 'stop' : 'end'
  if (next.step === 'wait') return { step: member.never_retry_since ? end : 'wait', until: next.until }
  return { step: next.step === 'end' ? end : next.step }
}

/** What staff can change about the next charge. The act itself looks again. */
function adjustments(world: World, member: Found, payments: FoundPayment[]) {
  const { state, anchor_on, period, period_state, free_days_given } = member
  const next_on = startsOn(member, period + 1)
  const paid_until = addDays(next_on, -(member.free_days ?? 0))
  const isRenewing = ['active', 'past_due'].includes(state) && member.lines.length > 0 && !member.cancelled_at
  const isCharging = payments.some((payment) => payment.period > 0 && AWAITING_GATEWAY.includes(payment.state))
  const mayAdjust = isRenewing && !isCharging && world.config.RENEWALS === 'on' && next_on > todayOf(world)
  const n = period_state === 'due' ? period : period + 1
  return {
    ...(mayAdjust && !waivedOf(member)
      ? { may_waive: { starts_on: startsOn(member, n), ends_on: startsOn(member, n + 1) } }
      : {}),
    ...(mayAdjust && period_state !== 'due' ? { may_move_day: { paid_until, free_days_given } } : {}),
    day_of_month: Number(anchor_on.slice(8)),
  }
}

function toPayment(world: World, payment: FoundPayment, allRefunds: FoundRefund[]): PaymentRow {
  const refunds = allRefunds.filter(({ payment_reference }) => payment_reference === payment.reference)
  const sum = (state: Tables['refund']['state']) =>
    refunds.filter((refund) => refund.state === state).reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  const left = payment.amount_cents - payment.refunded_cents - sum('requested')
  const { decline_class, issuer_code, card_last_four } = payment
  return {
    reference: payment.reference,
    period: payment.period,
    at: payment.updated_at.toISOString(),
    state: isVoided(payment, refunds) ? 'voided' : payment.state,
    ...disputeDays(world, payment),
    amount: toAmount(payment.amount_cents),
    refunded: toAmount(payment.refunded_cents),
    refund_pending: toAmount(sum('requested')),
    ...(mayRefund(payment) && left > 0 ? { refundable: toAmount(left) } : {}),
    may_void: mayVoid(world, payment) && left === payment.amount_cents,
    ...(card_last_four ? { card: { brand: brandName(payment.card_brand), last_four: card_last_four } } : {}),
    ...(decline_class ? { decline: showDecline(decline_class, issuer_code) } : {}),
    refunds: refunds.map(({ amount_cents, is_void, state, credit_note, reason, who, created_at }) => ({
      amount: toAmount(amount_cents),
      is_void,
      state,
      ...(credit_note ? { credit_note } : {}),
      reason,
      who,
      at: created_at.toISOString(),
    })),
  }
}

async function acceptedTexts(db: Db, member_id: string): Promise<MemberPage['accepted']> {
  const rows = await db
    .selectFrom('acceptance')
    .select(['title', 'version', 'sha256', 'accepted_at'])
    .where('member_id', '=', member_id)
    .orderBy('accepted_at')
    .orderBy('title')
    .execute()
  return rows.map((row) => ({ ...row, accepted_at: row.accepted_at.toISOString() }))
}

/** Exactly the text that was on the screen. The consent to the subscription is plain text, documents are HTML. */
export async function viewAcceptedText(db: Db, { member_id, sha256 }: { member_id: string; sha256: string }) {
  const row = await db
    .selectFrom('acceptance')
    .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
    .select(['title', 'version', 'content', 'agreement'])
    .where('member_id', '=', member_id)
    .where('acceptance.sha256', '=', sha256)
    .executeTakeFirst()
  if (!row) throw new Refusal(404, 'This member has not accepted that text.')
  const { agreement, ...text } = row
  return { ...text, is_html: agreement === 'agreement_1' }
}

async function countSessions({ db, now }: World, member_id: string): Promise<number> {
  const { count } = await db
    .selectFrom('office_session')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('member_id', '=', member_id)
    .where('expires_at', '>', now())
    .where('idle_until', '>', now())
    .executeTakeFirstOrThrow()
  return Number(count)
}
