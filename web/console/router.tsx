import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react'

/** The address inside the console: everything that a screen shows is in it, so that a link or a reload shows the same. */

export const CHANGED = 'console:address'

/** Sent before the screen changes, and before a sign-out. A listener that prevents it may call `go` later. */
export const LEAVING = 'console:leaving'
export type Leaving = CustomEvent<Departure>

/** A sign-out goes to no address. After Back, the browser is there already. */
type Departure = { to?: string; isBack?: boolean; go: () => void }

/** Goes, unless a form objects. */
export function leave(departure: Departure) {
  if (dispatchEvent(new CustomEvent(LEAVING, { cancelable: true, detail: departure }))) departure.go()
}

const announce = () => dispatchEvent(new Event(CHANGED))

/** Follows Back and Forward. Once for the whole console, so that a form is asked once. */
export function useBackButton() {
  useEffect(() => {
    const onBack = () => leave({ to: location.href, isBack: true, go: announce })
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])
}

function subscribe(onChange: () => void) {
  addEventListener(CHANGED, onChange)
  return () => removeEventListener(CHANGED, onChange)
}

export function useAddress(): { path: string; query: URLSearchParams } {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search)
  const { pathname, searchParams } = new URL(address, location.origin)
  return { path: pathname.replace(/\/+$/, '') || '/', query: searchParams }
}

/** Goes to a screen, unless a form objects. `replace` changes the address without an entry in the browser's history. */
export function navigate(to: string, { replace = false, state = null as unknown } = {}) {
  const go = () => {
    history[replace ? 'replaceState' : 'pushState'](state, '', to)
    announce()
    if (!replace) scrollTo(0, 0)
  }
  leave({ to, go })
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
