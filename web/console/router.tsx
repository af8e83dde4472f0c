import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'

/** The address inside the console: everything that a screen shows is in it, so that a link or a reload shows the same. */

export const CHANGED = 'console:address'

/** Sent before the screen changes. A listener that prevents it may navigate later. */
export const LEAVING = 'console:leaving'
export type Leaving = CustomEvent<{ to: string; isBack: boolean }>

const mayLeave = (to: string, isBack = false) =>
  dispatchEvent(new CustomEvent(LEAVING, { cancelable: true, detail: { to, isBack } }))

function subscribe(onChange: () => void) {
  const onBack = () => mayLeave(location.href, true) && onChange()
  addEventListener('popstate', onBack)
  addEventListener(CHANGED, onChange)
  return () => {
    removeEventListener('popstate', onBack)
    removeEventListener(CHANGED, onChange)
  }
}

export function useAddress(): { path: string; query: URLSearchParams } {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search)
  const { pathname, searchParams } = new URL(address, location.origin)
  return { path: pathname.replace(/\/+$/, '') || '/', query: searchParams }
}

/** Goes to another screen, unless a form objects. `replace` changes the address without an entry in the browser's history. */
export function navigate(to: string, { replace = false, isSure = false, state = null as unknown } = {}) {
  if (!isSure && !mayLeave(to)) return
  history[replace ? 'replaceState' : 'pushState'](state, '', to)
  dispatchEvent(new Event(CHANGED))
  if (!replace) scrollTo(0, 0)
}

type LinkProps = { to: string; className?: string; isCurrent?: boolean; children: ReactNode }

/** A real link, so that it can be opened in another tab. */
export function Link({ to, className, isCurrent, children }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={to} className={className} aria-current={isCurrent ? 'page' : undefined} onClick={onClick}>
      {children}
    </a>
  )
}

/** '?state=ended' from what is set; '' if nothing is. */
export function toQuery(values: Record<string, string | undefined>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return entries.length ? `?${new URLSearchParams(entries)}` : ''
}
