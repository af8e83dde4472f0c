import { useEffect, useState } from 'react'

/** Opens a page of the office anew, with something to say there. The page before it is not kept for Back. */
export function goTo(path: string, news: string): void {
  history.replaceState({ news }, '', path)
  location.reload() // the state of an entry outlives that
}

/** What the page before wanted to be said here; once. */
export function useNews(): string | undefined {
  const [news, setNews] = useState<string>()
  useEffect(() => {
    setNews(history.state?.news)
    history.replaceState(null, '')
  }, [])
  return news
}
