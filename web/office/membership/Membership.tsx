import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { isPaidOnce } from '#contract/renewal.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import type { Office } from '../useOffice.ts'
import { CancelButton, ComeBack, DropButton, ResumeButton } from './actions.tsx'
import { CardOnFile } from './CardOnFile.tsx'

/** Price, next charge, card on file, and how to cancel, resume or come back. */
export function Membership({ office }: { office: Office }) {
  const { membership } = office.view
  const { price, billing_interval, new_price, lines, cancelled_on, is_over } = membership
  const { return_price, return_needs_card, is_checking } = membership
  const [nextLabel, nextDay] = nextDate(membership)
  return (
    <section className="card" aria-labelledby="membership">
      <h2 id="membership" tabIndex={-1}>
        Your membership
      </h2>
      <SuccessNotice message={office.successIn('membership')} />
      <ErrorNotice message={office.problemIn('membership')} />
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
      </dl>
      {lines.length > 0 && <CardOnFile office={office} />}
      {is_over && return_price && !return_needs_card && !is_checking && (
        <ComeBack office={office} price={return_price} />
      )}
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
