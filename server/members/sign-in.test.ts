import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '#server/secrets/password-hash.ts'
import { recordStatements } from '#server/test/database.ts'
import { cookieOf, joinedMember, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600' })
})
afterAll(() => site.close())

const signIn = (name: string, password: string, cookie = '', at = site) =>
  at.post('office/sign-in', { name, password }, cookie ? { cookie } : {})
const isSignedIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200

/** The async resource type that Node reports for native work without a name, such as argon2's. */
const ARGON2 = 'undefined'

describe('signing in', () => {
  it('15.1 accepts username or email, in upper or lower case', async () => {
    const { username, email, password } = await joinedMember(site)
    for (const name of [username, username.toUpperCase(), email, ` ${email.toUpperCase()} `]) {
      const reply = await signIn(name, password)
      expect([reply.statusCode, reply.json()], name).toEqual([200, {}])
      expect(await isSignedIn(cookieOf(reply))).toBe(true)
    }
  })

  it('15.1 accepts composed and decomposed accents in name and password', async () => {
    const name = `zo\u00eb.${Date.now()}@mail.example`
    const password = 'Lant\u00e9rne-4-Hall'
    for (const [n, form] of (['NFC', 'NFD'] as const).entries()) {
      const email = `${n}${name}`
      await joinedMember(site, { email: email.normalize(form), password: password.normalize(form) })
      for (const typed of ['NFC', 'NFD'] as const)
        expect((await signIn(email.normalize(typed), password.normalize(typed))).statusCode, `${form} ${typed}`).toBe(
          200,
        )
      const other = form === 'NFC' ? 'NFD' : 'NFC'
      const again = await site.post('enrollment/validate_email', { email: email.normalize(other) })
      expect(again.json().email).toEqual(['This email address is already registered.'])
    }
  })

  it('15.1 responds the same to a wrong password and to an unknown name', async () => {
    const { username, email, password } = await joinedMember(site)
    const wrong = [
      await signIn(username, `${password}!`),
      await signIn(email, password.toLowerCase()),
      await signIn('nobodyhere', password),
      await signIn('nobody@mail.example', password),
      await signIn('ana', password), // a sponsor, but not a member
      await signIn('master', password),
    ]
    for (const reply of wrong) {
      expect([reply.statusCode, reply.json()]).toEqual([401, { message: 'Wrong username or password.' }])
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
  })

  it('15.1 does as much hashing and as many queries for an unknown name as for a known one', async () => {
    const { username } = await joinedMember(site)
    const { officeHandlers } = await import('#server/office/handlers.ts')
    let addresses = 0
    const costOf = async (name: string) => {
      const { db, statements } = recordStatements(site.db)
      const visitor = { address: `203.0.113.${++addresses}` } as never
      let hashes = 0
      const hook = createHook({ init: (_id, type) => void (type === ARGON2 && hashes++) }).enable()
      await expect(officeHandlers.signIn({ ...site.world, db }, { name, password: 'x' }, visitor)).rejects.toThrow()
      hook.disable()
      return { statements, hashes }
    }
    await costOf(username) // the first sign-in also creates the dummy hash for unknown names
    const cost = await costOf(username)
    expect([cost.statements.length, cost.hashes]).toEqual([3, 1])
    expect(await costOf('nobodyhere')).toEqual(cost)
  })

  it('6.1 requires both fields, and refuses overlong input', async () => {
    const fieldsOf = async (name: string, password: string) => Object.keys((await signIn(name, password)).json().fields)
    expect(await fieldsOf('', '')).toEqual(['name', 'password'])
    expect(await fieldsOf('x'.repeat(101), 'y'.repeat(1001))).toEqual(['name', 'password'])
  })

  it('15.2 opens a new session each time, and closes the browser’s old one', async () => {
    const { username, password, cookie } = await memberInOffice(site)
    const again = await signIn(username, password, cookie)
    expect(String(again.headers['set-cookie'])).toMatch(/^foyer_office=[\w-]{43}; .*HttpOnly; SameSite=Lax$/)
    expect(cookieOf(again)).not.toBe(cookie)
    expect([await isSignedIn(cookie), await isSignedIn(cookieOf(again))]).toEqual([false, true])
  })

  it('15.2 sets a Secure cookie over https', async () => {
    const secure = await testSite({ PUBLIC_URL: 'https://foyer.test' })
    const { username, password } = await joinedMember(secure)
    const reply = await signIn(username, password, '', secure)
    expect(String(reply.headers['set-cookie'])).toContain('; Secure')
    await secure.close()
  })

  it('15.2 signing out everywhere closes all sessions of this member only', async () => {
    const other = await memberInOffice(site)
    const { username, password, cookie } = await memberInOffice(site)
    const otherBrowser = cookieOf(await signIn(username, password))
    const reply = await site.post('office/sign-out-everywhere', {}, { cookie: otherBrowser })
    expect([reply.statusCode, String(reply.headers['set-cookie']).startsWith('foyer_office=;')]).toEqual([200, true])
    expect([await isSignedIn(cookie), await isSignedIn(otherBrowser), await isSignedIn(other.cookie)]).toEqual([
      false,
      false,
      true,
    ])
    expect((await site.post('office/sign-out-everywhere', {}, { cookie })).statusCode).toBe(401)
  })
})

describe('too many wrong passwords', () => {
  const address = (last: number) => ({ 'x-forwarded-for': `203.0.113.${last}` })
  const strictSite = () =>
    testSite({ LIMIT_SIGN_INS: '3/900', LIMIT_SIGN_INS_BY_NAME: '5/3600', TRUST_PROXY: 'loopback' })
  const tryAt = (strict: Site, from: number, name: string, password: string) =>
    strict.post('office/sign-in', { name, password }, address(from))

  it('15.10 from one address are refused, even at the same time; correct ones do not count', async () => {
    const strict = await strictSite()
    const { username, password } = await joinedMember(strict)
    for (let round = 0; round < 5; round++)
      expect((await tryAt(strict, 1, username, password)).statusCode, 'a correct one').toBe(200)
    const names = Array.from({ length: 9 }, (_, n) => `guess${n}`)
    const replies = await Promise.all(names.map((name) => tryAt(strict, 1, name, 'Guess-77-x')))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([401, 401, 401, ...Array(6).fill(429)])
    const refused = await tryAt(strict, 1, username, password)
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await tryAt(strict, 2, username, password)).statusCode).toBe(200)
    strict.advance(900 + 120)
    expect((await tryAt(strict, 1, username, password)).statusCode).toBe(200)
    await strict.close()
  })

  it('15.10 for one name are refused from every address, whether the name exists or not', async () => {
    const strict = await strictSite()
    const { username, email, password } = await joinedMember(strict)
    for (const name of [username, 'nobodyhere']) {
      const statuses = []
      for (let from = 10; from < 16; from++)
        statuses.push((await tryAt(strict, from, name.toUpperCase(), 'Guess-77-x')).statusCode)
      expect(statuses, name).toEqual([401, 401, 401, 401, 401, 429])
    }
    expect((await tryAt(strict, 20, username, password)).statusCode).toBe(429)
    expect((await tryAt(strict, 20, email, password)).statusCode, 'the same member').toBe(429)
    await strict.close()
  })

  it('15.10 do not include attempts that the server was too busy to check', async () => {
    const busy = await testSite({ LIMIT_SIGN_INS: '20/900', HASHES_AT_ONCE: '1', HASHES_WAITING: '1' })
    const { username, password } = await joinedMember(busy)
    let isAnswered = false
    const hashing = ['one', 'another', 'a third'].map(async (key) => {
      while (!isAnswered)
        await hashPassword(password, { HASHES_AT_ONCE: 1, HASHES_WAITING: 3 }, { lane: 'sign_in', key })
    })
    const refused = await signIn(username, password, '', busy)
    isAnswered = true
    await Promise.all(hashing)
    expect(refused.statusCode).toBe(503)
    expect(refused.json()).toEqual({ message: 'We’re very busy right now. Please try again in a moment.' })
    const counted = await busy.db
      .selectFrom('limit_count')
      .select('count')
      .where('name', 'like', 'LIMIT_SIGN%')
      .execute()
    expect(counted.map(({ count }) => count)).toEqual([0, 0])
    await busy.close()
  })

  it('15.10 by strangers do not lock out a browser the member has used before', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, password, cookie } = await memberInOffice(strict)
    const signInFrom = (address: string, attempt: string, cookies = '') =>
      strict.post(
        'office/sign-in',
        { name: username, password: attempt },
        { 'x-forwarded-for': address, ...(cookies ? { cookie: cookies } : {}) },
      )
    for (const n of [1, 2, 3]) expect((await signInFrom(`203.0.113.${n}`, 'Wrong-1!')).statusCode).toBe(401)
    expect((await signInFrom('203.0.113.9', password)).statusCode).toBe(429)
    expect((await signInFrom('203.0.113.9', password, cookie)).statusCode).toBe(200)
    const another = await memberInOffice(strict)
    expect((await signInFrom('203.0.113.9', password, another.cookie)).statusCode, 'another member’s browser').toBe(429)
    await strict.close()
  })

  it('15.10 a browser is no longer trusted after the password has changed', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, password, cookie } = await memberInOffice(strict)
    let addresses = 0
    const signInFrom = async (attempt: string, cookies = '') => {
      const headers = { 'x-forwarded-for': `203.0.113.${++addresses}`, ...(cookies ? { cookie: cookies } : {}) }
      return strict.post('office/sign-in', { name: username, password: attempt }, headers)
    }
    const oldCookies = [cookieOf(await signInFrom(password)), cookieOf(await signInFrom(password))]
    const changed = await strict.post(
      'office/password',
      { password: 'Another-4-Hall', current_password: password },
      { cookie },
    )
    expect(changed.statusCode).toBe(200)
    for (const cookies of ['', ...oldCookies]) expect((await signInFrom('Wrong-1!', cookies)).statusCode).toBe(401)
    for (const cookies of oldCookies) expect((await signInFrom('Wrong-2!', cookies)).statusCode).toBe(429)
    expect((await signInFrom('Another-4-Hall', cookieOf(changed))).statusCode, 'the browser that changed it').toBe(200)
    await strict.close()
  })

  it('15.2 signing out also revokes the access of the enrollment page', async () => {
    for (const path of ['sign-out', 'sign-out-everywhere']) {
      const page = await site.get('/ana')
      const paying = cookieOf(page)
      const form = await filledForm(site)
      const joined = await site.post('enrollment/add-enrollment', form, { cookie: paying })
      const entered = cookieOf(await site.post('office/session', { token: joined.json().token }))
      const status = async () => (await site.get('/api/enrollment/status', { cookie: paying })).json().reply
      expect((await status()).token).not.toBe('')
      await site.post(`office/${path}`, {}, { cookie: entered })
      expect(await status()).toMatchObject({ payment: 'Approved', token: '' })
    }
  })

  it('15.2 a member keeps only the newest sessions', async () => {
    const { username, password } = await joinedMember(site)
    const cookies: string[] = []
    for (let n = 0; n < 22; n++) {
      site.advance(1)
      cookies.push(cookieOf(await signIn(username, password)))
    }
    expect([await isSignedIn(cookies[0] ?? ''), await isSignedIn(cookies[21] ?? '')]).toEqual([false, true])
  })
})
