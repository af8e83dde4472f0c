import { useState } from 'react'
import { flushSync } from 'react-dom'
import { longDay } from '#contract/days.ts'
import { consentText } from '#contract/legal.ts'
import { showAmount } from '#contract/money.ts'
import { current_password } from '#contract/office/fields.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { RejectedCall } from '#web/call.ts'
import { ask } from '#web/dialog/ask.ts'
import type { Question } from '#web/dialog/question.ts'
import { CurrentPassword } from '#web/form/CurrentPassword.tsx'
import { log } from '#web/log.ts'
import { ActionButton, useAction } from '#web/ui/ActionButton.tsx'
import { CallForm, useCallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { officeApi } from '../api.ts'
import { redirectIfSignedOut } from '../callErrors.ts'
import { cancelMembershipQuestion, dropPackageQuestion } from '../messages.ts'
import type { Office } from '../useOffice.ts'
import { CardOnFile } from './CardOnFile.tsx'
import { isPaidOnce } from './PaymentProblem.tsx'

/** Price, next charge, card on file, and how to cancel, resume or come back. */
export function Membership({ office }: { office: Office }) {
  const { view } = office
  const { membership } = view
  const { price, billing_interval, new_price, lines, cancelled_on, is_over } = membership
  const [nextLabel, nextDay] = nextDate(membership)
  return (
    <section className="card" aria-labelledby="membership">
      <div className="card-head">
        <h2 id="membership" tabIndex={-1}>
          Your membership
        </h2>
        <span className={isFine(membership) ? 'chip' : 'chip warm'}>{statusOf(membership)}</span>
      </div>
      <SuccessNotice message={office.successIn('membership')} />
      <dl className="facts">
        {lines.some((line) => line.can_stop) &&
          lines.map((line) => (
            <div key={line.product_id}>
              <dt>{line.name}</dt>
              <dd>
                {showAmount(line.price)}
                {line.can_stop && !is_over && <DropButton office={office} line={line} />}
              </dd>
            </div>
          ))}
        <div>
          <dt>Price</dt>
          <dd>{lines.length ? `${showAmount(new_price?.now ?? price)} a ${billing_interval}` : 'Paid once'}</dd>
        </div>
        {new_price && !cancelled_on && !is_over && (
          <div>
            <dt>New price from {longDay(new_price.from_on)}</dt>
            <dd>
              {showAmount(new_price.price)} a {billing_interval}
            </dd>
          </div>
        )}
        {cancelled_on && (
          <div>
            <dt>Canceled on</dt>
            <dd>{longDay(cancelled_on)}</dd>
          </div>
        )}
        {(lines.length > 0 || cancelled_on) && (
          <div>
            <dt>{nextLabel}</dt>
            <dd>{longDay(nextDay)}</dd>
          </div>
        )}
        <div>
          <dt>Sponsor</dt>
          <dd>{view.sponsor_name}</dd>
        </div>
      </dl>
      {lines.length > 0 && <CardOnFile office={office} />}
      <p className="small">{whatComesNext(membership)}</p>
      {is_over && membership.return_price && <ComeBackButton office={office} price={membership.return_price} />}
      {!is_over && (cancelled_on ? <ResumeButton office={office} /> : <CancelButton office={office} />)}
    </section>
  )
}

type MembershipView = OfficeView['membership']

function nextDate({
  ended_on,
  cancelled_on,
  payment_problem,
  renews_on,
  waived,
  lines,
}: MembershipView): [string, string] {
  if (ended_on) return ['Ended on', ended_on]
  if (payment_problem?.retry_on) return ['Next try', payment_problem.retry_on]
  if (payment_problem) return [isPaidOnce(lines) ? 'Stops on' : 'Ends on', payment_problem.ends_on]
  return cancelled_on ? ['Ends on', renews_on] : ['Next charge', waived?.ends_on ?? renews_on]
}

const isFine = ({ state, cancelled_on, is_on_hold }: MembershipView) =>
  state === 'active' && !cancelled_on && !is_on_hold

const statusOf = ({ state, cancelled_on, is_over, is_on_hold }: MembershipView) => {
  if (is_over) return 'Ended'
  if (is_on_hold) return 'On hold'
  if (state === 'past_due') return 'Payment due'
  return cancelled_on ? 'Canceled' : 'Active'
}

function whatComesNext({
  payment_problem,
  lines,
  is_over,
  cancelled_on,
  is_on_hold,
  is_charged_here,
  price,
  billing_interval,
  renews_on,
  waived,
  return_price,
}: MembershipView) {
  if (is_over && return_price === undefined)
    return "Your link is closed, and you won't be charged. Please contact us to come back."
  if (is_over && !lines.length) return 'Your link is closed. You can come back at no cost and keep your name and link.'
  if (is_over)
    return "Your link is closed, and you won't be charged. You can come back with one payment and keep your name and link."
  if (is_on_hold) return 'Nothing is charged while your membership is on hold. Please contact us.'
  if (cancelled_on) return "Your membership and your link work until then. You won't be charged again."
  if (!lines.length) return 'Your membership is paid. There are no further charges.'
  if (payment_problem) return 'You stay a member meanwhile. If you cancel, we don’t try again.'
  if (!is_charged_here) return 'Renewals are billed separately.'
  const free = waived ? `You pay nothing for the ${billing_interval} from ${longDay(waived.starts_on)}. ` : ''
  return `${free}We charge ${showAmount(price)} on ${longDay(waived?.ends_on ?? renews_on)}, and every ${billing_interval} until you cancel. You get a receipt by email each time.`
}

/** Asks, and makes the call while the dialog is open. Returns the new data, or nothing if the member decided against it. */
async function confirmAndCall(
  toQuestion: (onConfirm: () => Promise<void>) => Question,
  call: () => Promise<OfficeView>,
): Promise<OfficeView | undefined> {
  let view: OfficeView | undefined
  const question = toQuestion(async () => {
    view = await redirectIfSignedOut(call()).catch((cause: unknown) => {
      throw new Error(errorMessage(cause), { cause })
    })
  })
  const { confirmed } = await ask(question)
  return confirmed ? view : undefined
}

function DropButton({ office, line }: { office: Office; line: MembershipView['lines'][number] }) {
  const drop = async () => {
    office.clearSuccess()
    const { username } = office.view
    const { product_id } = line
    const view = await confirmAndCall(
      (onConfirm) => dropPackageQuestion(line.name, onConfirm),
      () => officeApi.dropPackage({ username, product_id }),
    )
    if (view)
      office.showSuccess({ section: 'membership', message: `${line.name} is stopped.`, view, focus: 'membership' })
  }
  return (
    <button
      type="button"
      className="link"
      aria-haspopup="dialog"
      onClick={() => drop().catch((cause: unknown) => log('The dialog could not be shown.', cause))}
    >
      Stop<span className="unseen"> {line.name}</span>
    </button>
  )
}

/** Coming back is a payment, so the price is on the button. */
function ComeBackButton({ office, price: shown_price }: { office: Office; price: string }) {
  const { username, membership } = office.view
  const isPaid = membership.lines.length > 0
  const [needsPassword, setNeedsPassword] = useState(false)
  const comeBack = async (values: { current_password?: string | undefined }) => {
    office.clearSuccess()
    const view = await redirectIfSignedOut(officeApi.comeBack({ username, shown_price, ...values }))
    const message = view.membership.is_over
      ? 'Your payment is being checked. We email you as soon as it is done.'
      : 'Welcome back. Your membership and your link work again.'
    office.showSuccess({ section: 'membership', message, view, focus: 'membership' })
  }
  const { current_password: notAsked } = officeCalls.comeBack.input.shape
  const form = useCallForm({
    rules: { current_password: needsPassword ? current_password : notAsked },
    send: (values) =>
      comeBack(values).catch((cause: unknown) => {
        if (cause instanceof RejectedCall && cause.fields.current_password) flushSync(() => setNeedsPassword(true))
        throw cause
      }),
  })
  return (
    <CallForm
      form={form}
      submitLabel={isPaid ? `Come back for ${showAmount(shown_price)} a ${membership.billing_interval}` : 'Come back'}
    >
      {isPaid && <p className="small">{consentText(shown_price, shown_price, membership.billing_interval)}</p>}
      {needsPassword && <CurrentPassword {...form.field('current_password')} />}
    </CallForm>
  )
}

function CancelButton({ office }: { office: Office }) {
  const { showSuccess, clearSuccess } = office
  const cancel = async () => {
    clearSuccess()
    const view = await confirmAndCall(
      (onConfirm) => cancelMembershipQuestion(office.view, onConfirm),
      () => {
        const { username, membership } = office.view
        return officeApi.cancelMembership({ username, shown_end: membership.cancel_ends_on ?? '' })
      },
    )
    if (view)
      showSuccess({
        section: 'membership',
        message: "Your membership is canceled. We've emailed you a confirmation.",
        view,
        focus: 'membership',
      })
  }
  return (
    <button
      type="button"
      className="button quiet"
      aria-haspopup="dialog"
      onClick={() => cancel().catch((cause: unknown) => log('The cancellation dialog could not be shown.', cause))}
    >
      Cancel membership
    </button>
  )
}

function ResumeButton({ office }: { office: Office }) {
  const { button, error } = useAction(async () => {
    office.clearSuccess()
    const view = await redirectIfSignedOut(officeApi.keepMembership({ username: office.view.username }))
    office.showSuccess({
      section: 'membership',
      message: 'Your membership has been resumed.',
      view,
      focus: 'membership',
    })
  })
  return (
    <>
      <ErrorNotice message={error} />
      <ActionButton {...button}>Resume membership</ActionButton>
    </>
  )
}
