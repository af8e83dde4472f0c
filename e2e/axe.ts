import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Returns axe's violations, one line each. Waits for animations first: a dialog that is fading in has too little contrast. */
export async function findAxeViolations(page: Page, within?: string): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getTiming().iterations === Infinity),
  )
  // Only a page with frames of other sites needs axe's second page, which takes three times as long.
  const axe = new AxeBuilder({ page })
    .setLegacyMode(page.frames().length === 1)
    .options({ resultTypes: ['violations'] })
  const { violations } = await (within ? axe.include(within) : axe).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
