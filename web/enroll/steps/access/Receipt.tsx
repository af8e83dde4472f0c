import { longDay } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { Receipt as ReceiptData } from '#web/storage.ts'

/** What was bought, and what renews. */
export const Receipt = ({ receipt }: { receipt: ReceiptData }) => (
  <section className="receipt" aria-labelledby="receipt">
    <h2 id="receipt">Your receipt</h2>
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
    {receipt.email && <p className="receipt-foot">A copy is on its way to {receipt.email}.</p>}
  </section>
)
