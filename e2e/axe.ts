import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe has against a page, a line each. It looks once everything stands still: a dialog fading in has no contrast. */
export async function complaints(page: Page, within?: string): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getTiming().iterations === Infinity),
  )
  const axe = new AxeBuilder({ page })
  const { violations } = await (within ? axe.include(within) : axe).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
