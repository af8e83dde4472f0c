import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officeAddress } from '#contract/office.ts'
import {
  byManyVisitors,
  CROWD,
  cookieOf,
  emailsTo,
  joinedMember,
  linkTokenIn,
  memberInOffice,
} from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { mintGrant } from './grant.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ TRUST_PROXY: 'loopback' })
})
afterAll(() => site.close())

const joined = async () => (await site.post('enrollment/add-enrollment', await filledForm(site))).json()
const enter = (token: string, headers = {}) => site.post('office/session', { token }, headers)

describe('a grant', () => {
  it('4.16 is not spent by opening its address', async () => {
    const { token, vo_url } = await joined()
    const { pathname } = new URL(officeAddress(vo_url, token))
    for (const _scanner of [1, 2]) {
      const door = await site.get(pathname)
      expect([door.statusCode, door.headers['referrer-policy'], door.headers['cache-control']]).toEqual([
        200,
        'no-referrer',
        'no-store',
      ])
    }
    expect((await enter(token)).statusCode).toBe(200)
    expect(site.log()).not.toContain(token)
    expect(site.log()).not.toContain(pathname.split('/').at(-1))
  })

  it('4.16 opens one session, however many bring it at once', async () => {
    const { token } = await joined()
    const sessions = await site.db.selectFrom('office_session').select('key_hash').execute()
    expect(await byManyVisitors((headers) => enter(token, headers))).toEqual({ 200: 1, 401: CROWD - 1 })
    expect(await site.db.selectFrom('office_session').select('key_hash').execute()).toHaveLength(sessions.length + 1)
  })

  it('4.16 is refused when it is late', async () => {
    const { token } = await joined()
    site.pass(61)
    const late = await enter(token)
    expect([late.statusCode, late.json().message]).toEqual([
      401,
      'This link into the office was used before or is too old.',
    ])
  })

  it('4.16 is refused when it is changed, foreign, unsigned or made up', async () => {
    const { token } = await joined()
    const [head, body, signature] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const member = await site.db.selectFrom('member').select('id').executeTakeFirst()
    const elsewhere = { ...site.world, config: { ...site.world.config, OFFICE_URL: 'http://elsewhere.test' } }
    const foreign = mintGrant(elsewhere, member?.id ?? '')
    const { kty, crv, x, y } = site.world.keys.signing.publicJwk
    const confused = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(member?.id ?? '')
      .setJti('x')
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(JSON.stringify({ kty, crv, x, y })))
    const changed = Buffer.from(JSON.stringify({ sub: member?.id })).toString('base64url')
    for (const bad of [`${head}.${changed}.${signature}`, `${none}.${body}.`, foreign, confused, 'x', ''])
      expect((await enter(bad)).statusCode, bad).toBe(401)
    expect((await enter(token)).statusCode).toBe(200)
  })

  it('6.4 that opens does not count, nor does the word of a letter: many may join from one address', async () => {
    const strict = await testSite({ LIMIT_GRANTS: '1/3600' })
    const bring = async (path: string, said: object) => (await strict.post(`office/${path}`, said)).statusCode
    const wordTo = async (reader: string, subject: string) => linkTokenIn((await emailsTo(strict, reader, subject))[0])
    const { cookie, email, password } = await memberInOffice(strict)
    expect(await bring('session', { token: (await joinedMember(strict)).token })).toBe(200)
    const moved = `moved.${email}`
    await strict.post('office/email', { email: moved, current_password: password }, { cookie })
    const confirming = await wordTo(moved, 'Confirm your email address')
    expect(await bring('confirm-email', { token: confirming })).toBe(200)
    await bring('forgotten-password', { name: moved })
    const forgotten = await wordTo(moved, 'Set a new password')
    expect(await bring('new-password', { token: forgotten, password: 'Lemon-Tree-9' })).toBe(200)
    expect([await bring('session', { token: 'x' }), await bring('session', { token: 'x' })]).toEqual([401, 429])
    await strict.close()
  })
})

describe('the office', () => {
  it('4.17 greets a member who is signed in', async () => {
    const entered = await enter((await joined()).token)
    expect(String(entered.headers['set-cookie'])).toMatch(/foyer_office=[\w-]{43}; .*HttpOnly; SameSite=Lax/)
    const office = await site.get('/office', { cookie: cookieOf(entered) })
    expect([office.statusCode, office.body.includes('Hello Zoë')]).toEqual([200, true])
    expect(office.body).toMatch(/http:\/\/foyer\.test\/zoe\d+/)
  })

  it('4.17 says so when nobody is signed in, or no longer', async () => {
    expect((await site.get('/office')).statusCode).toBe(401)
    expect((await site.get('/office', { cookie: 'foyer_office=made-up' })).body).toContain('Closed')
    const cookie = cookieOf(await enter((await joined()).token))
    site.pass(12 * 3600 + 1)
    expect((await site.get('/office', { cookie })).statusCode).toBe(401)
  })

  it('4.17 ends a session when the member signs out', async () => {
    const cookie = cookieOf(await enter((await joined()).token))
    const left = await site.post('office/sign-out', {}, { cookie })
    expect(String(left.headers['set-cookie'])).toContain('foyer_office=;')
    expect((await site.get('/office', { cookie })).statusCode).toBe(401)
  })

  it('4.16 keeps only a hash of the session’s word', async () => {
    const word = cookieOf(await enter((await joined()).token)).split('=')[1]
    const rows = await site.db.selectFrom('office_session').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(word)
  })

  it('4.17 leaves its place to the operator’s own', async () => {
    const own = await testSite({ OFFICE_URL: 'https://office.example' })
    expect((await own.get('/office')).statusCode).toBe(404)
    expect((await own.post('enrollment/add-enrollment', await filledForm(own))).json().vo_url).toBe(
      'https://office.example',
    )
    await own.close()
  })
})
