import type { ComponentProps } from 'react'
import { controlProps, FieldFrame, type FieldProps } from '#web/form/Field.tsx'

type TextareaProps = Omit<ComponentProps<'textarea'>, 'name'>

/** A field for more than one line. */
export function TextareaField({ name, label, hint, error, optional, ...textarea }: FieldProps & TextareaProps) {
  const fieldProps = { name, label, hint, error, optional }
  return (
    <FieldFrame {...fieldProps}>
      <textarea className="control" {...textarea} {...controlProps(fieldProps)} />
    </FieldFrame>
  )
}
