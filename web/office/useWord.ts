import { useEffect, useState } from 'react'

/** The word from a letter. It stands behind the # of the address, which no browser sends; undefined until it was looked for. */
export function useWord(): string | undefined {
  const [word, setWord] = useState<string>()
  useEffect(() => {
    const look = () => setWord(location.hash.slice(1))
    look()
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return word
}
