import { useEffect, useState } from 'react'

/** Reloads the office at `path` and shows a message there once. Back does not return to the current page. */
export function redirectWithMessage(path: string, message: string): void {
  history.replaceState({ message }, '', path)
  location.reload() // keeps the state of the history entry
}

/** The message left by `redirectWithMessage`. Reading it removes it. */
export function useFlashMessage(): string | undefined {
  const [message, setMessage] = useState<string>()
  useEffect(() => {
    setMessage(history.state?.message)
    history.replaceState(null, '')
  }, [])
  return message
}
