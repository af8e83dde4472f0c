import { useState } from 'react'
import { CardFields } from '#web/form/CardFields.tsx'
import type { PaymentForm } from './form.ts'
import type { DeclineClass, PaymentNews } from './outcome.ts'
import { PaymentNotice } from './PaymentNotice.tsx'

const wrongCard = { cc_number: 'This card was declined.' }

/** What a declined card's fields say until the visitor changes one of them. */
const declinedFields: Record<DeclineClass, Partial<Record<Parameters<PaymentForm['field']>[0], string>>> = {
  input: {
    cc_number: 'Please check the card number.',
    cc_month: 'Please check the month.',
    cc_year: 'Please check the year.',
    cc_cvv: 'Please check the CVC.',
  },
  card: wrongCard,
  bank: wrongCard,
}

type CardProps = {
  form: PaymentForm
  news: PaymentNews | undefined
  /** The reference of an earlier payment with an unknown outcome. */
  unknownPayment?: string | undefined
}

export function Card({ form, news, unknownPayment }: CardProps) {
  const [answeredNews, setAnsweredNews] = useState<PaymentNews>()
  const marks = news?.kind === 'declined' && news !== answeredNews ? declinedFields[news.decline_class] : {}
  const field: PaymentForm['field'] = (name) => {
    const props = form.field(name)
    return { ...props, error: props.error ?? marks[name] }
  }
  return (
    <section aria-labelledby="card" onInput={() => setAnsweredNews(news)}>
      <h2 id="card">Card</h2>
      {(news || unknownPayment) && <PaymentNotice news={news} unknownPayment={unknownPayment} />}
      <CardFields form={{ field }} />
    </section>
  )
}
