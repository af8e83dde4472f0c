import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { OfficeView } from '#contract/office-calls.ts'

export type Office = ReturnType<typeof useOffice>

/** The part of the office in which something was done. */
type Place = 'details' | 'membership'

/** What the member sees, kept as the server last told it, and what was done last. */
export function useOffice(start: OfficeView) {
  const [view, setView] = useState(start)
  const [done, setDone] = useState<{ place: Place; news: string }>()
  return {
    view,
    newsOf: (place: Place) => (done?.place === place ? done.news : undefined),
    /** Something was done: shows it, says so, and brings the focus to an element that is there now, if it should go anywhere. */
    tell: (place: Place, news: string, focus?: string, told?: OfficeView) => {
      flushSync(() => {
        if (told) setView(told)
        setDone({ place, news })
      })
      if (focus) document.getElementById(focus)?.focus()
    },
    /** Something else begins: what was said is old. */
    hush: () => setDone(undefined),
  }
}
