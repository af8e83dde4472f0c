import { expect, type Page, test } from '@playwright/test'
import { fillAccount, newPhone, newVisitor, next } from './visitor.ts'

// The phone's code, on the site with every step switched on.

const code = (page: Page) => page.locator('[name=code]')
const codeSent = (page: Page) => page.getByRole('dialog', { name: 'Code Sent' })

async function reachAccount(page: Page) {
  await page.goto(new URL('/ana', process.env.BASE_URL_ALL_STEPS).href)
  await page.getByRole('button', { name: /Founding Membership/ }).click()
  for (const step of ['Would you like to add anything?', 'Special offer']) {
    await expect(page.getByRole('heading', { name: step })).toBeVisible()
    await page.getByRole('button', { name: /Continue without/ }).click()
  }
}

test('13.3 CODE_VERIFICATION shows the number, waits before it sends another code, and says when a code cannot be checked', async ({
  page,
}) => {
  await reachAccount(page)
  const numbers: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/send-verification-code')) numbers.push(request.postDataJSON().phone_number)
  })
  const phone = newPhone()
  const [area, digits] = [phone.slice(2, 5), phone.slice(8)]
  await fillAccount(page, { ...newVisitor(), phone: `(${area}) 555-${digits}` })
  await next(page)
  await codeSent(page).getByRole('button', { name: 'OK' }).click()
  await expect(page.getByText(`+1 (${area}) 555-${digits}`)).toBeVisible()
  const resend = page.getByRole('button', { name: /^Resend code in \d+ seconds$/ })
  await expect(resend).toHaveAttribute('aria-disabled', 'true')
  await resend.click({ force: true })

  await page.route('**/api/twilio/verify-code', (route) => route.abort())
  await code(page).fill('123456')
  await expect(page.locator('#code-error')).toHaveText('An error occurred while verifying the code.')
  await page.unroute('**/api/twilio/verify-code')
  await page.route('**/api/twilio/verify-code', (route) => route.fulfill({ json: { status: 0, message: 'Not this.' } }))
  await next(page)
  await expect(page.locator('#code-error')).toHaveText('Not this.')
  expect(numbers).toEqual([phone])
})

/** Answers for the server: every code is wrong except this one. Returns the codes that were checked. */
async function acceptOnly(page: Page, rightCode: string) {
  const checked: string[] = []
  await page.route('**/api/twilio/send-verification-code', (route) =>
    route.fulfill({ json: { status: 1, message: '' } }),
  )
  await page.route('**/api/twilio/verify-code', (route) => {
    const entry = route.request().postDataJSON().code
    checked.push(entry)
    return route.fulfill({ json: { status: entry === rightCode ? 1 : 0, message: 'Not this.' } })
  })
  return checked
}

test('13.9 13.10 digits typed or pasted behind Code Sent close it and reach the field, and a complete code is checked once', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await reachAccount(page)
  const checked = await acceptOnly(page, '246810')
  await fillAccount(page, newVisitor())
  await next(page)
  await codeSent(page).waitFor()
  await page.keyboard.type('12345')
  await expect(codeSent(page)).toHaveCount(0)
  await expect(code(page)).toBeFocused()
  await expect(code(page)).toHaveValue('12345')
  expect(checked, 'the code is not complete').toEqual([])
  await page.keyboard.type('6')
  await expect(page.locator('#code-error')).toHaveText('Not this.')
  await page.keyboard.type('123456') // replaces the wrong code
  await expect(code(page)).toHaveValue('123456')
  expect(checked, 'the same wrong code is not sent again').toEqual(['123456'])

  await page.evaluate(() => {
    const draft = JSON.parse(localStorage.getItem('foyer.draft') ?? '{}')
    localStorage.setItem('foyer.draft', JSON.stringify({ ...draft, phones: {} }))
  })
  await page.reload() // sends another code, as none is remembered
  await codeSent(page).waitFor()
  await page.evaluate(() => navigator.clipboard.writeText('246 810'))
  await page.keyboard.press('ControlOrMeta+V')
  await page.getByRole('dialog', { name: 'Verification Successful' }).getByRole('button', { name: 'Proceed' }).click()
  await expect(page.getByLabel('Email address')).toBeVisible()
  expect(checked).toEqual(['123456', '246810'])
})

test('13.9 13.10 a code that the browser fills in behind Code Sent closes it and is checked', async ({ page }) => {
  await reachAccount(page)
  const checked = await acceptOnly(page, '246810')
  await fillAccount(page, newVisitor())
  await next(page)
  await codeSent(page).waitFor()
  await code(page).evaluate((field: HTMLInputElement) => {
    field.value = '246810'
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await expect(page.getByRole('dialog', { name: 'Verification Successful' })).toBeVisible()
  expect(checked).toEqual(['246810'])
})
