import { expect, test } from '@playwright/test'
import { fillAccount, newVisitor, next } from './visitor.ts'

// The phone's code, on the site with every step switched on.

test('13.3 CODE_VERIFICATION shows the number, waits before it sends another code, and says when a code cannot be checked', async ({
  page,
}) => {
  await page.goto(new URL('/ana', process.env.BASE_URL_ALL_STEPS).href)
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  for (const step of ['Would you like to add anything?', 'Special offer']) {
    await expect(page.getByRole('heading', { name: step })).toBeVisible()
    await page.getByRole('button', { name: /Continue without/ }).click()
  }
  const numbers: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/send-verification-code')) numbers.push(request.postDataJSON().phone_number)
  })
  const digits = String(Math.floor(Math.random() * 9000) + 1000)
  await fillAccount(page, { ...newVisitor(), phone: `(303) 555-${digits}` })
  await next(page)
  await page.getByRole('dialog', { name: 'Code Sent' }).getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText(`+1 (303) 555-${digits}`)).toBeVisible()
  const resend = page.getByRole('button', { name: /^Resend code in \d+ seconds$/ })
  await expect(resend).toHaveAttribute('aria-disabled', 'true')
  await resend.click({ force: true })

  await page.route('**/api/twilio/verify-code', (route) => route.abort())
  await page.locator('[name=code]').fill('123456')
  await next(page)
  await expect(page.locator('#code-error')).toHaveText('An error occurred while verifying the code.')
  await page.unroute('**/api/twilio/verify-code')
  await page.route('**/api/twilio/verify-code', (route) => route.fulfill({ json: { status: 0, message: 'Not this.' } }))
  await next(page)
  await expect(page.locator('#code-error')).toHaveText('Not this.')
  expect(numbers).toEqual([`+1303555${digits}`])
})
