import { brand } from '#contract/brand.ts'
import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import type { CreditNote as Note } from '#contract/receipts.ts'
import { creditNoteFacts, creditNoteSentence, downloadCreditNote, totalName } from '#web/receipt/creditNote.ts'
import { OfficeHeader } from '../OfficeHeader.tsx'
import { PrintOrSave, TermsInPrint, usePdf } from './PrintOrSave.tsx'

/** A page with one credit note. Prints like a receipt: see print.css. */
export function CreditNote({ note }: { note: Note }) {
  const { save, error } = usePdf()
  return (
    <>
      <OfficeHeader />
      <main className="office credit-note">
        <div className="greeting">
          <h1 id="heading" tabIndex={-1}>
            Your credit note
          </h1>
          <p className="lead">
            <a href="/office">Back to your office</a>
          </p>
        </div>
        <section className="card receipt" aria-labelledby="credit-note">
          <p className="receipt-brand">
            <img src={brand.mark} alt="" width="30" height="30" />
            {brand.name}
          </p>
          <div className="card-head">
            <h2 id="credit-note">Credit note {showCreditNote(note.number)}</h2>
            <time dateTime={note.issued_on}>{longDay(note.issued_on)}</time>
          </div>
          <dl className="lines">
            {note.lines.map(({ name, price }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{showAmount(price)}</dd>
              </div>
            ))}
            <div className="total">
              <dt>{totalName(note)}</dt>
              <dd>{showAmount(note.amount)}</dd>
            </div>
          </dl>
          <p className="small">{creditNoteSentence(note)}</p>
          <dl className="facts">
            {creditNoteFacts(note).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{name === 'Reference' ? <code>{value}</code> : value}</dd>
              </div>
            ))}
          </dl>
          <TermsInPrint operator={note.operator} />
          <PrintOrSave error={error} onSave={() => save(() => downloadCreditNote(note))} />
        </section>
      </main>
    </>
  )
}
