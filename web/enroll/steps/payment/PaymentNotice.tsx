import { Notice } from '#web/Notice.tsx'
import type { DeclineClass, PaymentNews } from './payment.ts'

const advice: Record<DeclineClass, string> = {
  input: 'Please check the number, the expiration date, the CVC and the address, or try another card.',
  card: 'The bank does not accept this card for this payment. Please try another card.',
  bank: 'Please try another card, or ask your bank. It does not tell us why.',
}

/** Beside the card: what became of the last attempt, that it cost nothing, and what to try. */
export const PaymentNotice = ({ news }: { news: PaymentNews }) => (
  <div id="payment-notice" tabIndex={-1} className="news">
    {news.kind === 'declined' && (
      <Notice tone="alert" title="Your card was declined. Nothing was charged.">
        {advice[news.decline_class]} What you entered is still here.
      </Notice>
    )}
    {news.kind === 'released' && (
      <Notice tone="alert" title="Your payment did not go through. Nothing was charged.">
        Please try again. What you entered is still here.
      </Notice>
    )}
    {news.kind === 'rejected' && (
      <Notice tone="alert" title={news.message}>
        What you entered is still here.
      </Notice>
    )}
  </div>
)
