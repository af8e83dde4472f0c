import { expect, type Locator, type Page } from '@playwright/test'

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator) {
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 60 && !(await isFocused()); tabs++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

export async function pressByKeyboard(page: Page, target: Locator) {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

export async function typeByKeyboard(page: Page, target: Locator, text: string) {
  await tabTo(page, target)
  await page.keyboard.type(text)
}
