import { expect, type Page, test } from '@playwright/test'
import { findAxeViolations } from './axe.ts'

test.use({ reducedMotion: 'no-preference' })

// Old Mill's link is inactive, so its page opens with a dialog.

const onlyButton = 'Click here and sign up on our main website.'

async function openDialog(page: Page) {
  await page.goto('/oldmill')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  return dialog
}

test('a dialog is named by its title, focuses its button, and does what the button says', async ({ page }) => {
  const warnings: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') warnings.push(message.text())
  })
  const dialog = await openDialog(page)
  await expect(dialog).toHaveAccessibleName(
    "Please be informed that Old Mill Button Exchange's website is currently inactive",
  )
  await expect(dialog).toHaveAttribute('data-state', 'open')
  await expect(dialog.getByRole('button')).toHaveText([onlyButton])
  await expect(dialog.getByRole('button', { name: onlyButton })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/master')
  expect(warnings).toEqual([])
})

test('a dialog that cannot be dismissed stays open, whatever the visitor does', async ({ page }) => {
  const dialog = await openDialog(page)
  for (let count = 0; count < 3; count++) await page.keyboard.press('Escape')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (let count = 0; count < 3; count++) await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await dialog.evaluate((element) => (element as HTMLDialogElement).close())
  await expect(dialog).toBeVisible()
  expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true)
  await expect(page).toHaveURL('/oldmill')
})

test('a dialog is at the bottom of a phone and in the middle of a desktop', { tag: '@width' }, async ({ page }) => {
  const dialog = await openDialog(page)
  await dialog.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
  const box = await dialog.boundingBox()
  const window = page.viewportSize()
  if (!box || !window) throw new Error('The dialog has no box.')
  const above = box.y
  const below = window.height - box.y - box.height
  if (window.width < 640) expect([box.x, box.width, below].map(Math.round)).toEqual([0, window.width, 0])
  else expect(Math.abs(above - below)).toBeLessThan(2)
})

test('axe finds nothing in an open dialog', { tag: '@width' }, async ({ page }) => {
  await openDialog(page)
  expect(await findAxeViolations(page, 'dialog')).toEqual([])
})

test('a dialog whose code cannot be loaded is replaced by the browser’s confirm box', async ({ page }) => {
  await page.route('**/assets/openDialog-*', (route) => route.abort())
  const nativeDialog = page.waitForEvent('dialog')
  await page.goto('/oldmill', { waitUntil: 'commit' })
  const dialog = await nativeDialog
  expect(dialog.message()).toContain(onlyButton)
  await dialog.accept()
  await expect(page).toHaveURL('/master')
})
