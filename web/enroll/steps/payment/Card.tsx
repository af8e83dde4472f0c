import { CardFields } from '#web/form/CardFields.tsx'
import type { PaymentForm } from './form.ts'
import type { PaymentNews } from './outcome.ts'
import { PaymentNotice } from './PaymentNotice.tsx'

export const Card = ({ form, news }: { form: PaymentForm; news: PaymentNews | undefined }) => (
  <section aria-labelledby="card">
    <h2 id="card">Card</h2>
    {news && <PaymentNotice news={news} />}
    <CardFields form={form} />
  </section>
)
