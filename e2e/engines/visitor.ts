import { officeAddress } from '#contract/office/address.ts'
import { withTestPagesToken } from '#server/test/generous-settings.ts'
import { validAnswers } from '../../server/test/answers.ts'
import { solve } from '../../server/test/solve-captcha.ts'
import type { Browser } from './browser.ts'

export type Visitor = ReturnType<typeof newVisitor>

/** Valid answers with a unique username, email address and phone number. */
export const newVisitor = () => {
  const id = Math.random().toString(36).slice(2, 10)
  const phone = `202555${Math.floor(Math.random() * 9000) + 1000}`
  return { ...validAnswers(`zoe${id}`), phone }
}

export async function fillAccount(browser: Browser, visitor: Visitor) {
  await browser.fill('first_name', visitor.first_name)
  await browser.fill('last_name', visitor.last_name)
  await browser.fill('mobile_phone', visitor.phone)
}

export async function fillAccountCreation(browser: Browser, visitor: Visitor) {
  await browser.fill('email', visitor.email)
  await browser.fill('username', visitor.username)
  await browser.fill('password', visitor.password)
}

/** Opens a sponsor's link and fills in every step before the payment. */
export async function reachPayment(browser: Browser, visitor: Visitor) {
  await browser.open('/ana')
  await fillAccount(browser, visitor)
  await browser.press('Next')
  await fillAccountCreation(browser, visitor)
  await browser.press('Next')
  await browser.sees('Confirm and Pay')
}

export async function fillPayment(browser: Browser, visitor: Visitor, cc_number = visitor.cc_number) {
  await browser.fill('address', visitor.address)
  await browser.fill('city', visitor.city)
  await browser.choose('state', 'Nevada')
  await browser.fill('post_code', visitor.post_code)
  await browser.fill('cc_number', cc_number)
  await browser.choose('cc_month', visitor.cc_month)
  await browser.choose('cc_year', visitor.cc_year)
  await browser.fill('cc_cvv', visitor.cc_cvv)
  for (const name of ['agreement_1', 'agreement_2', 'captcha']) await browser.press(`#${name}`)
}

/** From a filled payment to the office. ACCESS opens it by itself after a while. */
export async function payAndLogIn(browser: Browser) {
  await browser.press('Confirm and Pay')
  await browser.sees('Welcome to')
  await browser.press('Login')
  await browser.waitForPath('/office')
}

/** Creates a member through the API. The link opens the office once. */
export async function createMember(site: string, overrides: Partial<Visitor> = {}) {
  const visitor = { ...newVisitor(), ...overrides }
  const captcha = await solve(await (await fetch(new URL('/api/captcha/challenge', site))).json())
  const reply = await fetch(new URL('/api/enrollment/add-enrollment', site), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...visitor, captcha }),
  })
  const { vo_url, token } = (await reply.json()) as { vo_url: string; token: string }
  return { ...visitor, grantLink: officeAddress(vo_url, token) }
}

/** The code in the newest text message to a phone; messages to American numbers. */
export async function codeTo(site: string, phone: string): Promise<string> {
  const reply = await fetch(new URL(withTestPagesToken(`/__outbox.json?to=${encodeURIComponent(`+1${phone}`)}`), site))
  const messages = (await reply.json()) as { body: string }[]
  return /\b\d{6}\b/.exec(messages[0]?.body ?? '')?.[0] ?? ''
}

/** How many payments of a site are in each state. */
export async function countPayments(site: string) {
  const html = await (await fetch(new URL(withTestPagesToken('/__payments'), site))).text()
  const count = (state: string) => html.split(`>${state}</span>`).length - 1
  return { declined: count('Declined'), charged: count('Authorized') + count('Captured') }
}

/** Advances the test clock, for everyone on a site with the embedded database. */
export async function advanceClock(site: string, days: number) {
  const reply = await fetch(new URL(withTestPagesToken('/__clock'), site), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ days }),
  })
  if (!reply.ok) throw new Error(`The clock answered ${reply.status}: ${await reply.text()}`)
}
