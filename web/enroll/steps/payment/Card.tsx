import { useState } from 'react'
import { type Brand, brandOf, brands, expiryMonths, expiryYears } from '#contract/card.ts'
import { figures } from '#contract/figures.ts'
import { CardField } from '#web/form/CardField.tsx'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useSecretField } from '#web/form/useSecretField.ts'
import type { PaymentForm } from './form.ts'
import { PaymentNotice } from './PaymentNotice.tsx'
import type { PaymentNews } from './payment.ts'

const option = (value: string) => ({ value, text: value })
const months = expiryMonths.map(option)

/** The card. It is never stored, only sent. */
export function Card({ form, news }: { form: PaymentForm; news: PaymentNews | undefined }) {
  const number = form.field('cc_number')
  const [brand, setBrand] = useState<Brand | undefined>(brandOf(number.defaultValue))
  const cvc = useSecretField('cc-csc')
  const [years] = useState(() => expiryYears(new Date()).map(option))
  return (
    <section aria-labelledby="card">
      <h2 id="card">Card</h2>
      {news && <PaymentNotice news={news} />}
      <CardField
        {...number}
        label="Card number"
        hint="We accept Visa, Mastercard, American Express and Discover."
        enterKeyHint="next"
        onBrand={setBrand}
      />
      <div className="trio">
        <SelectField
          {...form.field('cc_month')}
          label="Expiration month"
          autoComplete="cc-exp-month"
          placeholder="Month"
          options={months}
        />
        <SelectField
          {...form.field('cc_year')}
          label="Expiration year"
          autoComplete="cc-exp-year"
          placeholder="Year"
          options={years}
        />
        <Field
          {...form.field('cc_cvv')}
          ref={cvc}
          label="CVC"
          inputMode="numeric"
          autoComplete="cc-csc"
          maxLength={figures.cvc_length}
          enterKeyHint="done"
          hint={cvcHint(brand)}
        />
      </div>
    </section>
  )
}

const cvcHint = (brand: Brand | undefined) => {
  if (!brand) return '3 digits on the back, or 4 on the front'
  return brands[brand].cvc === 4 ? '4 digits on the front' : '3 digits on the back'
}
