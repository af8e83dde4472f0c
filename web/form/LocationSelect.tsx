import { type SelectHTMLAttributes, useLayoutEffect, useRef, useState } from 'react'
import type { Country } from '#contract/countries.ts'
import { chosenAfter, type Handed, matchOption, type Offer, type Option } from './country-options.ts'
import type { FieldProps } from './Field.tsx'
import { focusField } from './focusField.ts'
import { SelectField } from './SelectField.tsx'
import type { Countries } from './useCountries.ts'

/** The options of the spec, the same for both selectors, and what every field has. */
export type LocationSelectProps = FieldProps &
  Offer &
  Pick<SelectHTMLAttributes<HTMLSelectElement>, 'autoComplete' | 'disabled'> & {
    country?: string | undefined
    region?: string | undefined
    placeholder?: string
    /** What a form puts in at first, where `country` or `region` does not say. */
    defaultValue?: string
    /** To choose from; otherwise they are fetched when they are needed. */
    countries?: readonly Country[]
    /** Told of every choice, and of '' when a changed country clears the region. */
    onChange?: (value: string) => void
  }

type PlaceSelectProps = FieldProps &
  Pick<LocationSelectProps, 'autoComplete' | 'disabled' | 'placeholder' | 'onChange'> & {
    options: Option[]
    handed: Handed
    source: Countries
  }

/** A select whose options may come later or change. Until they are here it keeps what it was handed. */
export function LocationSelect({ options, handed, source, placeholder, onChange, hint, ...field }: PlaceSelectProps) {
  const loading = source.state === 'loading'
  const [chosen, choose] = useChosen(handed)
  const offered = source.state === 'here' ? options : withChosen(options, chosen)
  useStanding(field.name, offered, chosen)
  const again = () => {
    focusField(field.name) // the button that was pressed goes
    source.fetchAgain()
  }
  return (
    <SelectField
      {...field}
      aria-busy={loading || undefined}
      placeholder={loading ? 'Loading…' : placeholder}
      hint={source.state === 'failed' ? <Failed onAgain={again} /> : hint}
      options={offered}
      defaultValue={matchOption(offered, chosen)}
      onChange={({ currentTarget }) => {
        choose(currentTarget.value)
        onChange?.(currentTarget.value)
      }}
    />
  )
}

const withChosen = (options: Option[], value: string): Option[] =>
  !value || matchOption(options, value) ? options : [{ value, text: value, name: value }, ...options]

const Failed = ({ onAgain }: { onAgain: () => void }) => (
  <>
    The list could not be loaded.{' '}
    <button type="button" className="link" onClick={onAgain}>
      Try again
    </button>
  </>
)

/** What was chosen last, by hand or by what was handed in. */
function useChosen({ value, country }: Handed) {
  const [last, setLast] = useState({ value, country, chosen: value })
  const chosen = chosenAfter(last.chosen, last, { value, country })
  if (value !== last.value || country !== last.country) setLast({ value, country, chosen })
  return [chosen, (choice: string) => setLast({ value, country, chosen: choice })] as const
}

/** Keeps the choice standing when options come and go: without its option a select falls to the first, which nobody chose. */
function useStanding(name: string, options: Option[], chosen: string) {
  const before = useRef(chosen)
  const offered = options.map(({ value }) => value).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: `offered` stands for the options, which are made anew each time
  useLayoutEffect(() => {
    const select = document.getElementById(name)
    if (!(select instanceof HTMLSelectElement)) return
    const cleared = before.current !== '' && chosen === ''
    before.current = chosen
    select.value = matchOption(options, chosen)
    // The form, and whoever listens, hear of it as of any other change.
    if (cleared) for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
  }, [name, offered, chosen])
}
