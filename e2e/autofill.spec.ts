import { expect, test } from '@playwright/test'
import { awake, fillAccount, next, reachPayment, someone } from './visitor.ts'

test.describe('autofill', () => {
  test('12.5 values set without events are read when the form is sent', async ({ page }) => {
    await page.goto('/ana')
    await awake(page)
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
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
    expect(kept).toContain('+12025550123')
    expect(kept).not.toContain('+1+1')
  })

  for (const [country, written, read] of [
    ['GB', '+44 7700 900123', '+447700900123'],
    ['CN', '+86 138 1234 5678', '+8613812345678'], // begins with a 1 that is nobody's dial code
  ] as const)
    test(`12.5 a full number of ${country} moves the picker and is neither doubled nor cut`, async ({ page }) => {
      await page.goto('/ana')
      await fillAccount(page, { ...someone(), phone: written })
      await page.getByLabel('First name').focus()
      await expect(page.getByLabel('Country code')).toHaveValue(country)
      await next(page)
      await expect(page.getByLabel('Email address')).toBeVisible()
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain(read)
    })

  test('14.4 every country is offered to who goes to the picker', async ({ page }) => {
    await page.goto('/ana')
    const options = page.getByLabel('Country code').locator('option')
    await expect(options).toHaveText(['United States (+1)'])
    await page.waitForFunction(() => history.state?.step)
    await page.getByLabel('Country code').focus()
    await expect(options.filter({ hasText: 'Ireland (+353)' })).toHaveCount(1)
    await page.getByLabel('Country code').selectOption('IE')
    await expect(page.locator('.dial-shown')).toHaveText('IE +353')
  })

  test('12.6 traps are hidden from people, assistants and password managers', async ({ page }) => {
    await page.goto('/ana')
    for (const name of ['hall_lantern', 'hall_umbrella']) {
      const trap = page.locator(`[name=${name}]`)
      await expect(trap).toHaveAttribute('tabindex', '-1')
      await expect(trap).toHaveAttribute('autocomplete', 'off')
      expect(await trap.evaluate((field) => Boolean(field.closest('[aria-hidden=true]')))).toBe(true)
      expect((await trap.boundingBox())?.x ?? -1).toBeLessThan(0)
    }
  })

  test('12.7 fields carry the right autocomplete tokens', async ({ page }) => {
    const tokens = async (names: Record<string, string>) => {
      for (const [name, token] of Object.entries(names))
        await expect(page.locator(`[name=${name}]:not([type=hidden])`)).toHaveAttribute('autocomplete', token)
    }
    await page.goto('/ana')
    await tokens({
      first_name: 'given-name',
      last_name: 'family-name',
      business_name: 'organization',
      mobile_phone: 'tel',
    })
    await reachPayment(page)
    await tokens({
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
})
