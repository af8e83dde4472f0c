import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { brand } from '#contract/brand.ts'
import { longDay } from '#contract/days.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { creditNotePath, receiptTexts, showCreditNote, type TotalRow } from '#contract/receipt-texts.ts'
import type { Receipt } from '#contract/receipts.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { showCard } from '#web/receipt/creditNote.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { officeApi } from '../api.ts'
import { EmailSwitch } from '../EmailSwitch.tsx'
import type { Office } from '../useOffice.ts'
import { downloadReceipt } from './downloadReceipt.ts'
import { TermsInPrint, usePdf } from './PrintOrSave.tsx'
import { downloadStatement, paymentsOf, statementYears } from './statement.ts'

const INITIAL_COUNT = 3

/** Every charge and what became of it, newest first. All of it prints, without the rest of the page: see print.css. */
export function Payments({ office }: { office: Office }) {
  const { view } = office
  const payments = paymentsOf(view)
  const { save, error } = usePdf()
  const [isExpanded, setExpanded] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const showAll = () => {
    flushSync(() => setExpanded(true))
    list.current?.querySelectorAll('li')[INITIAL_COUNT]?.focus() // the button that had the focus is gone
  }
  return (
    <section className="card receipt payments" aria-labelledby="payments">
      <p className="receipt-brand">
        <img src={brand.mark} alt="" width="30" height="30" />
        {brand.name}
      </p>
      <h2 id="payments">Payments</h2>
      <p className="print-only">
        {view.first_name} {view.last_name}
      </p>
      <ul className={isExpanded ? undefined : 'newest'} ref={list}>
        {payments.map((payment) => (
          <Payment
            key={payment.reference}
            payment={payment}
            onSave={() => save(() => downloadReceipt(view, payment))}
          />
        ))}
      </ul>
      {payments.length > INITIAL_COUNT && !isExpanded && (
        <button type="button" className="link more" onClick={showAll}>
          Show all {payments.length} payments
          <ChevronIcon />
        </button>
      )}
      <ErrorNotice message={error} />
      <p className="statements">
        Yearly statements
        {statementYears(view).map((year) => (
          <button type="button" className="link" key={year} onClick={() => save(() => downloadStatement(view, year))}>
            {year}
            <span className="unseen"> statement</span>
          </button>
        ))}
        <button type="button" className="link" onClick={() => print()}>
          Print
        </button>
      </p>
      {isRenewing(view) && (
        <EmailSwitch
          office={office}
          name="renewal_emails"
          section="payments"
          {...emailTexts}
          save={(renewal_emails) => officeApi.changeRenewalEmails({ username: view.username, renewal_emails })}
        />
      )}
      <TermsInPrint operator={view.operator} />
    </section>
  )
}

const isRenewing = ({ membership }: OfficeView) =>
  membership.lines.length > 0 && membership.is_charged_here && !membership.is_over && !membership.cancelled_on

const emailTexts = {
  label: 'Email me three days before each charge',
  done: {
    on: 'We’ll email you three days before each charge.',
    off: 'We won’t email you before a charge. You still get a receipt after it.',
  },
}

function Payment({ payment, onSave }: { payment: Receipt; onSave: () => void }) {
  const { paid_on, card, reference } = payment
  const { totals, sentences, status } = receiptTexts(payment)
  const [charged, ...later] = totals
  return (
    <li tabIndex={-1}>
      <p className="payment">
        <time dateTime={paid_on}>{longDay(paid_on)}</time>
        <span className={status ? 'chip warm' : 'chip'}>{status ?? 'Paid'}</span>
        <strong>{charged?.amount}</strong>
      </p>
      <p className="payment-of">
        <span>
          {card && showCard(card)}
          <br />
          Reference <code>{reference}</code>
        </span>
        <button type="button" className="link" onClick={onSave}>
          PDF<span className="unseen"> receipt of {longDay(paid_on)}</span>
        </button>
      </p>
      {later.map((row) => (
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
    </li>
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
