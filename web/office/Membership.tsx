import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { ask } from '#web/dialog/ask.ts'
import { log } from '#web/log.ts'
import { officeApi } from './api.ts'
import { asMember } from './asMember.ts'
import { Failure } from './Failure.tsx'
import { cancelMembership } from './messages.ts'
import { Press, usePress } from './Press.tsx'
import { sentenceOf } from './sentenceOf.ts'
import { Told } from './Told.tsx'
import type { Office } from './useOffice.ts'

/** What it costs, how long it lasts, and how it ends. */
export function Membership({ office }: { office: Office }) {
  const { view } = office
  const { price, renews_on, cancelled_on, is_over } = view.membership
  const until = longDay(renews_on)
  return (
    <section className="card" aria-labelledby="membership">
      <div className="card-head">
        <h2 id="membership" tabIndex={-1}>
          Your membership
        </h2>
        <span className={cancelled_on ? 'chip warm' : 'chip'}>{stateOf(view.membership)}</span>
      </div>
      <Told>{office.newsOf('membership')}</Told>
      <dl className="facts">
        <div>
          <dt>Price</dt>
          <dd>{showAmount(price)} a month</dd>
        </div>
        {cancelled_on && (
          <div>
            <dt>Cancelled on</dt>
            <dd>{longDay(cancelled_on)}</dd>
          </div>
        )}
        <div>
          <dt>{is_over ? 'Ended on' : cancelled_on ? 'Lasts until' : 'Next renewal'}</dt>
          <dd>{until}</dd>
        </div>
        <div>
          <dt>Joined with</dt>
          <dd>{view.sponsor_name}</dd>
        </div>
      </dl>
      <p className="small">
        {is_over && 'Your membership is over and your link is closed. Nothing is charged.'}
        {!is_over &&
          cancelled_on &&
          `Until then everything stays as it is, your link included. Nothing more is charged.`}
        {!cancelled_on && 'Your first month is paid. Renewals are not charged yet.'}
      </p>
      {!is_over && (cancelled_on ? <Keep office={office} /> : <Cancel office={office} />)}
    </section>
  )
}

const stateOf = ({ cancelled_on, is_over }: OfficeView['membership']) =>
  is_over ? 'Ended' : cancelled_on ? 'Cancelled' : 'Active'

function Cancel({ office }: { office: Office }) {
  const { view, tell, hush } = office
  const cancel = async () => {
    hush()
    let told = view
    const question = cancelMembership(view, async () => {
      told = await asMember(officeApi.cancelMembership({ username: view.username })).catch((cause: unknown) => {
        throw new Error(sentenceOf(cause), { cause })
      })
    })
    const { confirmed } = await ask(question)
    if (confirmed) tell('membership', 'Your membership is cancelled. A letter confirms it.', 'membership', told)
  }
  return (
    <button
      type="button"
      className="button quiet"
      aria-haspopup="dialog"
      onClick={() => cancel().catch((cause: unknown) => log('The question could not be asked.', cause))}
    >
      Cancel membership
    </button>
  )
}

function Keep({ office }: { office: Office }) {
  const { press, failure } = usePress(async () => {
    office.hush()
    const told = await asMember(officeApi.keepMembership({ username: office.view.username }))
    office.tell('membership', 'Good to have you. Your membership goes on.', 'membership', told)
  })
  return (
    <>
      <Failure sentence={failure} />
      <Press {...press}>Keep my membership</Press>
    </>
  )
}
