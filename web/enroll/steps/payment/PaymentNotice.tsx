import { Notice } from '#web/ui/Notice.tsx'
import type { DeclineClass, PaymentNews } from './outcome.ts'

const advice: Record<DeclineClass, string> = {
  input: 'Please check the number, the expiration date, the CVC and the address, or try another card.',
  card: 'Your bank doesn’t accept this card for this payment. Please try another card.',
  bank: 'Please try another card, or contact your bank. Banks don’t tell us the reason.',
}

/** Above the card fields: the outcome of the last attempt, and what to try next. */
export const PaymentNotice = ({ news }: { news: PaymentNews }) => (
  <div id="payment-notice" tabIndex={-1} className="news" role="status">
    {news.kind === 'declined' && (
      <Notice tone="alert" title="Your card was declined. Nothing was charged.">
        {advice[news.decline_class]} Your details are still filled in.
      </Notice>
    )}
    {news.kind === 'released' && (
      <Notice tone="alert" title="Your payment did not go through. Nothing was charged.">
        Please try again. Your details are still filled in.
      </Notice>
    )}
    {news.kind === 'unknown' && (
      <Notice tone="alert" title="We couldn’t find out yet whether your payment went through.">
        We’ll keep checking, and you’ll see the outcome here. You can also press “Confirm and Pay” again: you can never
        be charged twice. Your details are still filled in.
      </Notice>
    )}
    {news.kind === 'rejected' && (
      <Notice tone="alert" title={news.message}>
        Your details are still filled in.
      </Notice>
    )}
  </div>
)
