import type { ComponentProps, ReactNode } from 'react'
import { AlertIcon } from '#web/icons.tsx'

/** What every field has: where it goes, what it is called, and what is wrong with it. */
export type FieldProps = {
  name: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean | undefined
}

/** How a control is tied to its words. */
export const described = ({ name, hint, error }: Omit<FieldProps, 'label'>, more = '') => ({
  id: name,
  name,
  'aria-describedby': [hint && `${name}-hint`, more, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
})

/** Label, hint and message around any control. The message stands in the gap below, so nothing moves when it comes. */
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

/** What is wrong with a field. */
export const FieldError = ({ name, error }: Pick<FieldProps, 'name' | 'error'>) =>
  error && (
    <p className="error" id={`${name}-error`}>
      <AlertIcon />
      <span>{error}</span>
    </p>
  )

type InputProps = Omit<ComponentProps<'input'>, 'name'>

/** A line of text. Uncontrolled: what a person or a browser puts in stays in the DOM until it is read. */
export function Field({ name, label, hint, error, optional, children, ...input }: FieldProps & InputProps) {
  const words = { name, label, hint, error, optional }
  return (
    <FieldFrame {...words}>
      <input className="control" type="text" {...input} {...described(words)} />
      {children}
    </FieldFrame>
  )
}
