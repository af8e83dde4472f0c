import type { SelectHTMLAttributes } from 'react'
import { ChevronIcon } from '#web/icons.tsx'
import { described, FieldFrame, type FieldProps } from './Field.tsx'

type Option = { value: string; text: string }
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'> & { options: Option[]; placeholder?: string }

/** One of several, by the platform's own list. The placeholder can be seen but not chosen. */
export function SelectField({
  options,
  placeholder,
  name,
  label,
  hint,
  error,
  optional,
  ...select
}: FieldProps & SelectProps) {
  const words = { name, label, hint, error, optional }
  return (
    <FieldFrame {...words}>
      <div className="select">
        <select className="control" {...select} {...described(words)}>
          {placeholder && (
            <option value="" disabled hidden>
              {placeholder}
            </option>
          )}
          {options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <ChevronIcon />
      </div>
    </FieldFrame>
  )
}
