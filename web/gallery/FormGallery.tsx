import { useState } from 'react'
import { billingCountries, unitedStates } from '#contract/countries.ts'
import { CountrySelect } from '#web/form/CountrySelect.tsx'
import { ErrorSummary } from '#web/form/ErrorSummary.tsx'
import { Field } from '#web/form/Field.tsx'
import { Honeypot } from '#web/form/Honeypot.tsx'
import { LocationSelect } from '#web/form/LocationSelect.tsx'
import { PasswordField } from '#web/form/PasswordField.tsx'
import { PhoneField } from '#web/form/PhoneField.tsx'
import { RegionSelect } from '#web/form/RegionSelect.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { ArrowIcon } from '#web/icons.tsx'
import { Notice } from '#web/ui/Notice.tsx'

const months = [
  { value: '01', text: '01' },
  { value: '02', text: '02' },
]
const source = { countries: [unitedStates], fetchAgain: () => {} }

/** Every field in every state. */
export function FormGallery() {
  return (
    <>
      <section>
        <h2>Country and region</h2>
        <Places />
        <div className="pair">
          <CountrySelect name="billing" label="Only the United States" countries={billingCountries} country="US" />
          <RegionSelect name="filled" label="Filled in by name" region="nevada" />
          <RegionSelect name="short" label="Short codes" shortCodeDropdown region="NV" />
          <RegionSelect name="listed" label="White and black list" whiteList={['CA', 'NV', 'TX']} blackList={['TX']} />
          <CountrySelect name="top" label="Canada on top" topCountry="CA" shortCodeDropdown hint="A hint above it." />
          <RegionSelect name="wrong" label="State" placeholder="Choose a state" error="Please select a state." />
          <LocationSelect
            name="loading"
            label="Loading"
            placeholder="Select Country"
            options={[]}
            external={{ value: '' }}
            source={{ ...source, state: 'loading' }}
          />
          <LocationSelect
            name="failed"
            label="Failed"
            placeholder="Select Country"
            options={[]}
            external={{ value: '' }}
            source={{ ...source, state: 'failed' }}
          />
          <RegionSelect name="off" label="Disabled" disabled />
          <RegionSelect name="unknown" label="Unknown country" country="ZZ" region="??" optional />
        </div>
      </section>
      <section>
        <h2>Fields</h2>
        <form className="pair" onSubmit={(event) => event.preventDefault()}>
          <Field name="plain" label="Normal" />
          <Field name="typed" label="Filled" defaultValue="Zoë" />
          <Field name="hinted" label="Hint" hint="Why we ask." />
          <Field name="missing" label="Error" error="Please enter your first name." />
          <Field name="free" label="Optional" optional />
          <Field name="still" label="Disabled" disabled defaultValue="Not now" />
          <SelectField name="month" label="Expiration month" options={months} placeholder="Month" defaultValue="" />
          <SelectField
            name="month2"
            label="Expiration month"
            options={months}
            placeholder="Month"
            defaultValue=""
            error="Please select the expiration month."
          />
          <PhoneField name="phone" label="Mobile phone number" />
          <PhoneField name="phone2" label="Mobile phone number" error="Invalid mobile phone number format." />
          <PasswordField autoComplete="new-password" name="password" label="Password" />
          <PasswordField
            autoComplete="new-password"
            name="password2"
            label="Password"
            defaultValue="Secret"
            error="Please enter your password."
          />
        </form>
        <Honeypot traps={[{ name: 'trap', defaultValue: 'filled', error: 'This field should be left empty.' }]} />
      </section>
      <section>
        <h2>Notices and buttons</h2>
        <Notice title="A notice.">With a sentence of text.</Notice>
        <Notice tone="alert" title="An error.">
          With what to do about it.
        </Notice>
        <ErrorSummary
          entries={[
            { name: 'missing', message: 'Please enter your first name.', open: 1 },
            { name: 'typed', message: 'Please enter your last name.', open: 0 },
          ]}
        />
        <h3>Buttons</h3>
        <div className="gallery-buttons">
          <button type="button" className="button">
            Next
            <ArrowIcon />
          </button>
          <button type="button" className="button" aria-busy>
            Busy
            <ArrowIcon />
          </button>
          <button type="button" className="button quiet">
            Previous
          </button>
          <button type="button" className="link">
            A link
          </button>
        </div>
      </section>
    </>
  )
}

/** All countries and their regions. Another country clears the region. */
function Places() {
  const [country, setCountry] = useState('')
  const [region, setRegion] = useState('')
  return (
    <>
      <div className="pair">
        <CountrySelect name="country" label="Country" topCountry="US" onChange={setCountry} autoComplete="country" />
        <RegionSelect
          name="region"
          label="Region"
          country={country}
          onChange={setRegion}
          autoComplete="address-level1"
        />
      </div>
      <output id="places">
        {country || '–'} / {region || '–'}
      </output>
    </>
  )
}
