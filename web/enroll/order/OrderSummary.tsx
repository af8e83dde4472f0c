import { useEffect, useRef } from 'react'
import { showAmount } from '#contract/money.ts'
import type { Step } from '#contract/start.ts'
import { hasChange, previousStep } from '#web/enroll/flow.ts'
import { chosenPackages, monthly } from '#web/enroll/wizard/draft.ts'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { ChevronIcon } from '#web/icons.tsx'

/** What is bought, what it costs today and what renews when. Folded on a phone, open beside the form on a desktop. */
export function OrderSummary({ wizard }: { wizard: Wizard }) {
  const { start, step } = wizard
  const fold = useFold(step)
  const chosen = chosenPackages(wizard)
  const [main] = chosen
  if (!main) return null
  const renewal = shortDay(start.renews_on)
  const mayChange = hasChange(step) && start.packages.length > 1
  return (
    <details className="order" ref={fold}>
      <summary>
        <span className="order-name">{main.name}</span>
        <span className="order-price">
          <Total wizard={wizard} />
        </span>
        <span className="order-renewal">
          today, then {monthly} a month from {renewal}
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
              <button
                type="button"
                className="link"
                onClick={() => wizard.returnTo(previousStep('ACCOUNT', start.policy))}
              >
                Change<span className="unseen"> package</span>
              </button>
            )}
          </div>
          <dl className="amounts">
            {chosen.map(({ product_id, name, price }) => (
              <div key={product_id}>
                <dt>
                  {chosen.length > 1 ? name : 'Today'}
                  {product_id !== main.product_id && ', once'}
                </dt>
                <dd>{showAmount(price)}</dd>
              </div>
            ))}
            <div>
              <dt>Then monthly, from {renewal}</dt>
              <dd>{monthly}</dd>
            </div>
            <div className="total">
              <dt>Total today</dt>
              <dd>
                <Total wizard={wizard} />
              </dd>
            </div>
          </dl>
        </div>
      </div>
    </details>
  )
}

/** The sum, its shape while the server works it out, or a dash when it could not. */
function Total({ wizard: { grand_total, stop } }: { wizard: Wizard }) {
  if (grand_total !== undefined) return showAmount(grand_total)
  return stop === 'unsummed' ? '–' : <Unsummed />
}

/** An amount that nobody knows yet: a shape for eyes, words for ears. */
export const Unsummed = () => (
  <>
    <span className="waiting" aria-hidden="true">
      $00.00
    </span>
    <span className="unseen">an amount that is being worked out</span>
  </>
)

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** '2026-12-15' → 'Dec 15'. A slow phone's own way to write it takes a tenth of a second. */
const shortDay = (day: string) => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8))}`

/**
 * Our style sheet opens it on a desktop; a browser that cannot do that yet is helped here. On a phone the next step stands
 * below it, so it folds when a step is left.
 */
function useFold(step: Step) {
  const fold = useRef<HTMLDetailsElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    const isMoved = shown.current !== step
    shown.current = step
    const isHelped = !CSS.supports('selector(::details-content)') && matchMedia('(min-width: 60rem)').matches
    if (fold.current && (isHelped || isMoved)) fold.current.open = isHelped
  }, [step])
  return fold
}
