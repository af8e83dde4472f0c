import { useState } from 'react'
import { brand } from '#contract/brand.ts'
import { longDay } from '#contract/days.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { DownloadIcon, PrintIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { downloadReceipt, showCard } from './downloadReceipt.ts'

/** Prints without the rest of the page: see print.css. */
export function Receipt({ view }: { view: OfficeView }) {
  const { reference, paid_on, lines, total, card } = view.receipt
  const [error, setError] = useState<string>()
  const download = (receipt: Parameters<typeof downloadReceipt>[1]) => {
    setError(undefined)
    try {
      downloadReceipt(view, receipt)
    } catch (cause) {
      log('The PDF could not be made.', cause)
      setError("Your browser couldn't make the PDF. Please print the receipt instead.")
    }
  }
  return (
    <section className="card receipt" aria-labelledby="receipt">
      <p className="receipt-brand">
        <img src={brand.mark} alt="" width="30" height="30" />
        {brand.name}
      </p>
      <div className="card-head">
        <h2 id="receipt">Receipt</h2>
        <time dateTime={paid_on}>{longDay(paid_on)}</time>
      </div>
      <dl className="lines">
        {lines.map((line) => (
          <div key={line.name}>
            <dt>{line.name}</dt>
            <dd>{showPrice(line)}</dd>
          </div>
        ))}
        <div className="total">
          <dt>Paid</dt>
          <dd>{showAmount(total)}</dd>
        </div>
      </dl>
      <dl className="facts">
        <div>
          <dt>Member</dt>
          <dd>
            {view.first_name} {view.last_name}
          </dd>
        </div>
        <div>
          <dt>Sponsor</dt>
          <dd>{view.sponsor_name}</dd>
        </div>
        {card && (
          <div>
            <dt>Paid with</dt>
            <dd>{showCard(card)}</dd>
          </div>
        )}
        <div>
          <dt>Reference</dt>
          <dd>
            <code>{reference}</code>
          </dd>
        </div>
      </dl>
      <ErrorNotice message={error} />
      <div className="receipt-actions">
        <button type="button" className="button quiet" onClick={() => download(view.receipt)}>
          <DownloadIcon />
          Download PDF
        </button>
        <button type="button" className="button quiet" onClick={() => print()}>
          <PrintIcon />
          Print
        </button>
      </div>
      {view.renewals.length > 0 && (
        <details className="renewals-fold">
          <summary>Renewals ({view.renewals.length})</summary>
          <ul className="renewals">
            {view.renewals.map((renewal) => (
              <li key={renewal.reference}>
                <time dateTime={renewal.paid_on}>{longDay(renewal.paid_on)}</time>
                <span>{showAmount(renewal.total)}</span>
                <button type="button" className="link" onClick={() => download(renewal)}>
                  PDF<span className="unseen"> receipt of {longDay(renewal.paid_on)}</span>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
