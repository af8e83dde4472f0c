import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from '@playwright/test'
import type axeCore from 'axe-core'

declare const axe: typeof axeCore

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The only rules whose outcome depends on colors. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** Returns axe's violations, one line each. Waits for animations first: a dialog that is fading in has too little contrast. */
export async function findAxeViolations(page: Page, within?: string): Promise<string[]> {
  return runAxe(page, within ?? null)
}

/** Light with every rule, dark with those about colors: the rest of the page is the same. Leaves the page light. */
export async function findAxeViolationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await runAxe(page, null)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await runAxe(page, null, colorRules)
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((violation) => `dark ${violation}`)]
}

async function runAxe(page: Page, within: string | null, rules?: string[]): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getTiming().iterations === Infinity),
  )
  await loadEverywhere(page)
  return page.evaluate(
    async ({ within, rules }) => {
      const options = { resultTypes: ['violations' as const], ...(rules && { runOnly: rules }) }
      const { violations } = await axe.run(within ?? document, options)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    { within, rules },
  )
}

/** A preview follows what was typed, so a frame may just be changing to its next page. */
async function loadEverywhere(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('iframe')].every(({ src, contentDocument: shown }) => {
      if (!shown?.defaultView || !src) return true // of another site, or without an address
      const [arrival] = shown.defaultView.performance.getEntriesByType('navigation')
      return arrival?.name === src && shown.readyState === 'complete'
    }),
  )
  try {
    for (const frame of page.frames()) await loadAxe(frame)
  } catch (cause) {
    if (!/because of a navigation|frame was detached/i.test(String(cause))) throw cause
    await loadEverywhere(page)
  }
}

/** Once for each document: the script is large. Frames of other sites may report to the page, too. */
async function loadAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => 'axe' in window)) return
  await frame.evaluate(script)
  await frame.evaluate(() => axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] }))
}
