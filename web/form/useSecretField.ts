import { useEffect, useRef } from 'react'

/**
 * For a field that holds a secret. A browser writes what stands in a form to its disk, to restore the page one day, unless
 * the field says autocomplete=off. So it says so as soon as it holds something; while it is empty, the browser may fill it.
 */
export function useSecretField(token: string) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const input = field.current
    const hush = () => input?.setAttribute('autocomplete', input.value ? 'off' : token)
    hush()
    for (const event of ['input', 'change']) input?.addEventListener(event, hush)
    return () => {
      for (const event of ['input', 'change']) input?.removeEventListener(event, hush)
    }
  }, [token])
  return field
}
