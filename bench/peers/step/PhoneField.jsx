import { useEffect, useState } from 'react'
import { dialCodes } from './dial-codes.js'
import { ChevronIcon } from './icons.jsx'
import { described, Field } from './TextField.jsx'

const HOME = { country: 'US', dialCode: '1', label: 'United States (+1)' }

/** All countries, sorted by name. The names come from the browser, so the server renders only the visitor's country. */
function countriesByName() {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return dialCodes
    .split(' ')
    .map((entry) => ({ country: entry.slice(0, 2), dialCode: entry.slice(2) }))
    .map((entry) => ({ ...entry, label: `${names.of(entry.country)} (+${entry.dialCode})` }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))
}

/** A phone number with a picker for its dial code. */
export function PhoneField({ defaultValue, ...words }) {
  const [countries, setCountries] = useState([HOME])
  const [country, setCountry] = useState(HOME.country)
  // Creating the names takes time, so it waits until the page is idle.
  useEffect(() => {
    requestIdleCallback(() => setCountries(countriesByName()))
  }, [])
  const chosen = countries.find((entry) => entry.country === country) ?? HOME
  return (
    <Field {...words}>
      <div className="phone">
        <div className="dial">
          <span className="dial-shown" aria-hidden="true">
            <b>{chosen.country}</b> +{chosen.dialCode}
            <ChevronIcon />
          </span>
          <select
            aria-label="Country code"
            autoComplete="off"
            value={country}
            onChange={(event) => setCountry(event.target.value)}
          >
            {countries.map(({ country, label }) => (
              <option key={country} value={country}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <input
          className="control"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          defaultValue={defaultValue}
          {...described(words)}
        />
      </div>
    </Field>
  )
}
