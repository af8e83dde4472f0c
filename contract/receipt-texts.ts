import { longDay } from './days.ts'
import { showAmount, toAmount, toCents } from './money.ts'
import type { Receipt } from './receipts.ts'

/** Our reference for a payment, from the SHA-256 of its key: 20 letters and digits, the most that every gateway accepts. */
export const referenceFrom = (sha256: string): string => BigInt(`0x${sha256}`).toString(36).slice(-20)

/** 12 → 'CN-0012' */
export const showCreditNote = (number: number): string => `CN-${String(number).padStart(4, '0')}`

/** Where the office shows it. */
export const creditNotePath = (number: number): string => `/office/credit-notes/${number}`

/** A line below the lines of a receipt. `credit_note`: the refund or the void that it is about. */
export type TotalRow = { name: string; amount: string; credit_note?: number }

type Charge = Pick<
  Receipt,
  'total' | 'credit_notes' | 'disputed_on' | 'dispute_won_on' | 'dispute_lost_on' | 'is_collected'
>

/** What became of a charge, in words: for the page, the list and the PDF alike. */
export function receiptTexts(charge: Charge) {
  const { total, credit_notes, disputed_on, dispute_won_on, dispute_lost_on, is_collected } = charge
  const voided = credit_notes.find(({ is_void }) => is_void)
  const refunded = credit_notes.reduce((sum, { amount }) => sum + (toCents(amount) ?? 0), 0)
  const left = toAmount((toCents(total) ?? 0) - refunded)
  const is_disputed = disputed_on !== undefined && !dispute_won_on && !dispute_lost_on
  const is_paid = !voided && is_collected
  const totals: TotalRow[] = [
    { name: is_paid ? 'Paid' : 'Total', amount: showAmount(total) },
    ...credit_notes.map(({ number, issued_on, amount, is_void }) => ({
      name: `${is_void ? 'Canceled' : 'Refunded'} on ${longDay(issued_on)}`,
      amount: `-${showAmount(amount)}`,
      credit_note: number,
    })),
    ...(dispute_lost_on
      ? [
          { name: RETURNED, amount: `-${showAmount(left)}` },
          { name: 'Total after the dispute', amount: showAmount('0.00') },
        ]
      : refunded
        ? [{ name: voided ? 'Charged' : 'Total after refunds', amount: showAmount(left) }]
        : []),
  ]
  const sentences = [
    ...(voided ? ['This charge was canceled before it was collected.'] : []),
    ...(is_collected ? [] : ['This charge hasn’t been collected.']),
    ...(is_disputed ? [`This charge has been in dispute with your bank since ${longDay(disputed_on)}.`] : []),
    ...(dispute_won_on
      ? [`A bank dispute about this charge ended on ${longDay(dispute_won_on)}. The charge stands.`]
      : []),
    ...(dispute_lost_on
      ? [
          `A bank dispute about this charge ended on ${longDay(dispute_lost_on)}. Your bank returned the payment to you.`,
        ]
      : []),
  ]
  const status = voided
    ? 'Canceled'
    : is_disputed
      ? 'Disputed'
      : dispute_lost_on
        ? RETURNED
        : refunded
          ? left === '0.00'
            ? 'Refunded'
            : `${showAmount(toAmount(refunded))} refunded`
          : is_collected
            ? undefined
            : 'Not collected'
  return { is_paid, totals, sentences, status }
}

const RETURNED = 'Returned by your bank'
