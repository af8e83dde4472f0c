import { type InputHTMLAttributes, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { joinPhone, phoneDigits } from '#contract/phone.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { loadDialCountry, saveDialCountry } from '#web/storage.ts'
import { countriesByName, countryOf, dialCodeOf, isDialCountry, numberAtHome } from './dial-codes.ts'
import { described, FieldFrame, type FieldProps } from './Field.tsx'

const HOME = { code: 'US', label: 'United States (+1)' }

type PhoneProps = FieldProps & Pick<InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'enterKeyHint'>

/**
 * A phone number with a picker for its dial code. The form reads one string, '+', dial code, digits. A typed or filled
 * '+' moves the picker and is never doubled.
 */
export function PhoneField({ defaultValue, enterKeyHint, ...words }: PhoneProps) {
  const input = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLSelectElement>(null)
  const [country, setCountry] = useState(HOME.code)
  const [isOffered, setOffered] = useState(false)
  const isHome = country === HOME.code
  const countries = useMemo(() => (isOffered || !isHome ? countriesByName() : [HOME]), [isOffered, isHome])

  /** Every country's name costs time that nobody should wait for who has their own in front of them. */
  const offer = () => setOffered(true)

  const choose = (code: string) => {
    setCountry(code)
    saveDialCountry(code)
  }

  /** Follows a number that names its own country; once nobody is typing any more the picker says the code, the field the rest. */
  const follow = (chosen: string) => {
    const field = input.current
    const number = field ? international(field.value) : undefined
    const found = number && countryOf(number, chosen)
    if (!field || !found) return setCountry(chosen)
    if (found === chosen) setCountry(found)
    else choose(found)
    if (document.activeElement !== field) settle(field, number, found)
  }

  // The first screen is rendered ahead for everyone; what this browser remembers is put in before it is painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again only when another number is put in from outside
  useLayoutEffect(() => {
    const stored = loadDialCountry()
    follow(stored && isDialCountry(stored) ? stored : country)
  }, [defaultValue])

  // Also a browser that fills in without an event is heard: the number is put together whenever the form is read.
  useEffect(() => {
    const form = input.current?.form
    const join = ({ formData }: FormDataEvent) =>
      formData.set(
        words.name,
        joinPhone(dialCodeOf(picker.current?.value ?? HOME.code), String(formData.get(words.name))),
      )
    form?.addEventListener('formdata', join)
    return () => form?.removeEventListener('formdata', join)
  }, [words.name])

  return (
    <FieldFrame {...words}>
      <div className="phone">
        <div className="dial">
          <span className="dial-shown" aria-hidden="true">
            <b>{country}</b> +{dialCodeOf(country)}
            <ChevronIcon />
          </span>
          <select
            ref={picker}
            aria-label="Country code"
            autoComplete="off"
            value={country}
            onPointerEnter={offer}
            onFocus={offer}
            onChange={(event) => {
              const field = input.current
              const number = field ? international(field.value) : undefined
              const left = number && countryOf(number, country)
              if (field && left) settle(field, number, left)
              choose(event.target.value)
            }}
          >
            {countries.map(({ code, label }) => (
              <option key={code} value={code}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <input
          ref={input}
          className="control"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          enterKeyHint={enterKeyHint}
          defaultValue={defaultValue}
          onInput={() => follow(country)}
          onBlur={() => follow(country)}
          {...described(words)}
        />
      </div>
    </FieldFrame>
  )
}

/** '+44 20…' and '0044 20…' → '+4420…'; undefined for a number that does not name its country. */
function international(typed: string): string | undefined {
  const digits = phoneDigits(typed)
  if (digits.startsWith('+')) return digits
  return digits.startsWith('00') ? `+${digits.slice(2)}` : undefined
}

/** Leaves the part after the dial code. */
function settle(field: HTMLInputElement, number: string, country: string) {
  const rest = numberAtHome(number, country)
  if (rest) field.value = rest
}
