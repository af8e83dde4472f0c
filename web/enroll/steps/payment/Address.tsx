import type { ReactNode } from 'react'
import { billingCountries, regionValue, unitedStates } from '#contract/countries.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import type { PaymentForm } from './form.ts'

const countries = billingCountries.map(({ countryName, countryShortCode }) => ({
  value: countryShortCode,
  text: countryName,
}))
const states = unitedStates.regions.map((region) => ({ value: regionValue(region), text: region.name }))

/** The billing address. The spec offers only the United States. */
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
      <AddressLines form={form} kind="billing">
        <SelectField
          {...form.field('state')}
          label="State"
          autoComplete="billing address-level1"
          placeholder="Select a state"
          options={states}
        />
      </AddressLines>
    </section>
  )
}

const fieldNames = {
  billing: { address: 'address', address2: 'address2', city: 'city', zip: 'post_code' },
  shipping: { address: 'ship_address', address2: 'ship_address2', city: 'ship_city', zip: 'ship_zip_code' },
} as const

type LinesProps = { form: PaymentForm; kind: keyof typeof fieldNames; children: ReactNode }

/** The lines below the country. `children` is the field for the state or region. */
export function AddressLines({ form, kind, children }: LinesProps) {
  const { address, address2, city, zip } = fieldNames[kind]
  const line = (token: string) => ({ autoComplete: `${kind} ${token}`, enterKeyHint: 'next' as const })
  return (
    <>
      <Field {...form.field(address)} {...line('address-line1')} label="Address" />
      <Field {...form.field(address2)} {...line('address-line2')} label="Address 2" optional />
      <div className="trio place">
        <Field {...form.field(city)} {...line('address-level2')} label="City" />
        {children}
        <Field {...form.field(zip)} {...line('postal-code')} label="Post / ZIP code" />
      </div>
    </>
  )
}
