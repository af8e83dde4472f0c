import { useState } from 'react'
import { unitedStates } from '#contract/countries.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { CountrySelect } from '#web/form/CountrySelect.tsx'
import { RegionSelect } from '#web/form/RegionSelect.tsx'
import { AddressLines } from './Address.tsx'
import type { PaymentForm } from './form.ts'

const HOME = unitedStates.countryShortCode

/** A shipping address of its own. It stays filled in while the box is unchecked. */
export function Shipping({ form }: { form: PaymentForm }) {
  const box = form.field('is_shipping_different')
  const [isDifferent, setDifferent] = useState(box.defaultValue === '1')
  const [isRendered, setRendered] = useState(isDifferent)
  return (
    <section aria-label="Shipping address">
      <Checkbox
        {...box}
        onChange={({ target }) => {
          setDifferent(target.checked)
          setRendered(true)
        }}
      >
        <label htmlFor={box.name}>Ship to a different address</label>
      </Checkbox>
      {isRendered && (
        <fieldset hidden={!isDifferent}>
          <legend>Shipping address</legend>
          <ShippingFields form={form} />
        </fieldset>
      )}
    </section>
  )
}

function ShippingFields({ form }: { form: PaymentForm }) {
  const countryField = form.field('ship_country')
  const [country, setCountry] = useState(countryField.defaultValue || HOME)
  return (
    <>
      <CountrySelect
        {...countryField}
        defaultValue={countryField.defaultValue || HOME}
        label="Country"
        topCountry={HOME}
        autoComplete="shipping country"
        onChange={setCountry}
      />
      <AddressLines form={form} kind="shipping" country={country}>
        <RegionSelect
          {...form.field('ship_state')}
          label={country === HOME ? 'State' : 'Region'}
          optional={country !== HOME}
          country={country}
          autoComplete="shipping address-level1"
          {...(country === HOME ? { placeholder: 'Select a state' } : {})}
        />
      </AddressLines>
    </>
  )
}
