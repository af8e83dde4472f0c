import { useEffect, useState } from 'react'

/** The token of a link in an email. It follows the #, because browsers never send that part to a server. */
export const linkToken = (): string => location.hash.slice(1)

/** The same for rendering: undefined until the page is hydrated. Event handlers may run earlier and call `linkToken`. */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>()
  useEffect(() => {
    setToken(linkToken())
    const reload = () => location.reload() // another link was opened in this tab: start over
    addEventListener('hashchange', reload)
    return () => removeEventListener('hashchange', reload)
  }, [])
  return token
}
