import { useEffect, useRef } from 'react'

const FIELD = 'input, textarea, select, dialog *'

/**
 * Moves the focus to the heading of a new screen once it renders; otherwise the focus is lost with the link that was clicked, or with
 * the form that someone signed in with. Leaves it alone if someone is already typing or using a filter.
 */
export function useHeadingFocus(path: string, query: string) {
  const last = useRef<string>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query may have replaced what had the focus
  useEffect(() => {
    const isFirst = last.current === undefined
    const isNewScreen = last.current !== path
    last.current = path
    if (isFirst && !navigator.userActivation?.hasBeenActive) return // the page was opened here: no one pressed anything yet
    const find = () => document.querySelector<HTMLElement>('#main h1')
    const focus = () => {
      const heading = find()
      if (!heading) return false
      const active = document.activeElement
      const isLost = !active || active === document.body
      if (isLost || (isNewScreen && !active.matches(FIELD))) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }
      return true
    }
    if (focus()) return
    const observer = new MutationObserver(() => focus() && observer.disconnect())
    observer.observe(document.getElementById('main') ?? document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path, query])
}
