import { brand } from '#contract/brand.ts'
import { longDay } from '#contract/days.ts'
import { showPrice } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { creditNotePath, receiptTexts, showCreditNote, type TotalRow } from '#contract/receipt-texts.ts'
import type { Receipt as Charge } from '#contract/receipts.ts'
import { showCard } from '#web/receipt/creditNote.ts'
import { downloadReceipt } from './downloadReceipt.ts'
import { PrintOrSave, usePdf } from './PrintOrSave.tsx'

/** Prints without the rest of the page: see print.css. */
export function Receipt({ view }: { view: OfficeView }) {
  const { reference, paid_on, lines, card } = view.receipt
  const { is_paid, totals, sentences } = receiptTexts(view.receipt)
  const { save, error } = usePdf()
  const download = (receipt: Charge) => save(() => downloadReceipt(view, receipt))
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
        {totals.map((row) => (
          <div key={row.name + row.credit_note} className={row.credit_note ? undefined : 'total'}>
            <dt>
              <Total row={row} />
            </dt>
            <dd>{row.amount}</dd>
          </div>
        ))}
      </dl>
      {sentences.map((sentence) => (
        <p className="small" key={sentence}>
          {sentence}
        </p>
      ))}
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
            <dt>{is_paid ? 'Paid with' : 'Card'}</dt>
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
      <PrintOrSave error={error} onSave={() => download(view.receipt)} />
      {view.renewals.length > 0 && (
        <details className="renewals-fold">
          <summary>Renewals ({view.renewals.length})</summary>
          <ul className="renewals">
            {view.renewals.map((renewal) => (
              <li key={renewal.reference}>
                <time dateTime={renewal.paid_on}>{longDay(renewal.paid_on)}</time>
                <span>{receiptTexts(renewal).totals[0]?.amount}</span>
                <button type="button" className="link" onClick={() => download(renewal)}>
                  PDF<span className="unseen"> receipt of {longDay(renewal.paid_on)}</span>
                </button>
                <Outcome renewal={renewal} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** 'Refunded on December 20, 2026', with a link to the credit note. */
const Total = ({ row: { name, credit_note } }: { row: TotalRow }) =>
  credit_note ? (
    <>
      {name} <a href={creditNotePath(credit_note)}>{showCreditNote(credit_note)}</a>
    </>
  ) : (
    name
  )

/** What became of a renewal, below its line. */
function Outcome({ renewal }: { renewal: Charge }) {
  const { totals, sentences } = receiptTexts(renewal)
  return (
    <>
      {totals.slice(1).map((row) => (
        <p className="outcome" key={row.name + row.credit_note}>
          <span>
            <Total row={row} />
          </span>
          {row.amount}
        </p>
      ))}
      {sentences.map((sentence) => (
        <p className="outcome" key={sentence}>
          {sentence}
        </p>
      ))}
    </>
  )
}
