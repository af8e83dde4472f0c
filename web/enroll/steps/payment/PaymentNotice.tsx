import { useEffect, useEffectEvent, useState } from 'react'
import { Notice } from '#web/Notice.tsx'
import type { DeclineClass } from './payment.ts'

/** What stands beside the card: the last attempt cost nothing, or why it was not even made. */
export type News =
  | { kind: 'declined'; decline_class: DeclineClass }
  | { kind: 'released' }
  | { kind: 'refused'; message: string }

// What came of a press is told to who stands at the card by then: the step may have been left and entered again.
let hearing: ((heard: News | undefined) => void) | undefined
// What came while nobody stood there: who has gone back meanwhile finds it beside the card.
let unread: News | undefined

/** Tells whoever stands at the card now, or will. */
export function keepNews(heard: News | undefined) {
  unread = hearing ? undefined : heard
  hearing?.(heard)
}

/** The news for who stands at the card. `onHeard` is called before what comes while they do. */
export function useNews(onHeard: () => void) {
  const [news, setNews] = useState(unread)
  const heard = useEffectEvent(onHeard)
  useEffect(() => {
    unread = undefined
    hearing = (news) => {
      heard()
      setNews(news)
    }
    return () => {
      hearing = undefined
    }
  }, [])
  return news
}

const advice: Record<DeclineClass, string> = {
  input: 'Please check the number, the expiration date, the CVC and the address, or try another card.',
  card: 'The bank does not take this card for it. Please try another card.',
  bank: 'Please try another card, or ask your bank: it does not tell us why.',
}

/** Beside the card: what became of the last attempt, that it cost nothing, and what to try. */
export function NewsNotice({ news }: { news: News }) {
  return (
    <div id="news" tabIndex={-1} className="news">
      {news.kind === 'declined' && (
        <Notice tone="alert" title="Your card was declined. Nothing was charged.">
          {advice[news.decline_class]} What you entered is still here.
        </Notice>
      )}
      {news.kind === 'released' && (
        <Notice tone="alert" title="Your payment did not go through. Nothing was charged.">
          Please try again. What you entered is still here.
        </Notice>
      )}
      {news.kind === 'refused' && (
        <Notice tone="alert" title={news.message}>
          What you entered is still here.
        </Notice>
      )}
    </div>
  )
}
