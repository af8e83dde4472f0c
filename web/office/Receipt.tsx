import { brand } from '#contract/brand.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { PrintIcon } from '#web/laterIcons.tsx'

/** Prints without the rest of the page: see print.css. */
export function Receipt({ view }: { view: OfficeView }) {
  const { reference, paid_on, lines, total } = view.receipt
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
        <div>
          <dt>Reference</dt>
          <dd>
            <code>{reference}</code>
          </dd>
        </div>
      </dl>
      <button type="button" className="button quiet" onClick={() => print()}>
        <PrintIcon />
        Print
      </button>
    </section>
  )
}
