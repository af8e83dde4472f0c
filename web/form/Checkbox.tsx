import type { ChangeEvent, ReactNode } from 'react'
import { controlProps, FieldError } from './Field.tsx'

type CheckboxProps = {
  name: string
  /** '1' if it is checked initially. */
  defaultValue: string
  error: string | undefined
  /** The sentence beside the box. It may contain buttons, so each piece of text has its own label element. */
  children: ReactNode
  onChange?: (event: ChangeEvent<HTMLInputElement>) => void
}

/** A checkbox; the form reads '1' or '0'. */
export function Checkbox({ name, defaultValue, error, children, onChange }: CheckboxProps) {
  const sentence = `${name}-sentence`
  return (
    <div className="field tick" data-field={name}>
      <div className="tick-row">
        <input
          type="checkbox"
          value="1"
          defaultChecked={defaultValue === '1'}
          onChange={onChange}
          aria-labelledby={sentence}
          {...controlProps({ name, error })}
        />
        <span id={sentence}>{children}</span>
      </div>
      <FieldError name={name} error={error} />
    </div>
  )
}
