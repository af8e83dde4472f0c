import { useState } from 'react'
import { unitedStates } from '#contract/countries.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { CountrySelect } from '#web/form/CountrySelect.tsx'
import { RegionSelect } from '#web/form/RegionSelect.tsx'
import { AddressLines } from './Address.tsx'
import type { PaymentForm } from './form.ts'

const HOME = unitedStates.countryShortCode

/** Where the parcel goes, when that is somewhere else. What was typed stays while the box is not ticked. */
export function Shipping({ form }: { form: PaymentForm }) {
  const asked = form.field('is_shipping_different')
  const [elsewhere, setElsewhere] = useState(asked.defaultValue === '1')
  const [opened, setOpened] = useState(elsewhere)
  return (
    <section aria-label="Shipping address">
      <Checkbox
        {...asked}
        onChange={({ target }) => {
          setElsewhere(target.checked)
          setOpened(true)
        }}
      >
        <label htmlFor={asked.name}>Ship to a different address</label>
      </Checkbox>
      {opened && (
        <fieldset hidden={!elsewhere}>
          <legend>Shipping address</legend>
          <ShippingFields form={form} />
        </fieldset>
      )}
    </section>
  )
}

function ShippingFields({ form }: { form: PaymentForm }) {
  const first = form.field('ship_country')
  const [country, setCountry] = useState(first.defaultValue || HOME)
  return (
    <>
      <CountrySelect
        {...first}
        defaultValue={first.defaultValue || HOME}
        label="Country"
        topCountry={HOME}
        autoComplete="shipping country"
        onChange={setCountry}
      />
      <AddressLines form={form} kind="shipping">
        <RegionSelect
          {...form.field('ship_state')}
          label={country === HOME ? 'State' : 'Region'}
          optional={country !== HOME}
          country={country}
          autoComplete="shipping address-level1"
        />
      </AddressLines>
    </>
  )
}
