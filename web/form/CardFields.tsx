import { useState } from 'react'
import { type Brand, brandOf, brands, expiryMonths, expiryYears } from '#contract/card.ts'
import { figures } from '#contract/figures.ts'
import { CardField } from './CardField.tsx'
import { Field } from './Field.tsx'
import { SelectField } from './SelectField.tsx'
import { useSecretField } from './useSecretField.ts'

type CardFieldName = 'cc_number' | 'cc_month' | 'cc_year' | 'cc_cvv'
type CardForm = { field: (name: CardFieldName) => { name: string; defaultValue: string; error: string | undefined } }

const option = (value: string) => ({ value, text: value })
const months = expiryMonths.map(option)

/** Number, expiration and CVC of a card. They are never stored, only sent. */
export function CardFields({ form }: { form: CardForm }) {
  const number = form.field('cc_number')
  const [brand, setBrand] = useState<Brand | undefined>(brandOf(number.defaultValue))
  const cvc = useSecretField('cc-csc')
  const [years] = useState(() => expiryYears(new Date()).map(option))
  return (
    <>
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
          placeholder="MM"
          options={months}
        />
        <SelectField
          {...form.field('cc_year')}
          label="Expiration year"
          autoComplete="cc-exp-year"
          placeholder="YYYY"
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
    </>
  )
}

const cvcHint = (brand: Brand | undefined) => {
  if (!brand) return '3 or 4 digits'
  return brands[brand].cvc === 4 ? '4 digits on the front' : '3 digits on the back'
}
