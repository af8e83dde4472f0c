import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { officeAddress } from '#contract/office/address.ts'
import type { Enrollment } from '../contract/enrollment.ts'
import { validAnswers } from '../server/test/answers.ts'
import { solve } from '../server/test/solve-captcha.ts'
import { enterOffice, fillPayment, newVisitor, pay, reachPayment, type VisitorAnswers } from './visitor.ts'

/** Joins through the wizard, from a sponsor's link to the office. */
export async function join(page: Page, site: string, visitor: VisitorAnswers) {
  await reachPayment(page, site, visitor)
  await fillPayment(page)
  await pay(page)
  await enterOffice(page)
  await expect(page.getByRole('heading', { name: `Welcome, ${visitor.first_name}` })).toBeVisible()
}

/** Creates a member through the API, for tests that start in the office. */
export async function createMember(request: APIRequestContext, overrides: Partial<Enrollment> = {}) {
  const answers = { ...validAnswers(newVisitor().username), ...overrides }
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

/** Signs in through the API and opens the office. A section such as '#details' is unfolded, as by a link to it. */
export async function openOffice(page: Page, name: string, password: string, section = '') {
  await page.request.post('/api/office/sign-in', { data: { name, password } })
  await page.goto(`/office${section}`)
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible()
}

type Email = { subject: string; body: string }

export const emailsTo = async (page: Page, address: string) => {
  const emails: Email[] = await (await page.request.get(`/__outbox.json?to=${encodeURIComponent(address)}`)).json()
  return emails.map(({ subject, body }) => `${subject}\n${body}`).join('\n')
}

/** Confirms the address that a member joined with, as by the link in the welcome email. */
export async function confirmAddress(page: Page, address: string) {
  const token = (await findEmailLink(page, address, 'confirm-email')).split('#')[1]
  expect((await page.request.post('/api/office/confirm-email', { data: { token } })).ok()).toBe(true)
}

/** Waits for an email with a link to a page of the office, and returns the link. */
export async function findEmailLink(page: Page, address: string, path: string): Promise<string> {
  const link = new RegExp(`http\\S+/office/${path}#[\\w-]+`)
  await expect.poll(() => emailsTo(page, address)).toMatch(link)
  return link.exec(await emailsTo(page, address))?.[0] ?? ''
}
