import { useEffect, useState } from 'react'

/** The word from a letter, for who sends it. It stands behind the # of the address, which no browser sends. */
export const wordInAddress = (): string => location.hash.slice(1)

/** The same, for what is shown; undefined until it was looked for. A press from before the script comes sooner than that. */
export function useWord(): string | undefined {
  const [word, setWord] = useState<string>()
  useEffect(() => {
    setWord(wordInAddress())
    const beginAnew = () => location.reload() // another letter's link: what was said about the one before is not about it
    addEventListener('hashchange', beginAnew)
    return () => removeEventListener('hashchange', beginAnew)
  }, [])
  return word
}
