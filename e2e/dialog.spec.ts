import { expect, type Page, test } from '@playwright/test'
import { complaints } from './axe.ts'

// The one dialog that needs no journey: Old Mill's link is inactive.

const onlyWay = 'Click here and sign up on our main website.'

async function arrive(page: Page) {
  await page.goto('/oldmill')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  return dialog
}

test('a dialog is named by its title, has the focus on its answer, and follows it', async ({ page }) => {
  const trouble: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') trouble.push(message.text())
  })
  const dialog = await arrive(page)
  await expect(dialog).toHaveAccessibleName(
    "Please be informed that Old Mill Button Exchange's website is currently inactive",
  )
  await expect(dialog).toHaveAttribute('data-state', 'open')
  await expect(dialog.getByRole('button')).toHaveText([onlyWay])
  await expect(dialog.getByRole('button', { name: onlyWay })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/master')
  expect(trouble).toEqual([])
})

test('a dialog that may not be dismissed stays, whatever is pressed', async ({ page }) => {
  const dialog = await arrive(page)
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await dialog.evaluate((element) => (element as HTMLDialogElement).close())
  await expect(dialog).toBeVisible()
  expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true)
  await expect(page).toHaveURL('/oldmill')
})

test('a dialog lies within reach: at the bottom of a phone, in the middle of a desktop', async ({ page }) => {
  const dialog = await arrive(page)
  await dialog.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
  const box = await dialog.boundingBox()
  const window = page.viewportSize()
  if (!box || !window) throw new Error('There is nothing to measure.')
  const above = box.y
  const below = window.height - box.y - box.height
  if (window.width < 640) expect([box.x, box.width, below].map(Math.round)).toEqual([0, window.width, 0])
  else expect(Math.abs(above - below)).toBeLessThan(2)
})

test('axe finds nothing in an open dialog', async ({ page }) => {
  await arrive(page)
  expect(await complaints(page, 'dialog')).toEqual([])
})

test('when its code cannot be fetched, the browser asks instead', async ({ page }) => {
  await page.route('**/assets/open-*.js', (route) => route.abort())
  const asked = page.waitForEvent('dialog')
  await page.goto('/oldmill', { waitUntil: 'commit' })
  const dialog = await asked
  expect(dialog.message()).toContain(onlyWay)
  await dialog.accept()
  await expect(page).toHaveURL('/master')
})
