import { expect, type Page, test } from '@playwright/test'
import type { Question } from '../web/dialog/question.ts'
import type * as harness from './dialog-harness.tsx'
import { loadHarness } from './harness.ts'

test.use({ reducedMotion: 'no-preference' })

declare const dialogs: typeof harness

loadHarness('dialog-harness.tsx', 'dialogs')

/** Opens a dialog, does something to it, and returns its answer. */
async function answerTo(page: Page, question: Question, action: () => Promise<unknown>) {
  const answer = page.evaluate((question) => dialogs.answerTo(question), question)
  await expect(page.getByRole('dialog')).toBeVisible()
  await action()
  const result = await answer
  await expect(page.getByRole('dialog')).toHaveCount(0)
  return result
}

test('25.12 a dialog is confirmed, denied, or dismissed by close, cancel, backdrop, Esc or timer', async ({ page }) => {
  const question: Question = { title: 'Keep it?', deny: true, cancel: true }
  const press = (name: string) => () => page.getByRole('button', { name, exact: true }).click()
  expect(await answerTo(page, question, press('OK'))).toEqual({ confirmed: true })
  expect(await answerTo(page, question, press('No'))).toEqual({ denied: true })
  expect(await answerTo(page, question, press('Cancel'))).toEqual({ dismissed: 'cancel' })
  expect(await answerTo(page, question, press('Close this dialog'))).toEqual({ dismissed: 'close' })
  expect(await answerTo(page, question, () => page.mouse.click(5, 5))).toEqual({ dismissed: 'backdrop' })
  expect(await answerTo(page, question, () => page.keyboard.press('Escape'))).toEqual({ dismissed: 'esc' })
  const waiting = () => page.mouse.move(5, 5)
  expect(await answerTo(page, { title: 'Soon gone', timer: 300 }, waiting)).toEqual({ dismissed: 'timer' })
})

test('25.12 a dialog that is loading cannot be dismissed', async ({ page }) => {
  const answer = page.evaluate(() => dialogs.answerAfterAction({ title: 'Cancel membership?', cancel: true }))
  const dialog = page.getByRole('dialog')
  await expect(dialog).toHaveAttribute('data-state', 'open')
  await page.getByRole('button', { name: 'OK' }).click()
  await expect(dialog).toHaveAttribute('data-state', 'loading')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  for (const name of ['Cancel', 'Close this dialog'])
    await page.getByRole('button', { name, exact: true }).click({ force: true })
  await expect(dialog).toHaveAttribute('data-state', 'loading')
  await page.evaluate('finishAction()')
  expect(await answer).toEqual({ confirmed: true })
})

for (const [type, wrong, message, right] of [
  ['email', 'ana@example', 'Invalid email address', 'ana@example.com'],
  ['url', 'example.com', 'Invalid URL', 'https://example.com'],
] as const)
  test(`25.12 a dialog that asks for a value of type ${type} says "${message}" until it is right`, async ({ page }) => {
    const question: Question = { title: 'Please tell us', input: { type, label: 'Answer' } }
    const answer = await answerTo(page, question, async () => {
      await page.getByLabel('Answer').fill(wrong)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('dialog')).toContainText(message)
      await page.getByLabel('Answer').fill(right)
      await expect(page.getByRole('dialog')).not.toContainText(message)
      await page.keyboard.press('Enter')
    })
    expect(answer).toEqual({ confirmed: true, value: right })
  })
