import { afterAll, beforeAll, expect, it } from 'vitest'
import { API, type Call } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { cookieOf, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

/** These have limits of their own, need no session, or end one: that must always work. */
const others = [
  ...['/office/session', '/office/sign-in', '/office/sign-in/code', '/office/sign-in/passkey-options'],
  ...['/office/sign-in/passkey', '/office/sign-out', '/office/sign-out-everywhere', '/office/sessions/end'],
  ...['/office/sessions/end-others', '/office/confirm-email', '/office/forgotten-password', '/office/new-password'],
  ...['/office/phone/code', '/office/email/link', '/office/security/app-secret', '/office/security/passkey-options'],
]
const changes = Object.values(officeCalls as Record<string, Call>).filter(
  ({ method, path }) => method === 'POST' && !others.includes(path),
)

const id = 'A'.repeat(22)
const input = {
  ...{
    first_name: 'Zoe',
    last_name: 'Miller',
    business_name: '',
    email: 'new@example.com',
    mobile_phone: '+16265550199',
  },
  ...{ password: 'Open-Sesame-77', current_password: 'Wrong-1234', code: '123456', sealed: 'x', credential_id: id },
  ...{ picture: 'AAAA', join_emails: true, renewal_emails: true, product_id: 34 },
  ...{ shown_price: '99.00', captcha: 'x' },
  ...{ cc_number: '4242424242424242', cc_month: '12', cc_year: '2030', cc_cvv: '123' },
  response: {
    ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
    response: { clientDataJSON: 'e30', attestationObject: 'e30', transports: [] },
  },
}

let site: Site
let member: Awaited<ReturnType<typeof memberInOffice>>
let secondCookie = ''
beforeAll(async () => {
  site = await testSite({ LIMIT_CHANGES: '4/3600' })
  member = await memberInOffice(site)
  const { username, password } = member
  secondCookie = cookieOf(await site.post('office/sign-in', { name: username, password }))
})
afterAll(() => site.close())

const send = (path: string, cookie = member.cookie, more = {}) =>
  site.ask({
    ...{ method: 'POST', url: `${API}${path}` },
    payload: { ...input, username: member.username, ...more },
    headers: { 'content-type': 'application/json', cookie },
  })

/** What protects a member: each has a counter that a thief with a session can't use up for the member. */
const proved = changes.map(({ path }) => path).filter((path) => /^\/office\/(?:password|security\/)/.test(path))
const unproved = changes.map(({ path }) => path).filter((path) => !proved.includes(path))

it('6.11 a script that cancels and resumes cannot flood a mailbox', async () => {
  const statuses = []
  for (let n = 0; n < 10; n++) statuses.push((await send(n % 2 ? '/office/keep' : '/office/cancel')).statusCode)
  expect(statuses).toEqual([...Array(8).fill(200), 429, 429])
})

it.each(unproved)('6.11 so does %s count as a change', async (path) => {
  const reply = await send(path)
  expect(reply.statusCode, reply.body).toBe(429)
})

it('6.11 a thief who has used up the changes keeps the member from none that protects', async () => {
  for (let n = 0; n < 6; n++) await send('/office/password')
  for (const path of proved) expect((await send(path, secondCookie)).statusCode, path).not.toBe(429)
  expect((await send('/office/cancel', secondCookie)).statusCode).toBe(200)
})

it('6.11 changes with the password are limited, too', async () => {
  let cookie = secondCookie
  for (let n = 0; n < 4; n++) {
    const [current_password, password] = [n ? `Open-Sesame-8${n}` : member.password, `Open-Sesame-8${n + 1}`]
    const reply = await send('/office/password', cookie, { current_password, password })
    expect(reply.statusCode, reply.body).toBe(200)
    cookie = cookieOf(reply)
  }
  for (const path of proved) expect((await send(path, cookie)).statusCode, path).toBe(429)
})
