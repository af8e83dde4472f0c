import type { ReactNode } from 'react'
import type * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage, PaymentRow } from '#contract/console/member-page.ts'
import { showAmount } from '#contract/money.ts'
import { plainDay } from '#web/dates.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { type Api, useConsole } from '../api.ts'

/** What staff want to do. */
export type MemberAct =
  | { kind: 'refund' | 'void'; payment: PaymentRow }
  | { kind: 'cancel' | 'resume' | 'hold' | 'release' | 'waive' }
  | { kind: 'end-sessions' | 'second-factor' | 'reset-link' | 'move-sponsor' | 'erase' }
  | { kind: 'email'; email_id?: string }

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

export function planOf(act: MemberAct, member: MemberPage): Plan {
  const member_id = member.id
  const name = member.first_name
  switch (act.kind) {
    case 'refund': {
      const { reference, refundable = '0.00' } = act.payment
      return {
        title: 'Refund this payment',
        text: `Up to ${showAmount(refundable)} goes back to the card. ${name} gets an email. The membership itself does not change.`,
        submit: 'Refund',
        done: 'The refund is on its way. The timeline shows how it went.',
        rules: { amount, reason },
        values: { amount: refundable },
        send: (api, { amount = '', reason = '' }) => api.refundPayment({ member_id, reference, amount, reason }),
      }
    }
    case 'void': {
      const { reference } = act.payment
      return {
        title: `Void ${showAmount(act.payment.amount)}`,
        text: 'The charge has not settled yet. A void cancels all of it, and it may never appear on the statement.',
        submit: 'Void the charge',
        done: 'The charge is being voided. The timeline shows how it went.',
        rules: { reason },
        send: (api, { reason = '' }) => api.voidPayment({ member_id, reference, reason }),
      }
    }
    case 'cancel': {
      const { period, interval } = member.membership
      return {
        title: `Cancel the membership of ${name}?`,
        text: `It ends with the paid ${interval}${period ? `, on ${plainDay(period.ends_on)}` : ''}, or immediately if that isn’t paid. ${name} gets an email.`,
        submit: 'Cancel membership',
        done: 'The membership is canceled.',
        rules: { reason },
        send: (api, { reason = '' }) => api.cancelMembership({ member_id, reason }),
      }
    }
    case 'resume':
      return {
        title: 'Undo the cancellation?',
        text: `The membership goes on and is charged again. ${name} gets an email.`,
        submit: 'Undo it',
        done: 'The membership goes on.',
        rules: { reason },
        send: (api, { reason = '' }) => api.resumeMembership({ member_id, reason }),
      }
    case 'hold':
      return {
        title: 'Put the membership on hold?',
        text: 'Nothing is charged until it is released. The office and the link go on.',
        submit: 'Put on hold',
        done: 'The membership is on hold.',
        rules: { reason },
        send: (api, { reason = '' }) => api.holdMembership({ member_id, reason }),
      }
    case 'release':
      return {
        title: 'Release the hold?',
        text: `The current ${member.membership.interval} is charged soon. What was missed in between isn’t charged.`,
        submit: 'Release',
        done: 'The hold is released.',
        rules: { reason },
        send: (api, { reason = '' }) => api.releaseMembership({ member_id, reason }),
      }
    case 'waive': {
      const { may_waive, interval } = member.membership
      const days = may_waive ? ` from ${plainDay(may_waive.starts_on)} to ${plainDay(may_waive.ends_on)}` : ''
      return {
        title: `Waive a ${interval}?`,
        text: `The ${interval}${days} is not charged. After it, charges go on as before. ${name} gets an email.`,
        submit: 'Waive it',
        done: `The ${interval} is waived.`,
        rules: { reason },
        send: (api, { reason = '' }) => api.waivePeriod({ member_id, reason }),
      }
    }
    case 'move-sponsor':
      return {
        title: `Move ${name} to another sponsor?`,
        text: `From now on ${name} counts for the new sponsor. The sealed record, that ${name} joined through /${member.credit.joined.site}, stays.`,
        submit: 'Move',
        done: 'The member has a new sponsor. The record of joining stays.',
        rules: { sponsor_site, reason },
        send: (api, { sponsor_site = '', reason = '' }) => api.moveSponsor({ member_id, sponsor_site, reason }),
      }
    case 'end-sessions':
      return {
        title: `Sign ${name} out everywhere?`,
        text: 'Every browser that is signed in to the office has to sign in again.',
        submit: 'Sign out',
        done: `${name} is signed out everywhere.`,
        rules: {},
        send: (api) => api.endSessions({ member_id }),
      }
    case 'second-factor':
      return {
        title: `Remove the second factor of ${name}?`,
        text: `The authenticator app, the passkeys and the recovery codes stop working, and ${name} is signed out everywhere. After that, the password alone opens the office. ${name} gets an email. Make sure that it is ${name} who asks.`,
        submit: 'Remove it',
        done: `${name} signs in with the password alone now.`,
        rules: { reason },
        send: (api, { reason = '' }) => api.removeSecondFactor({ member_id, reason }),
      }
    case 'reset-link':
      return {
        title: 'Send a link for a new password?',
        text: `It goes to ${member.email} and works for an hour.`,
        submit: 'Send it',
        done: 'The email is on its way.',
        rules: {},
        send: (api) => api.sendResetLink({ member_id }),
      }
    case 'erase':
      return {
        title: `Erase everything about ${name}?`,
        text: (
          <>
            <p>
              The membership ends at once, without a refund. Name, email, phone, address, picture, sessions and messages
              are removed, and cannot be brought back.
            </p>
            <p>
              Payments, periods, accepted texts and the record of joining stay, under a number instead of a name. The
              username stays taken.
            </p>
          </>
        ),
        submit: 'Erase for ever',
        done: 'The personal data is erased.',
        rules: { username, reason },
        send: (api, { username = '', reason = '' }) => api.erasePerson({ member_id, username, reason }),
      }
    case 'email':
      return {
        title: 'Send an email again?',
        text: `It is written anew from what is true now, and goes to ${member.email}.`,
        submit: 'Send it',
        done: 'The email is on its way.',
        rules: { email_id },
        values: { email_id: act.email_id ?? member.emails[0]?.email_id ?? '' },
        send: (api, { email_id = '' }) => api.resendEmail({ member_id, email_id }),
      }
  }
}

type DialogProps = {
  act: MemberAct
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

/** One dialog for every act: what will happen, an amount and a reason where they are needed, and the button. */
export function MemberActDialog({ act, member, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const plan = planOf(act, member)
  const form = useCallForm({
    rules: plan.rules,
    values: plan.values ?? {},
    send: async (values) => onDone(await plan.send(api, values as Record<string, string>), plan.done),
  })
  return (
    <FormDialog title={plan.title} text={plan.text} form={form} submitLabel={plan.submit} onClose={onClose}>
      {'amount' in plan.rules && (
        <Field
          {...form.field('amount')}
          label="Amount in dollars"
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
        />
      )}
      {'email_id' in plan.rules && (
        <SelectField
          {...form.field('email_id')}
          label="Email"
          options={member.emails.map(({ email_id, text }) => ({ value: email_id, text }))}
        />
      )}
      {'username' in plan.rules && (
        <Field
          {...form.field('username')}
          label={`Type ${member.username} to confirm`}
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="next"
        />
      )}
      {'sponsor_site' in plan.rules && (
        <Field
          {...form.field('sponsor_site')}
          label="Link of the new sponsor"
          hint="Only the word after the slash, such as ana"
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="next"
        />
      )}
      {'reason' in plan.rules && (
        <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
      )}
    </FormDialog>
  )
}
