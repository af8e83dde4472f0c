import { expect, type Page } from '@playwright/test'

/** A person who makes no mistakes, with names of their own. */
export const someone = () => {
  const name = `zoe${Math.random().toString(36).slice(2, 10)}`
  return {
    first_name: 'Zoë',
    last_name: 'Example',
    phone: '(202) 555-0123',
    email: `${name}@mail.example`,
    username: name,
    password: 'Open-Sesame-7',
  }
}
type Someone = ReturnType<typeof someone>

/** The page's script has woken it up. */
export const awake = (page: Page) => page.waitForFunction(() => history.state?.step)

export const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click()

export async function fillAccount(page: Page, who: Someone) {
  await page.getByLabel('First name').fill(who.first_name)
  await page.getByLabel('Last name').fill(who.last_name)
  await page.getByLabel('Mobile phone number').fill(who.phone)
}

export async function fillAccountCreation(page: Page, who: Someone) {
  await page.getByLabel('Email address').fill(who.email)
  await page.getByLabel('Username').fill(who.username)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
}

export async function fillPayment(page: Page, cc_number = '4242424242424242') {
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await page.getByLabel('Post / ZIP code').fill('89501')
  await fillCard(page, cc_number)
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await page.getByRole('checkbox', { name: /every month/ }).check()
  await confirmCaptcha(page)
}

export async function fillCard(page: Page, cc_number: string) {
  await page.getByLabel('Card number').fill(cc_number)
  await page.getByLabel('Expiration month').selectOption('12')
  await page.getByLabel('Expiration year').selectOption({ index: 3 })
  await page.getByLabel('CVC').fill('123')
}

const confirmCaptcha = (page: Page) => page.getByRole('checkbox', { name: /not a robot/ }).check()

export const pay = (page: Page) => page.getByRole('button', { name: /^Confirm and Pay/ }).click()

/** From a sponsor's link to the payment step. */
export async function reachPayment(page: Page, site = '/ana', who = someone()): Promise<Someone> {
  await page.goto(site)
  await fillAccount(page, who)
  await next(page)
  await fillAccountCreation(page, who)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  return who
}

/** A call whose answer waits until it is wanted, and then a moment for the page to take it. */
export async function holdUp(page: Page, call: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(call, async (route) => {
    await promise
    await route.continue()
  })
  const asked = page.waitForRequest(call)
  const answer = async () => {
    const answered = page.waitForResponse(call)
    resolve()
    await answered
    await page.waitForTimeout(300)
  }
  return { asked, answer }
}
