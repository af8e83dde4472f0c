/** Fetches the second script, whose name stands beside the first one's, without running it yet. */
export function bringNext() {
  const { next } = document.querySelector<HTMLScriptElement>('[data-next]')?.dataset ?? {}
  if (!next || document.querySelector('[rel=modulepreload]')) return
  document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: next }))
}
