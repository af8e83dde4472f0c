import { Notice } from '#web/Notice.tsx'
import type { DeclineClass } from '../pay.ts'
import type { News } from './usePayment.ts'

const advice: Record<DeclineClass, string> = {
  input: 'Please check the number, the expiration date, the CVC and the address, or try another card.',
  card: 'The bank does not take this card for it. Please try another card.',
  bank: 'Please try another card, or ask your bank: it does not tell us why.',
}

/** Beside the card: what became of the last attempt, that it cost nothing, and what to try. */
export function NewsNotice({ news }: { news: News }) {
  return (
    <div id="news" tabIndex={-1} className="news">
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
      {news.kind === 'refused' && (
        <Notice tone="alert" title={news.message}>
          What you entered is still here.
        </Notice>
      )}
    </div>
  )
}
