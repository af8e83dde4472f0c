import { type ReactNode, useState } from 'react'
import { billingCountries, unitedStates } from '#contract/countries.ts'
import { CountrySelect } from '#web/form/CountrySelect.tsx'
import { Field } from '#web/form/Field.tsx'
import { RegionSelect } from '#web/form/RegionSelect.tsx'
import type { PaymentForm } from './form.ts'

const whiteList = billingCountries.map(({ countryShortCode }) => countryShortCode)

/** The billing address. The spec offers only the United States. */
export function Address({ form }: { form: PaymentForm }) {
  const countryField = form.field('country')
  const [country, setCountry] = useState(countryField.defaultValue || unitedStates.countryShortCode)
  return (
    <section aria-labelledby="billing">
      <h2 id="billing">Billing address</h2>
      <CountrySelect
        {...countryField}
        defaultValue={country}
        label="Country"
        whiteList={whiteList}
        autoComplete="billing country"
        onChange={setCountry}
      />
      <AddressLines form={form} kind="billing" country={country}>
        <RegionSelect
          {...form.field('state')}
          label="State"
          country={country}
          autoComplete="billing address-level1"
          placeholder="Select a state"
        />
      </AddressLines>
    </section>
  )
}

const fieldNames = {
  billing: { address: 'address', address2: 'address2', city: 'city', zip: 'post_code' },
  shipping: { address: 'ship_address', address2: 'ship_address2', city: 'ship_city', zip: 'ship_zip_code' },
} as const

type LinesProps = { form: PaymentForm; kind: keyof typeof fieldNames; country: string; children: ReactNode }

/** The lines below the country. `children` is the field for the state or region. */
export function AddressLines({ form, kind, country, children }: LinesProps) {
  const { address, address2, city, zip } = fieldNames[kind]
  const line = (token: string) => ({ autoComplete: `${kind} ${token}`, enterKeyHint: 'next' as const })
  return (
    <>
      <Field {...form.field(address)} {...line('address-line1')} label="Address" />
      <Field {...form.field(address2)} {...line('address-line2')} label="Address 2" optional />
      <div className="trio place">
        <Field {...form.field(city)} {...line('address-level2')} label="City" />
        {children}
        <Field
          {...form.field(zip)}
          {...line('postal-code')}
          label="Post / ZIP code"
          inputMode={country === unitedStates.countryShortCode ? 'numeric' : undefined} // elsewhere it may have letters
        />
      </div>
    </>
  )
}
