import { useEffect, useRef } from 'react'
import { showAmount, showPrice } from '#contract/money.ts'
import { intervalOf } from '#contract/packages.ts'
import type { Policy, StartData, Step } from '#contract/start.ts'
import { ChevronIcon } from '#web/icons.tsx'
import type { Draft } from '#web/storage.ts'
import { hasChange, isOn } from '../flow.ts'
import { Portrait } from '../SponsorCard.tsx'
import { chosenPackages, renewalPrice } from './order.ts'

type OrderSummaryProps = {
  step: Step
  draft: Draft
  packages: StartData['packages']
  renews_on: StartData['renews_on']
  grand_total: string | undefined
  /** The total could not be loaded. */
  hasFailed: boolean
  /** The active sponsor, for phones. */
  sponsor?: StartData['sponsor'] | false
  policy: Policy
  /** Leads to the step where a package is chosen. */
  onChange: (step: Step) => void
}

/** The packages that can be added, and on which step. */
const addOns: [Step, string][] = [
  ['AUTOSHIP', 'Add-ons'],
  ['SPECIAL', 'Special offer'],
]

/** What is bought, what it costs today, and what renews when. Folded on a phone, open beside the form on a desktop. */
export function OrderSummary(order: OrderSummaryProps) {
  const details = useFolding(order.step)
  const chosen = chosenPackages(order.draft, order.packages)
  const [main] = chosen
  if (!main && order.step !== 'PRODUCT_SELECTION') return null
  const renewal_price = renewalPrice(chosen)
  const isOnce = !Number(renewal_price)
  const renewal = showAmount(renewal_price)
  const interval = intervalOf(chosen)
  const renews = renewal === showAmount(order.grand_total) ? `${interval}ly` : `${renewal} a ${interval}`
  const terms = isOnce ? (main?.billing_interval === 'unknown' ? ' today' : ' once') : ` today, then ${renews}`
  const mayChange = hasChange(order.step) && order.packages.length > 1
  const changeButton = (step: Step, what: string) => (
    <button type="button" className="link" disabled={order.hasFailed} onClick={() => order.onChange(step)}>
      Change<span className="unseen"> {what.toLowerCase()}</span>
    </button>
  )
  return (
    <details className="order" ref={details}>
      <summary>
        {order.sponsor && <Portrait {...order.sponsor} />}
        <span className="order-line">
          <b className="order-price">
            <Total {...order} />
          </b>
          {main ? terms : ' No package chosen yet'}
        </span>
        {order.sponsor && <span className="order-sponsor">with {order.sponsor.name}</span>}
        <ChevronIcon />
      </summary>
      <div className="order-body">
        {main && <img className="order-picture" src={main.image_url} alt="" width="720" height="296" loading="lazy" />}
        <div className="order-text">
          <h2>{main?.name ?? 'Your order'}</h2>
          <div className="order-about">
            <p>{main?.description ?? 'No package chosen yet'}</p>
            {mayChange && changeButton('PRODUCT_SELECTION', 'package')}
          </div>
          <dl className="amounts">
            {chosen.map((offer) => (
              <div key={offer.product_id}>
                <dt>
                  {chosen.length > 1 ? offer.name : 'Today'}
                  {!offer.renewal_price && offer.billing_interval !== 'unknown' && ' (one\u00a0time)'}
                </dt>
                <dd>{showPrice(offer)}</dd>
              </div>
            ))}
            {main && !isOnce && (
              <div>
                <dt>
                  Then {interval}ly, from {shortDay(order.renews_on[interval])}
                  {interval === 'year' && `, ${order.renews_on.year.slice(0, 4)}`}
                </dt>
                <dd>{renewal}</dd>
              </div>
            )}
            {mayChange &&
              addOns.map(
                ([step, what]) =>
                  isOn(step, order.policy) && (
                    <div key={step}>
                      <dt>{what}</dt>
                      <dd>{changeButton(step, what)}</dd>
                    </div>
                  ),
              )}
            <div className="total">
              <dt>Total today</dt>
              <dd>
                <Total {...order} />
              </dd>
            </div>
          </dl>
        </div>
      </div>
    </details>
  )
}

/** A total that is not known reads $0.00, as the spec says. */
const Total = ({ grand_total, hasFailed }: Pick<OrderSummaryProps, 'grand_total' | 'hasFailed'>) =>
  grand_total !== undefined || hasFailed ? showAmount(grand_total) : <PendingAmount />

/** An amount that the server is still calculating. */
export const PendingAmount = () => (
  <>
    <span className="waiting" aria-hidden="true">
      {showAmount('')}
    </span>
    <span className="unseen">(calculating)</span>
  </>
)

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** '2026-12-15' → 'Dec 15'. Intl takes a tenth of a second for this on a slow phone. */
const shortDay = (day: string) => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8))}`

/** The style sheet opens it on a desktop, except in browsers without ::details-content. On a phone it folds on every move. */
function useFolding(step: Step) {
  const details = useRef<HTMLDetailsElement>(null)
  const lastStep = useRef(step)
  useEffect(() => {
    const hasMoved = lastStep.current !== step
    lastStep.current = step
    const mustOpen = !CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches
    if (details.current && (mustOpen || hasMoved)) details.current.open = mustOpen
  }, [step])
  return details
}
