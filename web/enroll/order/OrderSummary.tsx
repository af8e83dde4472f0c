import { useEffect, useRef } from 'react'
import { showAmount } from '#contract/money.ts'
import type { StartData, Step } from '#contract/start.ts'
import { ChevronIcon } from '#web/icons.tsx'
import type { Draft } from '#web/storage.ts'
import { hasChange } from '../flow.ts'
import { chosenPackages, monthlyPrice } from './order.ts'

type OrderSummaryProps = {
  step: Step
  draft: Draft
  packages: StartData['packages']
  renews_on: string
  grand_total: string | undefined
  /** The total could not be loaded. */
  hasFailed: boolean
  onChange: () => void
}

/** What is bought, what it costs today, and what renews when. Folded on a phone, open beside the form on a desktop. */
export function OrderSummary(order: OrderSummaryProps) {
  const details = useFolding(order.step)
  const chosen = chosenPackages(order.draft, order.packages)
  const [main] = chosen
  if (!main) return null
  const renewal = shortDay(order.renews_on)
  const mayChange = hasChange(order.step) && order.packages.length > 1
  return (
    <details className="order" ref={details}>
      <summary>
        <span className="order-name">{main.name}</span>
        <span className="order-price">
          <Total {...order} />
        </span>
        <span className="order-renewal">
          today, then {monthlyPrice} a month from {renewal}
        </span>
        <ChevronIcon />
      </summary>
      <div className="order-body">
        <img className="order-picture" src={main.image_url} alt="" width="720" height="296" loading="lazy" />
        <div className="order-text">
          <h2>{main.name}</h2>
          <div className="order-about">
            <p>{main.description}</p>
            {mayChange && (
              <button type="button" className="link" onClick={order.onChange}>
                Change<span className="unseen"> package</span>
              </button>
            )}
          </div>
          <dl className="amounts">
            {chosen.map(({ product_id, name, price }) => (
              <div key={product_id}>
                <dt>
                  {chosen.length > 1 ? name : 'Today'}
                  {product_id !== main.product_id && ' (one\u00a0time)'}
                </dt>
                <dd>{showAmount(price)}</dd>
              </div>
            ))}
            <div>
              <dt>Then monthly, from {renewal}</dt>
              <dd>{monthlyPrice}</dd>
            </div>
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

function Total({ grand_total, hasFailed }: Pick<OrderSummaryProps, 'grand_total' | 'hasFailed'>) {
  if (grand_total !== undefined) return showAmount(grand_total)
  return hasFailed ? '–' : <PendingAmount />
}

/** An amount that the server is still calculating. */
export const PendingAmount = () => (
  <>
    <span className="waiting" aria-hidden="true">
      $00.00
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
