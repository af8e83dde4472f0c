/**
 * Fetches the second script, once; its name stands beside the first one's. For somebody who has begun it also runs as soon as
 * both are here, but not while the page is still being read: the first one, which it brings along, needs all of it.
 */
export function loadSecondScript(isBegun: boolean) {
  const first = document.querySelector<HTMLScriptElement>('[data-next]')
  const { next } = first?.dataset ?? {}
  if (!next) return
  delete first?.dataset.next
  if (isBegun && document.readyState !== 'loading') import(/* @vite-ignore */ next).catch(() => undefined)
  else document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: next }))
}
