import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import type { PlacementSide } from '#contract/commission.ts'
import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage, PaymentRow } from '#contract/console/member-page.ts'
import { plainDay, timeIn } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { Api } from '../api.ts'

/** What staff can do with a member, and what it is about. */
type Actions = Record<'refund' | 'void', { payment: PaymentRow }> &
  Record<'cancel' | 'resume' | 'hold' | 'release' | 'waive', unknown> &
  Record<'end-sessions' | 'second-factor' | 'reset-link' | 'move-sponsor' | 'placement' | 'erase', unknown> &
  Record<'email', { email_id?: string }>

export type MemberAction<Kind extends keyof Actions = keyof Actions> = {
  [Each in Kind]: { kind: Each } & Actions[Each]
}[Kind]

type Plan = {
  title: string
  text: ReactNode
  submit: string
  /** Said when it is done. */
  done: string
  rules: Record<string, z.ZodMiniType>
  values?: Record<string, string>
  send: (api: Api, values: Record<string, string>) => Promise<MemberPage>
}

const { amount, reason } = consoleCalls.refundPayment.input.shape
const { email_id } = consoleCalls.resendEmail.input.shape
const { username } = consoleCalls.erasePerson.input.shape
const { sponsor_site } = consoleCalls.moveSponsor.input.shape
const { side, parent_site } = consoleCalls.changePlacement.input.shape

/** Checked before asking for the passkey. */
const amountUpTo = (max: string) =>
  amount.check(z.refine((text) => Number(text) <= Number(max), `At most ${showAmount(max)} can be refunded.`))

/** '$99.00 on Nov 18, 2026, 10:04 AM, Visa •••• 4242, renewal 2' */
const paymentText = ({ amount, at, card, period, reference }: PaymentRow, time_zone: string) =>
  [
    `${showAmount(amount)} on ${timeIn(time_zone, new Date(at))}`,
    card && `${card.brand} •••• ${card.last_four}`,
    period ? `renewal ${period}` : 'first charge',
    reference,
  ]
    .filter(Boolean)
    .join(', ')

type PlanOf<Kind extends keyof Actions> = (member: MemberPage, action: MemberAction<Kind>, time_zone: string) => Plan

const plans: { [Kind in keyof Actions]: PlanOf<Kind> } = {
  refund: (member, { payment }, time_zone) => {
    const { reference, refundable = '0.00' } = payment
    return {
      title: 'Refund this payment',
      text: (
        <>
          <p>{paymentText(payment, time_zone)}</p>
          <p>
            Up to {showAmount(refundable)} can go back to the card. {member.first_name} gets an email. The membership
            itself doesn’t change.
          </p>
        </>
      ),
      submit: 'Refund',
      done: 'The refund is on its way. The timeline shows how it went.',
      rules: { amount: amountUpTo(refundable), reason },
      values: { amount: refundable },
      send: (api, { amount = '', reason = '' }) =>
        api.refundPayment({ member_id: member.id, reference, amount, reason }),
    }
  },
  void: (member, { payment }, time_zone) => {
    const { reference } = payment
    return {
      title: `Void ${showAmount(payment.amount)}`,
      text: (
        <>
          <p>{paymentText(payment, time_zone)}</p>
          <p>The charge hasn’t settled yet. A void cancels all of it, and it may never appear on the statement.</p>
        </>
      ),
      submit: 'Void the charge',
      done: 'The charge is being voided. The timeline shows how it went.',
      rules: { reason },
      send: (api, { reason = '' }) => api.voidPayment({ member_id: member.id, reference, reason }),
    }
  },
  cancel: (member) => {
    const { period, interval } = member.membership
    return {
      title: `Cancel the membership of ${member.first_name}?`,
      text: `It ends with the paid ${interval}${period ? `, on ${plainDay(period.ends_on)}` : ''}, or immediately if that isn’t paid. ${member.first_name} gets an email.`,
      submit: 'Cancel membership',
      done: 'The membership is canceled.',
      rules: { reason },
      send: (api, { reason = '' }) => api.cancelMembership({ member_id: member.id, reason }),
    }
  },
  resume: (member) => ({
    title: 'Undo the cancellation?',
    text: `The membership goes on and is charged again. ${member.first_name} gets an email.`,
    submit: 'Undo it',
    done: 'The membership goes on.',
    rules: { reason },
    send: (api, { reason = '' }) => api.resumeMembership({ member_id: member.id, reason }),
  }),
  hold: (member) => ({
    title: 'Put the membership on hold?',
    text: 'Nothing is charged until it is released. The office and the link go on.',
    submit: 'Put on hold',
    done: 'The membership is on hold.',
    rules: { reason },
    send: (api, { reason = '' }) => api.holdMembership({ member_id: member.id, reason }),
  }),
  release: (member) => ({
    title: 'Release the hold?',
    text: releaseText(member),
    submit: 'Release',
    done: 'The hold is released.',
    rules: { reason },
    send: (api, { reason = '' }) => api.releaseMembership({ member_id: member.id, reason }),
  }),
  waive: (member) => {
    const { may_waive, interval } = member.membership
    const days = may_waive ? ` from ${plainDay(may_waive.starts_on)} to ${plainDay(may_waive.ends_on)}` : ''
    return {
      title: `Waive a ${interval}?`,
      text: `The ${interval}${days} won’t be charged. After that, charges continue. ${member.first_name} gets an email.`,
      submit: 'Waive it',
      done: `The ${interval} is waived.`,
      rules: { reason },
      send: (api, { reason = '' }) => api.waivePeriod({ member_id: member.id, reason }),
    }
  },
  'move-sponsor': (member) => ({
    title: `Move ${member.first_name} to another sponsor?`,
    text: `From now on ${member.first_name} counts for the new sponsor. The sealed record, that ${member.first_name} joined through /${member.credit.joined.site}, stays.`,
    submit: 'Move',
    done: 'The member has a new sponsor. The record of joining stays.',
    rules: { sponsor_site, reason },
    send: (api, { sponsor_site = '', reason = '' }) => api.moveSponsor({ member_id: member.id, sponsor_site, reason }),
  }),
  placement: (member) => ({
    title: `Where should the commission plan place ${member.first_name}?`,
    text: 'The sponsor stays the same. Months that have ended don’t change.',
    submit: 'Change placement',
    done: 'The placement was changed.',
    rules: { side, parent_site, reason },
    values: { side: member.placement.side, parent_site: member.placement.parent?.site ?? '' },
    send: (api, { side, parent_site = '', reason = '' }) =>
      api.changePlacement({ member_id: member.id, side: side as PlacementSide, parent_site, reason }),
  }),
  'end-sessions': (member) => ({
    title: `Sign ${member.first_name} out everywhere?`,
    text: 'Every browser that is signed in to the office has to sign in again.',
    submit: 'Sign out',
    done: `${member.first_name} is signed out everywhere.`,
    rules: {},
    send: (api) => api.endSessions({ member_id: member.id }),
  }),
  'second-factor': (member) => ({
    title: `Remove the second factor of ${member.first_name}?`,
    text: `The authenticator app, the passkeys and the recovery codes stop working, and ${member.first_name} is signed out everywhere. After that, the password alone opens the office. ${member.first_name} gets an email. Make sure that it is ${member.first_name} who asks.`,
    submit: 'Remove it',
    done: `${member.first_name} signs in with the password alone now.`,
    rules: { reason },
    send: (api, { reason = '' }) => api.removeSecondFactor({ member_id: member.id, reason }),
  }),
  'reset-link': (member) => ({
    title: 'Send a link for a new password?',
    text: `It goes to ${member.email} and works for an hour.`,
    submit: 'Send it',
    done: 'The email is on its way.',
    rules: {},
    send: (api) => api.sendResetLink({ member_id: member.id }),
  }),
  erase: (member) => ({
    title: `Erase everything about ${member.first_name}?`,
    text: (
      <>
        <p>
          The membership ends immediately, without a refund. Name, email, phone, address, picture, sessions and messages
          are removed, and cannot be brought back.
        </p>
        <p>
          Payments, periods, accepted texts and the record of joining stay, under a number instead of a name. The
          username stays taken.
        </p>
      </>
    ),
    submit: 'Erase permanently',
    done: 'The personal data is erased.',
    rules: { username, reason },
    send: (api, { username = '', reason = '' }) => api.erasePerson({ member_id: member.id, username, reason }),
  }),
  email: (member, { email_id: chosen }) => ({
    title: 'Send an email again?',
    text: `We’ll write it again with today’s information and send it to ${member.email}.`,
    submit: 'Send it',
    done: 'The email is on its way.',
    rules: { email_id },
    values: { email_id: chosen ?? member.emails[0]?.email_id ?? '' },
    send: (api, { email_id = '' }) => api.resendEmail({ member_id: member.id, email_id }),
  }),
}

function releaseText({ first_name, membership }: MemberPage): string {
  const { on_release, interval, price, period, waived, ends_on, lines } = membership
  const { step = 'nothing', until } = on_release ?? {}
  if (ends_on) return `Nothing is charged: the membership is canceled and ends on ${plainDay(ends_on)}.`
  const day = until ? plainDay(until) : ''
  const next = `The next charge is on ${waived ? plainDay(waived.ends_on) : day}.`
  const waiting =
    period?.state === 'due'
      ? `Nothing is charged now. This ${interval} isn’t paid yet, and the next try is on ${day}.`
      : `Nothing is charged now: this ${interval} is ${period?.state === 'waived' ? 'free' : 'paid'}. ${next}`
  const endOf = (what: string) =>
    day
      ? `Nothing is charged: this card can’t be charged anymore. ${what} on ${day} unless ${first_name} adds a new card.`
      : `${what} shortly, because the card can’t be charged anymore. ${first_name} gets an email.`
  const texts: Record<typeof step, string> = {
    begin: `A new ${interval} starts today, and ${first_name} will be charged ${showAmount(price)} shortly. Missed ${interval}s aren’t charged.`,
    retry: `This ${interval} isn’t paid yet, and the card will be tried again shortly.`,
    waive: `Nothing is charged: this ${interval} is free. ${next}`,
    wait: waiting,
    end: endOf('The membership ends'),
    stop: endOf(`The membership continues, but ${lines.map(({ name }) => name).join(' and ')} will stop`),
    nothing: 'Nothing is charged now.',
  }
  return texts[step]
}

/** What the dialog asks and says about an action, and the call that does it. */
export const planOf = <Kind extends keyof Actions>(
  action: MemberAction<Kind>,
  member: MemberPage,
  time_zone: string,
): Plan => plans[action.kind](member, action, time_zone)
