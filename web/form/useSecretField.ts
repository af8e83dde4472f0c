import { useEffect, useRef } from 'react'

/**
 * For a field with a secret. Browsers save form values to disk to restore the page later, except in fields with
 * autocomplete=off. So that is set while the field has a value; while it is empty, the browser may autofill it.
 */
export function useSecretField(token: string) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const input = field.current
    const update = () => input?.setAttribute('autocomplete', input.value ? 'off' : token)
    update()
    for (const event of ['input', 'change']) input?.addEventListener(event, update)
    return () => {
      for (const event of ['input', 'change']) input?.removeEventListener(event, update)
    }
  }, [token])
  return field
}
