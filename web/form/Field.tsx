import type { ComponentProps, ReactNode } from 'react'
import { AlertIcon } from '#web/icons.tsx'

export type FieldProps = {
  name: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean | undefined
}

/** Connects a control to its label, hint and error. */
export const controlProps = ({ name, hint, error }: Omit<FieldProps, 'label'>, describedBy = '') => ({
  id: name,
  name,
  'aria-describedby':
    [hint && `${name}-hint`, describedBy, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
})

/** Label, hint and error around any control. The error fits into the gap below, so that nothing moves when it appears. */
export function FieldFrame({ name, label, hint, error, optional, children }: FieldProps & { children: ReactNode }) {
  return (
    <div className="field" data-field={name}>
      <label htmlFor={name}>
        {label}
        {optional && <span className="optional"> (optional)</span>}
      </label>
      {hint && (
        <p className="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      <FieldError name={name} error={error} />
    </div>
  )
}

export const FieldError = ({ name, error }: Pick<FieldProps, 'name' | 'error'>) =>
  error && (
    <p className="error" id={`${name}-error`}>
      <AlertIcon />
      <span>{error}</span>
    </p>
  )

type InputProps = Omit<ComponentProps<'input'>, 'name'>

/** A text field. Uncontrolled: what the visitor or the browser enters stays in the DOM until it is read. */
export function Field({ name, label, hint, error, optional, children, ...input }: FieldProps & InputProps) {
  const fieldProps = { name, label, hint, error, optional }
  return (
    <FieldFrame {...fieldProps}>
      <input className="control" type="text" {...input} {...controlProps(fieldProps)} />
      {children}
    </FieldFrame>
  )
}

/** Scrolls the field and its message into view, even if it has the focus: on a phone the button would cover them. */
export function focusField(name: string): void {
  document.getElementById(name)?.focus()
  for (const id of [name, `${name}-error`]) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
}
