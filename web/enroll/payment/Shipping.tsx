import { useState } from 'react'
import { unitedStates } from '#contract/countries.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { CountrySelect } from '#web/form/CountrySelect.tsx'
import { Field } from '#web/form/Field.tsx'
import { RegionSelect } from '#web/form/RegionSelect.tsx'
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
      <Field
        {...form.field('ship_address')}
        label="Address"
        autoComplete="shipping address-line1"
        enterKeyHint="next"
      />
      <Field
        {...form.field('ship_address2')}
        label="Address 2"
        optional
        autoComplete="shipping address-line2"
        enterKeyHint="next"
      />
      <div className="trio place">
        <Field {...form.field('ship_city')} label="City" autoComplete="shipping address-level2" enterKeyHint="next" />
        <RegionSelect
          {...form.field('ship_state')}
          label={country === HOME ? 'State' : 'Region'}
          optional={country !== HOME}
          country={country}
          autoComplete="shipping address-level1"
        />
        <Field
          {...form.field('ship_zip_code')}
          label="Post / ZIP code"
          autoComplete="shipping postal-code"
          enterKeyHint="next"
        />
      </div>
    </>
  )
}
