import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAuthenticator } from '#server/test/authenticator.ts'
import { allRows } from '#server/test/database-rows.ts'
import { cookieOf } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { STAFF_PASSWORD, staffMember, type TestStaff, tokenIn } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { createInvitation, firstOwnerLink } from './invitations.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({
    LIMIT_SIGN_INS: '8/900',
    LIMIT_SIGN_INS_BY_NAME: '9/3600',
    LIMIT_SECOND_FACTORS: '9/86400',
    TRUST_PROXY: 'loopback',
  })
})
afterAll(() => site.close())

const ORIGIN = 'http://foyer.test'
const post = (path: string, body: object = {}, headers = {}) => site.post(`console/${path}`, body, headers)
const whoIs = async (cookie: string) => (await site.get('/api/console/session', { cookie })).json().staff?.role
let addresses = 0
const stranger = () => ({ 'x-forwarded-for': `10.9.0.${++addresses}` })

/** Accepts an invitation with a new passkey. */
async function joinWithPasskey(link: string | undefined, email: string, from = ORIGIN) {
  const newcomer = { token: tokenIn(link), name: 'Ada Owner', email }
  const authenticator = testAuthenticator(ORIGIN)
  const options = (await post('invitation/passkey-options', newcomer)).json()
  const response = authenticator.create(options, from)
  return { authenticator, newcomer, response, reply: await post('invitation/passkey', { ...newcomer, response }) }
}

describe('the first owner', () => {
  it('19.1 gets in with a one-time link and a passkey, and then there is no such link', async () => {
    const older = await firstOwnerLink(site.world)
    const link = await firstOwnerLink(site.world)
    expect(link).toMatch(/^http:\/\/foyer\.test\/console\/welcome#[\w-]{43}$/)
    expect((await post('invitation', { token: tokenIn(older) })).statusCode).toBe(401) // only the newest works
    expect((await post('invitation', { token: tokenIn(link) })).json()).toEqual({ role: 'owner' })
    const { reply, newcomer, response } = await joinWithPasskey(link, 'Ada@Example.com')
    expect(reply.json().staff).toMatchObject({ name: 'Ada Owner', email: 'ada@example.com', role: 'owner' })
    expect(await whoIs(cookieOf(reply))).toBe('owner')
    expect((await post('invitation/passkey', { ...newcomer, response })).statusCode).toBe(401)
    expect(await firstOwnerLink(site.world)).toBe(undefined)
  })
})

describe('an invitation', () => {
  const invited = async (by: TestStaff, email: string) =>
    tokenIn((await by.post('staff/invite', { email, role: 'owner' })).json().link)
  const open = async (token: string) => (await post('invitation', { token })).statusCode

  it('19.1 is void once its inviter is removed or may no longer invite', async () => {
    const boss = await staffMember(site, 'owner')
    for (const change of ['staff/remove', 'staff/role']) {
      const inviter = await staffMember(site, 'owner')
      const token = await invited(inviter, `guest-${inviter.id.slice(0, 8)}@example.com`)
      expect(await open(token)).toBe(200)
      const { statusCode } = await boss.post(change, { id: inviter.id, role: 'manager' })
      expect([change, statusCode, await open(token)]).toEqual([change, 200, 401])
      const { invitations } = (await boss.get('staff')).json()
      expect(JSON.stringify(invitations)).not.toContain(`guest-${inviter.id.slice(0, 8)}`)
    }
  })

  it('19.1 works for three days', async () => {
    const boss = await staffMember(site, 'owner')
    const token = await invited(boss, 'slow@example.com')
    site.advance(3 * 86_400 - 1)
    expect(await open(token)).toBe(200)
    site.advance(1)
    expect(await open(token)).toBe(401)
  })

  it('19.1 created while its inviter was being removed cannot be accepted', async () => {
    const [boss, inviter] = [await staffMember(site, 'owner'), await staffMember(site, 'owner')]
    await boss.post('staff/remove', { id: inviter.id })
    const link = await createInvitation(site.world, {
      email: 'late@example.com',
      role: 'owner',
      actor: { id: inviter.id, role: 'owner' },
    })
    expect(await open(tokenIn(link))).toBe(401)
    expect((await joinWithPasskey(link, 'late@example.com')).reply.statusCode).toBe(401)
  })
})

describe('a passkey', () => {
  const invite = (email: string) =>
    createInvitation(site.world, { email, role: 'support', actor: { id: null, role: 'command line' } })

  it('19.2 signs in, once for each challenge, and only on this site', async () => {
    const { authenticator } = await joinWithPasskey(await invite('pat@example.com'), 'pat@example.com')
    const options = (await post('passkey-options')).json()
    const signIn = (response: object) => post('sign-in/passkey', { response }, stranger())
    const elsewhere = await signIn(authenticator.get(options, 'http://evil.test'))
    expect(elsewhere.statusCode).toBe(401)
    const response = authenticator.get(options)
    const reply = await signIn(response)
    expect([reply.statusCode, reply.json().method]).toEqual([200, 'passkey'])
    expect((await signIn(response)).statusCode).toBe(401) // the challenge is used up
    expect((await signIn(testAuthenticator(ORIGIN).get(options))).statusCode).toBe(401)
    const old = (await post('passkey-options')).json()
    site.advance(301)
    expect((await signIn(authenticator.get(old))).statusCode).toBe(401)
  })

  it('19.2 is not accepted from another site, nor with the challenge of another invitation', async () => {
    const [first, second] = [await invite('one@example.com'), await invite('two@example.com')]
    expect((await joinWithPasskey(first, 'one@example.com', 'http://evil.test')).reply.statusCode).toBe(422)
    const newcomer = { token: tokenIn(first), name: 'One', email: 'one@example.com' }
    const options = (await post('invitation/passkey-options', newcomer)).json()
    const response = testAuthenticator(ORIGIN).create(options)
    const reply = await post('invitation/passkey', { ...newcomer, token: tokenIn(second), response })
    expect(reply.statusCode).toBe(422)
    expect((await post('invitation/passkey', { ...newcomer, response })).statusCode).toBe(200)
  })
})

it('19.2 a passkey belongs to one colleague: the same credential cannot be added twice', async () => {
  const authenticator = testAuthenticator(ORIGIN)
  const owner = await staffMember(site, 'owner')
  const add = async (by: TestStaff) =>
    (
      await by.post('access/passkey', {
        name: 'Key',
        response: authenticator.create((await by.post('access/passkey-options')).json()),
      })
    ).statusCode
  expect([await add(owner), await add(owner), await add(await staffMember(site, 'viewer'))]).toEqual([200, 409, 409])
})

describe('a password with an authenticator app', () => {
  const signIn = (body: object, headers = stranger()) => post('sign-in/password', body, headers)

  it('19.3 signs in with a code that was not used before, or with each recovery code once', async () => {
    const { email, code, recovery_codes } = await staffMember(site, 'manager')
    const password = STAFF_PASSWORD
    expect((await signIn({ email, password, code: code() })).statusCode).toBe(401) // used when the app was set up
    site.advance(30)
    expect((await signIn({ email: email.toUpperCase(), password, code: code() })).statusCode).toBe(200)
    expect((await signIn({ email, password, code: code() })).statusCode).toBe(401)
    expect(recovery_codes).toHaveLength(10)
    const [recovery = ''] = recovery_codes
    expect((await signIn({ email, password: 'Wrong-Ladder-77', code: recovery })).statusCode).toBe(401)
    expect((await signIn({ email, password, code: recovery.toUpperCase() })).statusCode).toBe(200)
    expect((await signIn({ email, password, code: recovery })).statusCode).toBe(401)
  })

  it('19.3 says the same whatever was wrong', async () => {
    const { email, code } = await staffMember(site, 'viewer')
    site.advance(30)
    const tries = [
      { email, password: STAFF_PASSWORD, code: '000000' },
      { email, password: 'Wrong-Ladder-77', code: code() },
      { email: 'nobody@staff.example', password: STAFF_PASSWORD, code: code() },
    ]
    const replies = await Promise.all(tries.map((body) => signIn(body)))
    expect(new Set(replies.map(({ body }) => body))).toEqual(
      new Set(['{"message":"Wrong email address, password or code."}']),
    )
  })

  it('19.4 strangers who guess all day cannot lock anyone out of a browser used before, and are reported', async () => {
    const owner = await staffMember(site, 'owner')
    const person = await staffMember(site, 'support')
    const right = () => ({ email: person.email, password: STAFF_PASSWORD, code: person.code() })
    const guess = async () => (await signIn({ ...right(), code: '000000' })).statusCode
    const statuses: number[] = []
    for (let round = 0; round < 12; round++) {
      statuses.push(await guess())
      site.advance(600)
    }
    expect(statuses).toEqual([...Array(9).fill(401), 429, 429, 429])
    expect((await signIn(right())).statusCode).toBe(429) // a stranger with the right password and code waits, too
    const known = { ...stranger(), cookie: person.cookie }
    expect((await signIn({ ...right(), code: '000000' }, known)).statusCode).toBe(401)
    expect((await signIn(right(), known)).statusCode).toBe(200)
    const otherKnown = { ...stranger(), cookie: owner.cookie }
    expect((await signIn(right(), otherKnown)).statusCode).toBe(429) // known for a different colleague
    while (await runJobs(site.world));
    const subjects = async (to: string) =>
      (await site.get(`/__outbox.json?to=${to}`)).json().map(({ subject }: { subject: string }) => subject)
    expect(await subjects(person.email)).toEqual(['Failed sign-ins to the console'])
    expect(await subjects(owner.email)).toEqual(['Failed sign-ins to the console'])
  })

  it('19.4 a stolen browser mark does not lock the colleague out of sessions and other browsers', async () => {
    const person = await staffMember(site, 'support')
    const wrong = { email: person.email, password: STAFF_PASSWORD, code: '000000' }
    const stolen = { ...stranger(), cookie: person.cookie }
    for (let tries = 0; tries < 12; tries++) await signIn(wrong, stolen)
    site.advance(30)
    const proof = { password: STAFF_PASSWORD, code: person.code() }
    expect((await person.post('proof/password', proof)).statusCode).toBe(200)
  })

  it('19.4 has at least 12 characters', async () => {
    const { post } = await staffMember(site, 'viewer')
    const reply = await post('access/password', { password: 'Tall-Lad-77', sealed: 'x', code: '000000' })
    expect(reply.json().fields).toEqual({ password: ['Please use at least 12 characters.'] })
  })

  it('19.4 is limited by address and by name', async () => {
    const { email } = await staffMember(site, 'viewer')
    const body = { email, password: 'Wrong-Ladder-77', code: '000000' }
    const from = { 'x-forwarded-for': '10.8.0.1' }
    const statuses = []
    for (let tries = 0; tries < 9; tries++) statuses.push((await signIn(body, from)).statusCode)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 429])
    const fromElsewhere = [await signIn(body), await signIn(body)]
    expect(fromElsewhere.map(({ statusCode }) => statusCode)).toEqual([401, 429])
  })

  it('19.1 19.3 stores neither password, secret, code nor token in clear, and logs none of them', async () => {
    const link = await createInvitation(site.world, {
      email: 'quiet@example.com',
      role: 'viewer',
      actor: { id: null, role: 'command line' },
    })
    const { secret, recovery_codes, cookie } = await staffMember(site, 'finance')
    const rows = Object.values(await allRows(site.db))
      .flat()
      .join('\n')
    const key = /foyer_console=([^;]+)/.exec(cookie)?.[1] ?? ''
    const plain = recovery_codes.map((code) => code.replaceAll('-', ''))
    for (const text of [STAFF_PASSWORD, secret, tokenIn(link), key, ...plain])
      expect([rows.includes(text), site.log().includes(text), text.length > 10]).toEqual([false, false, true])
  })
})

describe('a session', () => {
  it('19.5 ends after 15 minutes without use, and after 12 hours in any case', async () => {
    const idle = await staffMember(site, 'viewer')
    site.advance(14 * 60)
    expect(await whoIs(idle.cookie)).toBe('viewer')
    site.advance(14 * 60)
    expect(await whoIs(idle.cookie)).toBe('viewer')
    site.advance(16 * 60)
    expect(await whoIs(idle.cookie)).toBe(undefined)
    const busy = await staffMember(site, 'viewer')
    for (let minutes = 0; minutes < 12 * 60; minutes += 14) {
      expect(await whoIs(busy.cookie)).toBe('viewer')
      site.advance(14 * 60)
    }
    expect(await whoIs(busy.cookie)).toBe(undefined)
  })

  it('19.89 ends even if the open page keeps asking for news', async () => {
    const watching = await staffMember(site, 'viewer')
    for (let minutes = 0; minutes < 14; minutes++) {
      expect((await watching.get('status')).json().staff.role).toBe('viewer')
      site.advance(60)
    }
    site.advance(90)
    expect((await watching.get('status')).statusCode).toBe(401)
  })

  it('19.5 has a cookie of its own, which no other site can make the browser send', async () => {
    const reply = (
      await joinWithPasskey(
        await createInvitation(site.world, {
          email: 'cookie@example.com',
          role: 'viewer',
          actor: { id: null, role: 'command line' },
        }),
        'cookie@example.com',
      )
    ).reply
    expect(String([reply.headers['set-cookie']].flat()[0])).toMatch(
      /^foyer_console=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    )
    const fromOtherSite = { cookie: cookieOf(reply), 'sec-fetch-site': 'cross-site' }
    expect((await post('sign-out', {}, fromOtherSite)).statusCode).toBe(403)
    expect((await post('sign-out', {}, { cookie: cookieOf(reply) })).statusCode).toBe(200)
    expect(await whoIs(cookieOf(reply))).toBe(undefined)
  })

  it('19.6 needs a fresh proof before staff or money change, and no other', async () => {
    const owner = await staffMember(site, 'owner')
    const invite = () => owner.post('staff/invite', { email: 'new@example.com', role: 'support' })
    site.advance(9 * 60)
    expect((await invite()).statusCode).toBe(200)
    site.advance(2 * 60)
    expect((await invite()).statusCode).toBe(428)
    expect((await owner.get('staff')).statusCode).toBe(200)
    const prove = (body: object) => site.post('console/proof/password', body, { cookie: owner.cookie, ...stranger() })
    expect((await prove({ password: STAFF_PASSWORD, code: '000000' })).statusCode).toBe(422)
    expect((await invite()).statusCode).toBe(428)
    const guess = () =>
      site.post('console/sign-in/password', { email: owner.email, password: 'Wrong-1234', code: '000000' }, stranger())
    for (let n = 0; n < 10; n++) await guess()
    expect((await guess()).statusCode).toBe(429) // strangers are stopped, and the colleague is not
    expect((await prove({ password: STAFF_PASSWORD, code: owner.code() })).statusCode).toBe(200)
    expect((await invite()).statusCode).toBe(200)
  })

  it('19.6 is not proved by the passkey of someone else', async () => {
    const owner = await staffMember(site, 'owner')
    const link = await createInvitation(site.world, {
      email: 'other@example.com',
      role: 'viewer',
      actor: { id: null, role: 'command line' },
    })
    const { authenticator } = await joinWithPasskey(link, 'other@example.com')
    site.advance(11 * 60)
    const response = authenticator.get((await post('passkey-options')).json())
    expect((await owner.post('proof/passkey', { response })).statusCode).toBe(409)
    expect((await owner.post('staff/invite', { email: 'x@example.com', role: 'support' })).statusCode).toBe(428)
  })
})
