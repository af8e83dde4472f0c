import { useEffect, useLayoutEffect } from 'react'
import { whenPainted } from '#web/timing.ts'
import { findInStep, updatePageTitle } from './currentStep.ts'
import { currentEntry } from './history.ts'
import { ignoreSecondTap } from './ignoreSecondTap.ts'
import type { StepLoader } from './loading.ts'
import type { State } from './state.ts'
import type { Wizard } from './wizard.ts'

/** Follows Back, Forward and the other tabs, and saves the form when the page is left. */
export function useBrowserHistory(wizard: Wizard) {
  useEffect(() => {
    const unmount = new AbortController()
    const { signal } = unmount
    addEventListener('popstate', ({ state }) => wizard.followHistory(state), { signal })
    addEventListener('pagehide', () => wizard.saveForm(), { signal })
    const follow = () =>
      import('./otherTabs.ts').then(({ followOtherTabs }) => followOtherTabs(wizard)).catch(() => undefined)
    addEventListener('storage', follow, { signal })
    addEventListener('visibilitychange', follow, { signal })
    return () => unmount.abort()
  }, [wizard])
}

/** Restores the visitor's answers before the page is painted, then repeats a press that came before hydration. */
export function useResume(wizard: Wizard, steps: StepLoader, { isResumed }: State) {
  useLayoutEffect(() => {
    history.scrollRestoration = 'manual'
    wizard.resume()
  }, [wizard])

  useEffect(() => {
    if (!isResumed) return
    document.documentElement.classList.remove('resuming')
    if (currentEntry()?.from) updatePageTitle()
    const button = window.pressed
    window.pressed = null
    if (button) repeatPress(wizard, steps, button)
  }, [wizard, steps, isResumed])
}

async function repeatPress(wizard: Wizard, steps: StepLoader, button: HTMLElement) {
  await steps.loadNext(wizard.getState().step, wizard.start.policy).catch(() => undefined) // the press itself reports it
  document.documentElement.classList.remove('pressed')
  if (button.isConnected) button.click()
}

/** After a move: scrolls to the top, and focuses the requested field or the heading. */
export function useFocus({ moves, focusField }: State) {
  useEffect(() => {
    if (!moves) return
    ignoreSecondTap()
    scrollTo(0, 0)
    if (focusField) document.getElementById(focusField)?.focus()
    whenPainted(() => {
      updatePageTitle()
      if (!findInStep(':focus')) findInStep('h1')?.focus({ preventScroll: true })
    })
  }, [moves, focusField])
}
