import { useState } from 'react'
import type { PaymentRow } from '#contract/console/member-page.ts'
import { longDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { showCreditNote } from '#contract/receipt-texts.ts'
import { downloadCreditNote } from '#web/receipt/creditNote.ts'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { useConsole } from '../api.ts'
import { Chip, Panel, showTime, type Tone } from '../parts.tsx'
import type { MemberAction } from './memberActions.tsx'

const tones: Record<string, Tone> = {
  captured: 'good',
  enrolled: 'good',
  declined: 'bad',
  disputed: 'bad',
  capture_failed: 'bad',
  unknown: 'warn',
  review: 'warn',
}
const texts: Record<string, string> = {
  enrolled: 'authorized',
  capture_failed: 'not collected',
  captured: 'collected',
}

const refundTexts: Record<PaymentRow['refunds'][number]['state'], (what: string) => string> = {
  requested: (what) => `${what}, under way`,
  done: (what) => what,
  refused: (what) => `${what}, refused by the gateway`,
}

type MoneyProps = { payments: PaymentRow[]; onAction: (action: MemberAction) => void }

/** All payments of a member, from the journal. */
export const Money = ({ payments, onAction }: MoneyProps) => (
  <Panel title="Money">
    <ul className="rows">
      {payments.map((payment) => (
        <li key={payment.reference}>
          <Payment payment={payment} onAction={onAction} />
        </li>
      ))}
    </ul>
  </Panel>
)

function Payment({ payment, onAction }: { payment: PaymentRow; onAction: MoneyProps['onAction'] }) {
  const { session, may } = useConsole()
  const { reference, state, card, decline } = payment
  return (
    <>
      <div>
        <p className="payment-line">
          <strong>{showAmount(payment.amount)}</strong>
          <Chip tone={tones[state] ?? 'plain'}>{texts[state] ?? state.replaceAll('_', ' ')}</Chip>
          {payment.refunded !== '0.00' && state !== 'voided' && <Chip>refunded {showAmount(payment.refunded)}</Chip>}
          {payment.refund_pending !== '0.00' && (
            <Chip tone="warn">refund of {showAmount(payment.refund_pending)} under way</Chip>
          )}
        </p>
        <p className="small">
          {showTime(payment.at, session.time_zone)} · {payment.period ? `renewal ${payment.period}` : 'first charge'}
          {card && ` · ${card.brand} ${card.last_four}`}
          {decline && ` · ${decline}`} · <code>{reference}</code>
        </p>
        {payment.disputed_on && (
          <p className="small">
            Dispute opened on {longDay(payment.disputed_on)}
            {payment.dispute_won_on && `, won on ${longDay(payment.dispute_won_on)}`}
          </p>
        )}
        {payment.refunds.map(({ amount, is_void, state, credit_note, reason, who, at }) => (
          <p className="small" key={at}>
            {refundTexts[state](is_void ? 'Voided' : `${showAmount(amount)} refunded`)}: “{reason}”, {who}
            {credit_note && <CreditNoteButton number={credit_note} />}
          </p>
        ))}
      </div>
      {may('refund') && payment.refundable && (
        <div className="row-actions">
          <button type="button" className="link" onClick={() => onAction({ kind: 'refund', payment })}>
            Refund
          </button>
          {payment.may_void && (
            <button type="button" className="link" onClick={() => onAction({ kind: 'void', payment })}>
              Void
            </button>
          )}
        </div>
      )}
    </>
  )
}

/** Saves the PDF that the member can get in the office. */
function CreditNoteButton({ number }: { number: number }) {
  const { api } = useConsole()
  const [error, setError] = useState<string>()
  const download = async () => {
    setError(undefined)
    try {
      await downloadCreditNote(await api.getCreditNote({ number }))
    } catch (cause) {
      setError(errorMessage(cause))
    }
  }
  return (
    <>
      {' · '}
      <button type="button" className="link" onClick={download}>
        {showCreditNote(number)}
        <span className="unseen"> as PDF</span>
      </button>
      <ErrorNotice message={error} />
    </>
  )
}
