import { brand } from '#contract/brand.ts'

/** Finds an element in the step on screen. The step that was left and the pre-rendered one may be in the document too. */
export const findInStep = <Element extends HTMLElement>(selector: string): Element | null =>
  document.querySelector<Element>(`.step:not([hidden], .pre-rendered) ${selector}`)

/** Names the browser tab after the heading of the step. */
export const updatePageTitle = (heading = findInStep('h1')?.textContent ?? ''): void => {
  document.title = `${heading} · ${brand.name}`
}
