import { type SelectHTMLAttributes, useLayoutEffect, useRef, useState } from 'react'
import type { Country } from '#contract/countries.ts'
import {
  type ExternalValue,
  matchOption,
  type OptionFilter,
  type PlaceOption,
  selectionAfter,
} from './country-options.ts'
import { type FieldProps, focusField } from './Field.tsx'
import { SelectField } from './SelectField.tsx'
import type { Countries } from './useCountries.ts'

/** The spec's options, the same for both selectors. */
export type LocationSelectProps = FieldProps &
  OptionFilter &
  Pick<SelectHTMLAttributes<HTMLSelectElement>, 'autoComplete' | 'disabled'> & {
    country?: string | undefined
    region?: string | undefined
    placeholder?: string
    /** The initial value if `country` or `region` is not given. */
    defaultValue?: string
    /** Loaded when needed if not given. */
    countries?: readonly Country[]
    /** Also called with '' when a changed country clears the region. */
    onChange?: (value: string) => void
  }

type PlaceSelectProps = FieldProps &
  Pick<LocationSelectProps, 'autoComplete' | 'disabled' | 'placeholder' | 'onChange'> & {
    options: PlaceOption[]
    external: ExternalValue
    source: Countries
    canClear?: boolean
  }

/** A select whose options may load later or change. Until they are loaded it keeps its initial value. */
export function LocationSelect({ options, external, source, placeholder, onChange, hint, ...field }: PlaceSelectProps) {
  const loading = source.state === 'loading'
  const [selection, select] = useSelection(external)
  const available = source.state === 'loaded' ? options : withSelection(options, selection)
  useKeepSelection(field.name, available, selection)
  const retry = () => {
    focusField(field.name) // the button that was pressed is about to disappear
    source.fetchAgain()
  }
  return (
    <SelectField
      {...field}
      aria-busy={loading || undefined}
      placeholder={loading ? 'Loading…' : placeholder}
      hint={source.state === 'failed' ? <LoadFailed onRetry={retry} /> : hint}
      options={available}
      defaultValue={matchOption(available, selection)}
      onChange={({ currentTarget }) => {
        select(currentTarget.value)
        onChange?.(currentTarget.value)
      }}
    />
  )
}

const withSelection = (options: PlaceOption[], value: string): PlaceOption[] =>
  !value || matchOption(options, value) ? options : [{ value, text: value, name: value }, ...options]

const LoadFailed = ({ onRetry }: { onRetry: () => void }) => (
  <>
    The list could not be loaded.{' '}
    <button type="button" className="link" onClick={onRetry}>
      Try again
    </button>
  </>
)

/** The latest choice, whether the visitor or the props made it. */
function useSelection({ value, country }: ExternalValue) {
  const [last, setLast] = useState({ value, country, selection: value })
  const selection = selectionAfter(last.selection, last, { value, country })
  if (value !== last.value || country !== last.country) setLast({ value, country, selection })
  return [selection, (choice: string) => setLast({ value, country, selection: choice })] as const
}

/** Sets the selection again when the options change, because a browser would jump to the first option. */
function useKeepSelection(name: string, options: PlaceOption[], selection: string) {
  const previous = useRef(selection)
  const optionValues = options.map(({ value }) => value).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: `optionValues` represents the options, which are a new array in every render
  useLayoutEffect(() => {
    const select = document.getElementById(name)
    if (!(select instanceof HTMLSelectElement)) return
    const isCleared = previous.current !== '' && selection === ''
    previous.current = selection
    select.value = matchOption(options, selection)
    // The form must notice this like any other change.
    if (isCleared) for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
  }, [name, optionValues, selection])
}
