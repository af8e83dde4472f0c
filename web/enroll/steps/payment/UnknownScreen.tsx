import { type ReactNode, useRef } from 'react'
import { brand } from '#contract/brand.ts'
import { dayIn, longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { CopyIcon } from '#web/laterIcons.tsx'
import type { Receipt } from '#web/storage.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Screen } from './Screen.tsx'
import { Support } from './Support.tsx'

type UnknownScreenProps = {
  /** For support to look up. */
  reference: string
  /** What this tab asked to pay for; a different tab may have paid. */
  receipt: Receipt | undefined
  time_zone: string
  onTryAgain: () => void
}

/** The operator's host got the enrollment, and its answer was lost for good. Says only what is known. */
export function UnknownScreen({ reference, receipt, time_zone, onTryAgain }: UnknownScreenProps) {
  return (
    <Screen title="We don’t know whether your payment went through" describedBy="unknown">
      <p className="lead" id="unknown">
        We sent your payment, but the answer got lost on the way back. You may have been charged, or not.
        <span className="unseen"> Your reference is {reference}.</span>
      </p>
      <Reference reference={reference}>{receipt && <Facts receipt={receipt} time_zone={time_zone} />}</Reference>
      <h2>What to do next</h2>
      <ol className="next-steps">
        <li>
          <h3>Check your email and your bank</h3>
          <p>
            If you find a welcome email{receipt?.total && ` or a charge of ${showAmount(receipt.total)}`}, your payment
            went through. Please don’t pay again.
          </p>
        </li>
        <li>
          <h3>Ask {brand.name}</h3>
          <p>
            Give them your reference, and they can look up your payment. <Support reference={reference} />
          </p>
        </li>
        <li>
          <h3>Or try again</h3>
          <p>If the first payment did go through, you may be charged twice. We’ll ask you before anything is sent.</p>
          <button type="button" className="button quiet" onClick={onTryAgain}>
            Try again
          </button>
        </li>
      </ol>
    </Screen>
  )
}

/** The reference for support, large enough to read out on the phone. */
function Reference({ reference, children }: { reference: string; children: ReactNode }) {
  const code = useRef<HTMLElement>(null)
  const select = () => code.current && getSelection()?.selectAllChildren(code.current)
  return (
    <section className="receipt reference" aria-labelledby="reference">
      <div className="reference-line">
        <h2 id="reference">Your reference</h2>
        <code ref={code}>{reference}</code>
        <CopyButton
          text={reference}
          label="Copy"
          copied="The reference was copied."
          icon={<CopyIcon />}
          select={select}
          quiet
        />
      </div>
      {children}
    </section>
  )
}

/** What to look for at the bank. */
function Facts({ receipt, time_zone }: { receipt: Receipt; time_zone: string }) {
  const { total, card, pressed_at, after_unknown } = receipt
  const facts = [
    ['Amount', showAmount(total)],
    ['Card', card && `${card.brand} ending in ${card.last_four}`],
    ['Sent on', longDay(dayIn(time_zone, new Date(pressed_at)))],
    ['Earlier reference', after_unknown],
  ].filter(([, value]) => value)
  return (
    <dl className="amounts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
