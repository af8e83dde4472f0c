import { type InputHTMLAttributes, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { joinPhone } from '#contract/phone.ts'
import type { Policy } from '#contract/start.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { loadDialCountry, saveDialCountry } from '#web/storage.ts'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'

const DEFAULT_COUNTRY = { code: 'US', label: 'United States (+1)' }
const DEFAULT_DIAL_CODE = '1'

let dialCodes: typeof import('./dial-codes.ts') | undefined

/** The other countries come with the wizard's second script. Until they are loaded, no other can be chosen. */
export const loadDialCodes = async (): Promise<void> => {
  dialCodes ??= await import('./dial-codes.ts')
}

/** At once if they are loaded. Without them the picker stays as it is, and a number with a dial code is sent as typed. */
const withDialCodes = (use: (codes: NonNullable<typeof dialCodes>) => void): void => {
  if (dialCodes) use(dialCodes)
  else
    loadDialCodes().then(
      () => dialCodes && use(dialCodes),
      () => undefined,
    )
}

const dialCodeOf = (country: string) => dialCodes?.dialCodeOf(country) ?? DEFAULT_DIAL_CODE

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
    () => (dialCodes && (isPickerUsed || !isDefault) ? dialCodes.countriesByName() : [DEFAULT_COUNTRY]),
    [isPickerUsed, isDefault],
  )

  /** Naming all countries takes time, so it waits until the picker is needed. */
  const loadCountries = () => withDialCodes(() => setPickerUsed(true))

  const choose = (code: string) => {
    setCountry(code)
    saveDialCountry(code)
  }

  /** Sets the picker to the number's own country. After typing ends, the number is grouped, without its dial code. */
  const updateCountry = (current: string) => {
    const field = input.current
    setCountry(current)
    if (!field?.value) return
    withDialCodes(({ readPhone }) => {
      const { country, shown } = readPhone(field.value, current)
      if (country !== current) choose(country)
      if (document.activeElement !== field) field.value = shown
    })
  }

  // The server renders the default country; the stored one is set before the next paint.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again only when the parent sets another number
  useLayoutEffect(() => {
    const stored = loadDialCountry()
    if (!stored || stored === country) updateCountry(country)
    else withDialCodes(({ isDialCountry }) => updateCountry(isDialCountry(stored) ? stored : country))
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
              if (field && dialCodes) field.value = dialCodes.readPhone(field.value, country).shown
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
