import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watched } from '#server/test/database.ts'
import { cookieOf, joinedMember, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600' })
})
afterAll(() => site.close())

const signIn = (name: string, password: string, cookie = '', at = site) =>
  at.post('office/sign-in', { name, password }, cookie ? { cookie } : {})
const isIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200

/** What Node calls the work of a thread that has no name, as argon2's has none. */
const ARGON2 = 'undefined'

describe('signing in', () => {
  it('15.1 takes username or email, in any case', async () => {
    const { username, email, password } = await joinedMember(site)
    for (const name of [username, username.toUpperCase(), email, ` ${email.toUpperCase()} `]) {
      const reply = await signIn(name, password)
      expect([reply.statusCode, reply.json()], name).toEqual([200, {}])
      expect(await isIn(cookieOf(reply))).toBe(true)
    }
  })

  it('15.1 takes an accent as one sign or as two, in name and password, whichever it was when they joined', async () => {
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

  it('15.1 says the same of a wrong password and of an unknown name', async () => {
    const { username, email, password } = await joinedMember(site)
    const wrong = [
      await signIn(username, `${password}!`),
      await signIn(email, password.toLowerCase()),
      await signIn('nobodyhere', password),
      await signIn('nobody@mail.example', password),
      await signIn('ana', password), // a sponsor of the operator, who is no member
      await signIn('master', password),
    ]
    for (const reply of wrong) {
      expect([reply.statusCode, reply.json()]).toEqual([401, { message: 'Wrong username or password.' }])
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
  })

  it('15.1 hashes and asks the database as much for an unknown name as for a known one', async () => {
    const { username } = await joinedMember(site)
    const { officeHandlers } = await import('./handlers.ts')
    let addresses = 0
    const costOf = async (name: string) => {
      const { db, asked } = watched(site.db)
      const visitor = { address: `203.0.113.${++addresses}` } as never
      let hashes = 0
      const counting = createHook({ init: (_id, type) => void (type === ARGON2 && hashes++) }).enable()
      await expect(officeHandlers.signIn({ ...site.world, db }, { name, password: 'x' }, visitor)).rejects.toThrow()
      counting.disable()
      return { asked: asked.length, kinds: asked, hashes }
    }
    await costOf(username) // who comes first also makes the hash that stands in for nobody's
    const known = await costOf(username)
    expect(known).toMatchObject({ asked: 2, hashes: 1 })
    expect(await costOf('nobodyhere')).toEqual(known)
  })

  it('6.1 asks for both, and refuses what nobody types', async () => {
    const fieldsOf = async (name: string, password: string) => Object.keys((await signIn(name, password)).json().fields)
    expect(await fieldsOf('', '')).toEqual(['name', 'password'])
    expect(await fieldsOf('x'.repeat(101), 'y'.repeat(1001))).toEqual(['name', 'password'])
  })

  it('15.2 gives a new word each time, and the browser’s old one is over', async () => {
    const { username, password, cookie } = await memberInOffice(site)
    const again = await signIn(username, password, cookie)
    expect(String(again.headers['set-cookie'])).toMatch(/^foyer_office=[\w-]{43}; .*HttpOnly; SameSite=Lax$/)
    expect(cookieOf(again)).not.toBe(cookie)
    expect([await isIn(cookie), await isIn(cookieOf(again))]).toEqual([false, true])
  })

  it('15.2 gives a Secure cookie under https', async () => {
    const secure = await testSite({ PUBLIC_URL: 'https://foyer.test' })
    const { username, password } = await joinedMember(secure)
    const reply = await signIn(username, password, '', secure)
    expect(String(reply.headers['set-cookie'])).toContain('; Secure')
    await secure.close()
  })

  it('15.2 signing out everywhere ends every session of the member, and nobody else’s', async () => {
    const other = await memberInOffice(site)
    const { username, password, cookie } = await memberInOffice(site)
    const elsewhere = cookieOf(await signIn(username, password))
    const left = await site.post('office/sign-out-everywhere', {}, { cookie: elsewhere })
    expect([left.statusCode, String(left.headers['set-cookie']).startsWith('foyer_office=;')]).toEqual([200, true])
    expect([await isIn(cookie), await isIn(elsewhere), await isIn(other.cookie)]).toEqual([false, false, true])
    expect((await site.post('office/sign-out-everywhere', {}, { cookie })).statusCode).toBe(401)
  })
})

describe('too many wrong passwords', () => {
  const address = (last: number) => ({ 'x-forwarded-for': `203.0.113.${last}` })
  const strictSite = () =>
    testSite({ LIMIT_SIGN_INS: '3/900', LIMIT_SIGN_INS_BY_NAME: '5/3600', TRUST_PROXY: 'loopback' })
  const tryAt = (strict: Site, from: number, name: string, password: string) =>
    strict.post('office/sign-in', { name, password }, address(from))

  it('15.10 from one address are refused, even at once; right ones do not count', async () => {
    const strict = await strictSite()
    const { username, password } = await joinedMember(strict)
    for (let round = 0; round < 5; round++)
      expect((await tryAt(strict, 1, username, password)).statusCode, 'a right one').toBe(200)
    const names = Array.from({ length: 9 }, (_, n) => `guess${n}`)
    const replies = await Promise.all(names.map((name) => tryAt(strict, 1, name, 'Guess-77-x')))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([401, 401, 401, ...Array(6).fill(429)])
    const refused = await tryAt(strict, 1, username, password)
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await tryAt(strict, 2, username, password)).statusCode).toBe(200)
    strict.pass(900 + 120)
    expect((await tryAt(strict, 1, username, password)).statusCode).toBe(200)
    await strict.close()
  })

  it('15.10 for one name are refused from everywhere, whether it is anybody’s or not', async () => {
    const strict = await strictSite()
    const { username, email, password } = await joinedMember(strict)
    for (const name of [username, 'nobodyhere']) {
      const statuses = []
      for (let from = 10; from < 16; from++)
        statuses.push((await tryAt(strict, from, name.toUpperCase(), 'Guess-77-x')).statusCode)
      expect(statuses, name).toEqual([401, 401, 401, 401, 401, 429])
    }
    expect((await tryAt(strict, 20, username, password)).statusCode).toBe(429)
    expect((await tryAt(strict, 20, email, password)).statusCode, 'one name says nothing of another').toBe(200)
    await strict.close()
  })

  it('15.10 what could not be tried is not counted', async () => {
    const crowded = await testSite({ LIMIT_SIGN_INS: '20/900', HASHES_AT_ONCE: '1', HASHES_WAITING: '1' })
    const { username, password } = await joinedMember(crowded)
    const replies = await Promise.all(Array.from({ length: 18 }, () => signIn(username, password, '', crowded)))
    const crowd = replies.filter(({ statusCode }) => statusCode === 503)
    expect(crowd.length).toBeGreaterThan(0)
    expect(crowd[0]?.json()).toEqual({ message: 'Many people are here right now. Please try again in a moment.' })
    const counted = await crowded.db
      .selectFrom('limit_count')
      .select('count')
      .where('name', 'like', 'LIMIT_SIGN%')
      .execute()
    expect(counted.map(({ count }) => count)).toEqual([0, 0])
    await crowded.close()
  })

  it('15.10 a stranger’s guesses do not shut out a browser in which the member was before', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, password, cookie } = await memberInOffice(strict)
    const from = (address: string, asked: string, cookies = '') =>
      strict.post(
        'office/sign-in',
        { name: username, password: asked },
        { 'x-forwarded-for': address, ...(cookies ? { cookie: cookies } : {}) },
      )
    for (const n of [1, 2, 3]) expect((await from(`203.0.113.${n}`, 'Wrong-1!')).statusCode).toBe(401)
    expect((await from('203.0.113.9', password)).statusCode).toBe(429)
    expect((await from('203.0.113.9', password, cookie)).statusCode).toBe(200)
    const another = await memberInOffice(strict)
    expect((await from('203.0.113.9', password, another.cookie)).statusCode, 'somebody else’s browser').toBe(429)
    await strict.close()
  })

  it('15.10 a browser that was known by an old password is a stranger’s, however many of them there are', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, password, cookie } = await memberInOffice(strict)
    let addresses = 0
    const from = async (asked: string, cookies = '') => {
      const headers = { 'x-forwarded-for': `203.0.113.${++addresses}`, ...(cookies ? { cookie: cookies } : {}) }
      return strict.post('office/sign-in', { name: username, password: asked }, headers)
    }
    const hoarded = [cookieOf(await from(password)), cookieOf(await from(password))]
    const changed = await strict.post(
      'office/password',
      { password: 'Another-4-Hall', current_password: password },
      { cookie },
    )
    expect(changed.statusCode).toBe(200)
    for (const cookies of ['', ...hoarded]) expect((await from('Wrong-1!', cookies)).statusCode).toBe(401)
    for (const cookies of hoarded) expect((await from('Wrong-2!', cookies)).statusCode).toBe(429)
    expect((await from('Another-4-Hall', cookieOf(changed))).statusCode, 'the browser that changed it').toBe(200)
    await strict.close()
  })

  it('15.2 signing out also ends what the page that paid could open', async () => {
    for (const way of ['sign-out', 'sign-out-everywhere']) {
      const page = await site.get('/ana')
      const paying = cookieOf(page)
      const form = await filledForm(site)
      const joined = await site.post('enrollment/add-enrollment', form, { cookie: paying })
      const entered = cookieOf(await site.post('office/session', { token: joined.json().token }))
      const status = async () => (await site.get('/api/enrollment/status', { cookie: paying })).json().reply
      expect((await status()).token).not.toBe('')
      await site.post(`office/${way}`, {}, { cookie: entered })
      expect(await status()).toMatchObject({ payment: 'Approved', token: '' })
    }
  })

  it('15.2 keeps the newest sessions of a member, not all of them', async () => {
    const { username, password } = await joinedMember(site)
    const cookies: string[] = []
    for (let n = 0; n < 22; n++) {
      site.pass(1)
      cookies.push(cookieOf(await signIn(username, password)))
    }
    expect([await isIn(cookies[0] ?? ''), await isIn(cookies[21] ?? '')]).toEqual([false, true])
  })
})
