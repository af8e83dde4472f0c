import { useEffect, useState } from 'react'
import { longDay } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import { referenceFrom } from '#contract/receipt-texts.ts'
import { log } from '#web/log.ts'
import type { Receipt as ReceiptData } from '#web/storage.ts'
import { EmailText } from '#web/ui/EmailText.tsx'

type ReceiptProps = {
  receipt: ReceiptData
  /** An operator's host keeps the payments: our reference means nothing to it, and we email no copy. */
  isProvider?: boolean
}

/** What was bought, and what renews. */
export function Receipt({ receipt, isProvider = false }: ReceiptProps) {
  const reference = useReference(receipt)
  return (
    <section className="receipt" aria-labelledby="receipt">
      <h2 id="receipt">{isProvider ? 'Your order' : 'Your receipt'}</h2>
      <dl className="amounts">
        {receipt.lines.map((line) => (
          <div key={line.name}>
            <dt>{line.name}</dt>
            <dd>{showPrice(line)}</dd>
          </div>
        ))}
        <div className="total">
          <dt>Paid today</dt>
          <dd>{showAmount(receipt.total)}</dd>
        </div>
        <div>
          <dt>Date</dt>
          <dd>{longDay(receipt.paid_on)}</dd>
        </div>
        {receipt.card && (
          <div>
            <dt>Paid with</dt>
            <dd>
              {receipt.card.brand} ending in {receipt.card.last_four}
            </dd>
          </div>
        )}
        {globalThis.isSecureContext && !isProvider && (
          <div>
            <dt>Reference</dt>
            <dd>
              <code>{reference}</code>
            </dd>
          </div>
        )}
        {receipt.renewal_price !== '0.00' && (
          <div>
            <dt>Next renewal</dt>
            <dd>
              {receipt.renewal_price && `${showAmount(receipt.renewal_price)} on `}
              {longDay(receipt.renews_on)}
            </dd>
          </div>
        )}
        <div>
          <dt>Joined with</dt>
          <dd>{receipt.sponsor}</dd>
        </div>
      </dl>
      {isProvider ? (
        <p className="receipt-foot">We don’t send a copy of this page. You can print or save it.</p>
      ) : (
        receipt.email && (
          <p className="receipt-foot">
            A copy is on its way to <EmailText email={receipt.email} />.
          </p>
        )
      )}
    </section>
  )
}

/** Known a moment later. Browsers compute hashes only in secure contexts. */
function useReference({ enrollment_id, attempt }: Key): string {
  const [reference, setReference] = useState('')
  useEffect(() => {
    if (globalThis.isSecureContext)
      referenceOf({ enrollment_id, attempt }).then(setReference, (cause: unknown) =>
        log('There is no reference.', cause),
      )
  }, [enrollment_id, attempt])
  return reference
}

type Key = Pick<ReceiptData, 'enrollment_id' | 'attempt'>

/** The reference of a payment, as the server makes it. */
export async function referenceOf({ enrollment_id, attempt }: Key): Promise<string> {
  const sha256 = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${enrollment_id}.${attempt}`))
  return referenceFrom(Array.from(new Uint8Array(sha256), (byte) => byte.toString(16).padStart(2, '0')).join(''))
}
