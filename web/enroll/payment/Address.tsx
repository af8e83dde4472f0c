import { billingCountries, regionValue, unitedStates } from '#contract/countries.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import type { PaymentForm } from './form.ts'

const countries = billingCountries.map(({ countryName, countryShortCode }) => ({
  value: countryShortCode,
  text: countryName,
}))
const states = unitedStates.regions.map((region) => ({ value: regionValue(region), text: region.name }))

/** Where the card's bills go. Only the United States are offered. */
export function Address({ form }: { form: PaymentForm }) {
  const country = form.field('country')
  return (
    <section aria-labelledby="billing">
      <h2 id="billing">Billing address</h2>
      <SelectField
        {...country}
        defaultValue={country.defaultValue || unitedStates.countryShortCode}
        label="Country"
        autoComplete="billing country"
        options={countries}
      />
      <Field {...form.field('address')} label="Address" autoComplete="billing address-line1" enterKeyHint="next" />
      <Field
        {...form.field('address2')}
        label="Address 2"
        optional
        autoComplete="billing address-line2"
        enterKeyHint="next"
      />
      <div className="trio place">
        <Field {...form.field('city')} label="City" autoComplete="billing address-level2" enterKeyHint="next" />
        <SelectField
          {...form.field('state')}
          label="State"
          autoComplete="billing address-level1"
          placeholder="Select a state"
          options={states}
        />
        <Field
          {...form.field('post_code')}
          label="Post / ZIP code"
          autoComplete="billing postal-code"
          enterKeyHint="next"
        />
      </div>
    </section>
  )
}
