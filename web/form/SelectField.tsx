import type { SelectHTMLAttributes } from 'react'
import { ChevronIcon } from '#web/icons.tsx'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'

type SelectOption = { value: string; text: string }
type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'> & {
  options: SelectOption[]
  placeholder?: string
  /** The placeholder can be chosen, which clears the selection. An optional select always can. */
  canClear?: boolean
}

/** A native select. */
export function SelectField({
  options,
  placeholder,
  name,
  label,
  hint,
  error,
  optional,
  canClear = optional,
  ...select
}: FieldProps & SelectProps) {
  const fieldProps = { name, label, hint, error, optional }
  return (
    <FieldFrame {...fieldProps}>
      <div className="select">
        <select className="control" {...select} {...controlProps(fieldProps)}>
          {placeholder && (
            <option value="" disabled={!canClear} hidden={!canClear}>
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
