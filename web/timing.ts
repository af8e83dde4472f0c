/** Runs work when the browser is idle. */
export const whenIdle = (work: () => void): void => {
  const schedule = globalThis.requestIdleCallback ?? setTimeout
  schedule(() => work())
}

/** Runs work after the next paint. */
export const whenPainted = (work: () => void): void => void requestAnimationFrame(() => setTimeout(work))

/** Whether the visitor has focused a field or pressed a button. */
export const hasInteracted = (): boolean => Boolean(window.pressed) || document.activeElement !== document.body

/** Runs work once, on the first interaction, or now if there was one. Returns a function that cancels it. */
export function whenInteracted(work: () => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  const run = () => {
    controller.abort()
    work()
  }
  for (const event of ['pointerdown', 'keydown', 'focusin']) addEventListener(event, run, { signal })
  if (hasInteracted()) run()
  return () => controller.abort()
}
