import type { SelectHTMLAttributes } from 'react'
import { ChevronIcon } from '#web/icons.tsx'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'

type SelectOption = { value: string; text: string }
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'> & {
  options: SelectOption[]
  placeholder?: string
}

/** A native select. The placeholder of a required one is visible but cannot be chosen; an optional one can be cleared with it. */
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
  const fieldProps = { name, label, hint, error, optional }
  return (
    <FieldFrame {...fieldProps}>
      <div className="select">
        <select className="control" {...select} {...controlProps(fieldProps)}>
          {placeholder && (
            <option value="" disabled={!optional} hidden={!optional}>
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
