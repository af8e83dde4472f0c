/**
 * Loads the second script, once; its name is an attribute of the first script's tag. Once the visitor has started, it also
 * runs as soon as it arrives, but not while the HTML is still loading: it runs the first script, which needs all of it.
 */
export function loadSecondScript(hasStarted: boolean) {
  const first = document.querySelector<HTMLScriptElement>('[data-next]')
  const { next } = first?.dataset ?? {}
  if (!next) return
  delete first?.dataset.next
  if (hasStarted && document.readyState !== 'loading') import(/* @vite-ignore */ next).catch(() => undefined)
  else document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: next }))
}
