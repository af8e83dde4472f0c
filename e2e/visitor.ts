import { expect, type Page } from '@playwright/test'

/** Valid answers with a unique username and email address. */
export const newVisitor = () => {
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

/** Numbers of this worker, which no other worker uses, because every number has to wait between two codes. */
const areaCodes = [
  '202',
  '212',
  '213',
  '303',
  '305',
  '312',
  '404',
  '415',
  '503',
  '512',
  '602',
  '617',
  '702',
  '713',
  '801',
  '919',
]
const areaCode = areaCodes[Number(process.env.TEST_WORKER_INDEX ?? 0) % areaCodes.length]
let phoneCount = Math.floor(Math.random() * 8000)

/** A phone number that no other journey uses. Last digits that start with 0 make the sandbox fail in its own ways. */
export const newPhone = (lastDigits?: string) => {
  const count = phoneCount++
  return lastDigits ? `+1${areaCode}${300 + (count % 600)}${lastDigits}` : `+1${areaCode}555${1000 + (count % 9000)}`
}

export type VisitorAnswers = ReturnType<typeof newVisitor>

/** Waits until the page's script has taken over the server-rendered page. */
export const waitForHydration = (page: Page) => page.waitForFunction(() => history.state?.step)

export const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click()

export async function fillAccount(page: Page, visitor: VisitorAnswers) {
  await page.getByLabel('First name').fill(visitor.first_name)
  await page.getByLabel('Last name').fill(visitor.last_name)
  await page.getByLabel('Mobile phone number').fill(visitor.phone)
}

export async function fillAccountCreation(page: Page, visitor: VisitorAnswers) {
  await page.getByLabel('Email address').fill(visitor.email)
  await page.getByLabel('Username').fill(visitor.username)
  await page.getByLabel('Password', { exact: true }).fill(visitor.password)
}

export async function fillPayment(page: Page, cc_number?: string) {
  await fillBilling(page, cc_number)
  await documentsAreThere(page)
  await page.getByRole('checkbox', { name: /I have read and agree/ }).check()
  await agreeToCharges(page)
}

export async function fillBilling(page: Page, cc_number = '4242424242424242') {
  await page.getByLabel('Address', { exact: true }).fill('1600 Main St')
  await page.getByLabel('City').fill('Reno')
  await page.getByLabel('State').selectOption('NV')
  await page.getByLabel('Post / ZIP code').fill('89501')
  await fillCard(page, cc_number)
}

export async function agreeToCharges(page: Page) {
  await page.getByRole('checkbox', { name: /my card is charged/ }).check()
  await confirmCaptcha(page)
}

/** Who agrees or pays before that gets a message at the box, which moves what is below. */
export const documentsAreThere = (page: Page) =>
  expect(page.locator('.agreements').getByRole('button').first()).toBeVisible()

export async function fillCard(page: Page, cc_number: string) {
  await page.getByLabel('Card number').fill(cc_number)
  await page.getByLabel('Expiration month').selectOption('12')
  await page.getByLabel('Expiration year').selectOption({ index: 3 })
  await page.getByLabel('CVC').fill('123')
}

export const confirmCaptcha = (page: Page) => page.getByRole('checkbox', { name: /not a robot/ }).check()

export const pay = (page: Page) => page.getByRole('button', { name: /^Confirm and Pay/ }).click()

/** Leaves the welcome for the office, which would also open by itself after ten seconds. */
export async function enterOffice(page: Page) {
  if (process.env.PROVIDER) await standInOffice(page)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.waitForURL(process.env.PROVIDER ? GRANT_LINK : '**/office')
}

/** The office of the stand-in for an operator's API host. */
export const OFFICE_HOST = 'office.host.example'
export const GRANT_LINK = new RegExp(`^https://${OFFICE_HOST}/[a-z0-9]+/autologin/grant-access/[\\w~-]+$`)

/** It's another company's, so here it is a page that says where the visitor has arrived. */
export const standInOffice = (page: Page) =>
  page.route(`https://${OFFICE_HOST}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Office</title><h1>The office of the host</h1>' }),
  )

/** Opens a sponsor's link and fills in the account step. */
export async function reachAccountCreation(page: Page, site = '/ana', visitor = newVisitor()): Promise<VisitorAnswers> {
  await page.goto(site)
  await fillAccount(page, visitor)
  await next(page)
  return visitor
}

/** Opens a sponsor's link and fills in every step before the payment. */
export async function reachPayment(page: Page, site = '/ana', visitor = newVisitor()): Promise<VisitorAnswers> {
  await reachAccountCreation(page, site, visitor)
  await fillAccountCreation(page, visitor)
  await next(page)
  await expect(page.getByRole('button', { name: /^Confirm and Pay/ })).toBeVisible()
  return visitor
}

/** Opens the packages from the order summary, which is folded on a phone. */
export async function openPackages(page: Page) {
  await page.goto('/ana')
  await waitForHydration(page)
  const summary = page.locator('.order summary')
  if (await summary.isVisible()) await summary.click()
  await page.getByRole('button', { name: /^Change/ }).click()
}

/** Chooses the package that ships, and fills in every step before the payment. */
export async function reachShipping(page: Page): Promise<VisitorAnswers> {
  await openPackages(page)
  await page.getByRole('button', { name: /Welcome Kit/ }).click()
  const visitor = newVisitor()
  await fillAccount(page, visitor)
  await next(page)
  await fillAccountCreation(page, visitor)
  await next(page)
  return visitor
}

/** Holds a request until `release` is called, which also lets the page process the response. */
export async function holdRequest(page: Page, call: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(call, async (route) => {
    await promise
    await route.continue()
  })
  const requested = page.waitForRequest(call)
  const release = async () => {
    const response = page.waitForResponse(call)
    resolve()
    await (await response).finished()
    await page.waitForTimeout(300) // long enough for a page that would do something about it
  }
  return { requested, release }
}

/** Holds back the page's scripts until the returned function is called. */
export async function holdScript(page: Page) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}
