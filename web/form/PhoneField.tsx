import { type InputHTMLAttributes, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { isPhoneLength, joinPhone, phoneDigits } from '#contract/phone.ts'
import type { Policy } from '#contract/start.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { loadDialCountry, saveDialCountry } from '#web/storage.ts'
import { countriesByName, countryOf, dialCodeOf, isDialCountry, nationalNumber } from './dial-codes.ts'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'

const DEFAULT_COUNTRY = { code: 'US', label: 'United States (+1)' }

type PhoneFieldProps = FieldProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'defaultValue' | 'enterKeyHint'> & {
    /** Where codes are sent to. For another country the hint says what to do. */
    codeCountries?: Policy['code_countries']
  }

/**
 * A phone number with a dial-code picker. The form reads one string: '+', dial code, digits. A number that starts with
 * '+' sets the picker, and its dial code is not added twice.
 */
export function PhoneField({ defaultValue, enterKeyHint, codeCountries, ...props }: PhoneFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLSelectElement>(null)
  const [country, setCountry] = useState(DEFAULT_COUNTRY.code)
  const [isPickerUsed, setPickerUsed] = useState(false)
  const isElsewhere = codeCountries && !codeCountries.codes.includes(country)
  const fieldProps = isElsewhere && !props.error ? { ...props, hint: codeCountries.elsewhere } : props
  const isDefault = country === DEFAULT_COUNTRY.code
  const countries = useMemo(
    () => (isPickerUsed || !isDefault ? countriesByName() : [DEFAULT_COUNTRY]),
    [isPickerUsed, isDefault],
  )

  /** Naming all countries takes time, so it waits until the picker is needed. */
  const loadCountries = () => setPickerUsed(true)

  const choose = (code: string) => {
    setCountry(code)
    saveDialCountry(code)
  }

  /** Sets the picker to the number's own country. After typing ends, the dial code is removed from the field. */
  const updateCountry = (current: string) => {
    const field = input.current
    const number = field ? international(field.value) : undefined
    const numberCountry = number && countryOf(number, current)
    if (!field || !numberCountry) return setCountry(current)
    if (numberCountry === current) setCountry(numberCountry)
    else choose(numberCountry)
    if (document.activeElement !== field) removeDialCode(field, number, numberCountry)
  }

  // The server renders the default country; the stored one is set before the next paint.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again only when the parent sets another number
  useLayoutEffect(() => {
    const stored = loadDialCountry()
    updateCountry(stored && isDialCountry(stored) ? stored : country)
  }, [defaultValue])

  // Joined when the form is read, because some browsers fill in fields without an event.
  useEffect(() => {
    const form = input.current?.form
    const join = ({ formData }: FormDataEvent) =>
      formData.set(
        fieldProps.name,
        joinPhone(dialCodeOf(picker.current?.value ?? DEFAULT_COUNTRY.code), String(formData.get(fieldProps.name))),
      )
    form?.addEventListener('formdata', join)
    return () => form?.removeEventListener('formdata', join)
  }, [fieldProps.name])

  return (
    <FieldFrame {...fieldProps}>
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
            onPointerEnter={loadCountries}
            onFocus={loadCountries}
            onChange={(event) => {
              const field = input.current
              const number = field ? international(field.value) : undefined
              const previous = number && countryOf(number, country)
              if (field && previous) removeDialCode(field, number, previous)
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
          onInput={() => updateCountry(country)}
          onBlur={() => updateCountry(country)}
          {...controlProps(fieldProps)}
        />
      </div>
    </FieldFrame>
  )
}

/** '+44 20…' and '0044 20…' → '+4420…'; undefined for a number without a dial code. */
function international(text: string): string | undefined {
  const digits = phoneDigits(text)
  if (digits.startsWith('+')) return digits
  return digits.startsWith('00') ? `+${digits.slice(2)}` : undefined
}

/** A number that would be too short alone keeps its dial code: it is valid only as a whole. */
function removeDialCode(field: HTMLInputElement, number: string, country: string) {
  const rest = nationalNumber(number, country)
  if (isPhoneLength(phoneDigits(rest))) field.value = rest
}
