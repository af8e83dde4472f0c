/** When the browser has nothing better to do. */
export const whenIdle = (work: () => void): void => {
  const soon = globalThis.requestIdleCallback ?? setTimeout
  soon(() => work())
}

/** Once what has just changed is on the screen. */
export const whenPainted = (work: () => void): void => void requestAnimationFrame(() => setTimeout(work))

/** Whether somebody has begun to fill in the page, or has pressed a button of it. */
export const hasInteracted = (): boolean => Boolean(window.pressed) || document.activeElement !== document.body

/** Once, as soon as somebody begins to use the page, or at once if they have. The answer takes it back. */
export function whenInteracted(work: () => void): () => void {
  const forgotten = new AbortController()
  const { signal } = forgotten
  const begin = () => {
    forgotten.abort()
    work()
  }
  for (const event of ['pointerdown', 'keydown', 'focusin']) addEventListener(event, begin, { signal })
  if (hasInteracted()) begin()
  return () => forgotten.abort()
}
