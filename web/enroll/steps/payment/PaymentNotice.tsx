import { Notice } from '#web/ui/Notice.tsx'
import type { DeclineClass, PaymentNews } from './outcome.ts'

const advice: Record<DeclineClass, string> = {
  input: 'Please check the number, the expiration date, the CVC and the address, or try another card.',
  card: 'Your bank doesn’t accept this card for this payment. Please try another card.',
  bank: 'Please try another card, or contact your bank. Banks don’t tell us the reason.',
}

type PaymentNoticeProps = {
  news: PaymentNews | undefined
  /** The reference of an earlier payment with an unknown outcome. */
  unknownPayment: string | undefined
}

/** Above the card fields: the outcome of the last attempt, and what to try next. */
export const PaymentNotice = ({ news, unknownPayment }: PaymentNoticeProps) => (
  <div id="payment-notice" tabIndex={-1} className="news" role="status">
    {news && <News news={news} isSecond={unknownPayment !== undefined} />}
    {unknownPayment && (
      <Notice tone="alert" title="We still don’t know whether your first payment went through.">
        If it did and you pay again, you’ll be charged twice. Your reference is <code>{unknownPayment}</code>.
      </Notice>
    )}
  </div>
)

/** `isSecond`: this is true of the second attempt, but not of the first. */
function News({ news, isSecond }: { news: PaymentNews; isSecond: boolean }) {
  const charged = isSecond ? 'That try wasn’t charged.' : 'Nothing was charged.'
  switch (news.kind) {
    case 'declined':
      return (
        <Notice tone="alert" title={`Your card was declined. ${charged}`}>
          {advice[news.decline_class]} Your details are still filled in.
        </Notice>
      )
    case 'released':
      return (
        <Notice tone="alert" title={`Your payment did not go through. ${charged}`}>
          Please try again. Your details are still filled in.
        </Notice>
      )
    case 'unknown':
      return (
        <Notice tone="alert" title="We couldn’t find out yet whether your payment went through.">
          We’ll keep checking, and you’ll see the outcome here.{' '}
          {!isSecond && 'You can also press “Confirm and Pay” again: you can never be charged twice. '}
          Your details are still filled in.
        </Notice>
      )
    case 'rejected':
      return (
        <Notice tone="alert" title={news.message}>
          {isSecond && 'If that’s because you have already joined, your first payment went through: don’t pay again. '}
          Your details are still filled in.
        </Notice>
      )
  }
}
