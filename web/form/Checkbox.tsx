import type { ChangeEvent, ReactNode } from 'react'
import { described, FieldError } from './Field.tsx'

type CheckboxProps = {
  name: string
  /** '1' when it is ticked at first. */
  defaultValue: string
  error: string | undefined
  /** The sentence. What stands in it may be pressed on its own, so each piece of text is a label of its own. */
  children: ReactNode
  onChange?: (event: ChangeEvent<HTMLInputElement>) => void
}

/** A box to tick; the form reads '1' or '0'. */
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
          {...described({ name, error })}
        />
        <span id={sentence}>{children}</span>
      </div>
      <FieldError name={name} error={error} />
    </div>
  )
}
