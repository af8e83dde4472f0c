import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { ask } from '#web/dialog/ask.ts'
import { log } from '#web/log.ts'
import { ActionButton, useAction } from './ActionButton.tsx'
import { officeApi } from './api.ts'
import { errorMessage, redirectIfSignedOut } from './callErrors.ts'
import { ErrorNotice } from './ErrorNotice.tsx'
import { cancelMembershipQuestion } from './messages.ts'
import { SuccessNotice } from './SuccessNotice.tsx'
import type { Office } from './useOffice.ts'

/** Price, next renewal, and how to cancel or resume. */
export function Membership({ office }: { office: Office }) {
  const { view } = office
  const { price, renews_on, cancelled_on, is_over } = view.membership
  return (
    <section className="card" aria-labelledby="membership">
      <div className="card-head">
        <h2 id="membership" tabIndex={-1}>
          Your membership
        </h2>
        <span className={cancelled_on ? 'chip warm' : 'chip'}>{statusOf(view.membership)}</span>
      </div>
      <SuccessNotice message={office.successIn('membership')} />
      <dl className="facts">
        <div>
          <dt>Price</dt>
          <dd>{showAmount(price)} a month</dd>
        </div>
        {cancelled_on && (
          <div>
            <dt>Canceled on</dt>
            <dd>{longDay(cancelled_on)}</dd>
          </div>
        )}
        <div>
          <dt>{is_over ? 'Ended on' : cancelled_on ? 'Ends on' : 'Next renewal'}</dt>
          <dd>{longDay(renews_on)}</dd>
        </div>
        <div>
          <dt>Sponsor</dt>
          <dd>{view.sponsor_name}</dd>
        </div>
      </dl>
      <p className="small">
        {is_over && "Your membership has ended and your link is closed. You won't be charged."}
        {!is_over && cancelled_on && "Your membership and your link work until then. You won't be charged again."}
        {!cancelled_on && 'Your first month is paid. Renewals are not charged yet.'}
      </p>
      {!is_over && (cancelled_on ? <ResumeButton office={office} /> : <CancelButton office={office} />)}
    </section>
  )
}

const statusOf = ({ cancelled_on, is_over }: OfficeView['membership']) =>
  is_over ? 'Ended' : cancelled_on ? 'Canceled' : 'Active'

function CancelButton({ office }: { office: Office }) {
  const { showSuccess, clearSuccess } = office
  const cancel = async () => {
    clearSuccess()
    let view = office.view
    const question = cancelMembershipQuestion(view, async () => {
      const call = officeApi.cancelMembership({ username: view.username })
      view = await redirectIfSignedOut(call).catch((cause: unknown) => {
        throw new Error(errorMessage(cause), { cause })
      })
    })
    const { confirmed } = await ask(question)
    if (confirmed)
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
