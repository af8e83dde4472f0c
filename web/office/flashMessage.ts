import { useEffect, useState } from 'react'

/** Reloads the office at `path` and shows a message there once. Back does not return to the current page. */
export function redirectWithMessage(path: string, message: string): void {
  history.replaceState({ message }, '', path)
  location.reload() // keeps the state of the history entry
}

/** Where a member goes after signing in: the page that asked for it, if it can be opened again, or the office. */
export const signedInPath = (): string =>
  /^\/office\/(security|credit-notes\/\d+)$/.test(location.pathname) ? location.pathname : '/office'

/** The message left by `redirectWithMessage`. Reading it removes it. */
export function useFlashMessage(): string | undefined {
  const [message, setMessage] = useState<string>()
  useEffect(() => {
    setMessage(history.state?.message)
    history.replaceState(null, '')
  }, [])
  return message
}
