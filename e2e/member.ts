import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test'
import type { Enrollment } from '../contract/enrollment.ts'
import { officeAddress } from '../contract/office.ts'
import { validAnswers } from '../server/test/answers.ts'
import { solve } from '../server/test/solve-captcha.ts'
import { fillPayment, pay, reachPayment, someone } from './visitor.ts'

/** From a sponsor's link into the office. */
export async function join(page: Page, site: string, who: ReturnType<typeof someone>) {
  await reachPayment(page, site, who)
  await fillPayment(page)
  await pay(page)
  await page.waitForURL('**/office')
  await expect(page.getByRole('heading', { name: `Welcome, ${who.first_name}` })).toBeVisible()
}

/** Somebody who has joined, where the joining itself is not the point. */
export async function member(request: APIRequestContext, more: Partial<Enrollment> = {}) {
  const answers = { ...validAnswers(someone().username), ...more }
  const captcha = await solve(await (await request.get('/api/captcha/challenge')).json())
  const reply = await request.post('/api/enrollment/add-enrollment', { data: { ...answers, captcha } })
  const { vo_url, token } = await reply.json()
  return { ...answers, grantLink: officeAddress(vo_url, token) }
}

export async function signIn(page: Page, name: string, password: string) {
  await page.getByLabel('Username or email address').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

export async function enter(page: Page, name: string, password: string) {
  await page.request.post('/api/office/sign-in', { data: { name, password } })
  await page.goto('/office')
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
}

/** Keeps the page's script back until it is asked for. */
export async function holdScript(page: Page) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Moves there key by key. */
async function reach(page: Page, wanted: Locator) {
  const isThere = () => wanted.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 60 && !(await isThere()); tabs++) await page.keyboard.press('Tab')
  await expect(wanted).toBeFocused()
}

export async function press(page: Page, wanted: Locator) {
  await reach(page, wanted)
  await page.keyboard.press('Enter')
}

export async function type(page: Page, wanted: Locator, text: string) {
  await reach(page, wanted)
  await page.keyboard.type(text)
}

type Letter = { subject: string; body: string }

export const lettersTo = async (page: Page, address: string) => {
  const letters: Letter[] = await (await page.request.get(`/__outbox.json?to=${encodeURIComponent(address)}`)).json()
  return letters.map(({ subject, body }) => `${subject}\n${body}`).join('\n')
}

/** The link to a page of the office in a letter, once it has come. */
export async function linkTo(page: Page, address: string, path: string): Promise<string> {
  const link = new RegExp(`http\\S+/office/${path}#[\\w-]+`)
  await expect.poll(() => lettersTo(page, address)).toMatch(link)
  return link.exec(await lettersTo(page, address))?.[0] ?? ''
}
