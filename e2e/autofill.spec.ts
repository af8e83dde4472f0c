import { expect, test } from '@playwright/test'
import { fillAccount, newVisitor, next, reachPayment, waitForHydration } from './visitor.ts'

test('12.5 values that were autofilled without events are read when the form is submitted', async ({ page }) => {
  await page.goto('/ana')
  await waitForHydration(page)
  await page.evaluate(() => {
    const fill = (name: string, value: string) => {
      const field = document.querySelector<HTMLInputElement>(`[name=${name}]`)
      if (field) field.value = value
    }
    fill('first_name', 'Zoë')
    fill('last_name', 'Example')
    fill('mobile_phone', '+1 202-555-0123')
  })
  await next(page)
  await expect(page.getByLabel('Email address')).toBeVisible()
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }))
  expect(stored).toContain('+12025550123')
  expect(stored).not.toContain('+1+1')
})

for (const [country, input, stored, shown] of [
  ['US', '202.555.0123', '+12025550123', '(202) 555-0123'],
  ['GB', '+44 7700 900123', '+447700900123', '7700900123'],
  ['CN', '+86 138 1234 5678', '+8613812345678', '13812345678'], // starts with 1, which is not its dial code
] as const)
  test(`12.5 a phone number from ${country} selects its country, keeps all its digits and is grouped`, async ({
    page,
  }) => {
    await page.goto('/ana')
    await fillAccount(page, { ...newVisitor(), phone: input })
    await page.getByLabel('First name').focus()
    await expect(page.getByLabel('Country code')).toHaveValue(country)
    await expect(page.getByLabel('Mobile phone number')).toHaveValue(shown)
    await next(page)
    await expect(page.getByLabel('Email address')).toBeVisible()
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain(stored)
  })

test('14.4 the list of countries is loaded when the country picker gets the focus', async ({ page }) => {
  await page.goto('/ana')
  const options = page.getByLabel('Country code').locator('option')
  await expect(options).toHaveText(['United States (+1)'])
  await page.waitForFunction(() => history.state?.step)
  await page.getByLabel('Country code').focus()
  await expect(options.filter({ hasText: 'Ireland (+353)' })).toHaveCount(1)
  await page.getByLabel('Country code').selectOption('IE')
  await expect(page.locator('.dial-shown')).toHaveText('IE +353')
})

test('12.6 honeypot fields are hidden from people, screen readers and password managers', async ({ page }) => {
  await page.goto('/ana')
  for (const name of ['hall_lantern', 'hall_umbrella']) {
    const honeypot = page.locator(`[name=${name}]`)
    await expect(honeypot).toHaveAttribute('tabindex', '-1')
    await expect(honeypot).toHaveAttribute('autocomplete', 'off')
    expect(await honeypot.evaluate((field) => Boolean(field.closest('[aria-hidden=true]')))).toBe(true)
    expect((await honeypot.boundingBox())?.x ?? -1).toBeLessThan(0)
  }
})

test('12.7 fields have the right autocomplete tokens', async ({ page }) => {
  const expectTokens = async (names: Record<string, string>) => {
    for (const [name, token] of Object.entries(names))
      await expect(page.locator(`[name=${name}]:not([type=hidden])`)).toHaveAttribute('autocomplete', token)
  }
  await page.goto('/ana')
  await expectTokens({
    first_name: 'given-name',
    last_name: 'family-name',
    business_name: 'organization',
    mobile_phone: 'tel',
  })
  await reachPayment(page)
  await expectTokens({
    country: 'billing country',
    address: 'billing address-line1',
    address2: 'billing address-line2',
    city: 'billing address-level2',
    state: 'billing address-level1',
    post_code: 'billing postal-code',
    cc_number: 'cc-number',
    cc_month: 'cc-exp-month',
    cc_year: 'cc-exp-year',
    cc_cvv: 'cc-csc',
  })
})
