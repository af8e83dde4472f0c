import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officeAddress } from '#contract/office/address.ts'
import { mintGrant } from '#server/members/grant.ts'
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

let site: Site
beforeAll(async () => {
  site = await testSite({ TRUST_PROXY: 'loopback' })
})
afterAll(() => site.close())

const enroll = async () => (await site.post('enrollment/add-enrollment', await filledForm(site))).json()
const enter = (token: string, headers = {}) => site.post('office/session', { token }, headers)

describe('a grant', () => {
  it('4.16 is not used up by opening its URL', async () => {
    const { token, vo_url } = await enroll()
    const { pathname } = new URL(officeAddress(vo_url, token))
    for (const _scanner of [1, 2]) {
      const page = await site.get(pathname)
      expect([page.statusCode, page.headers['referrer-policy'], page.headers['cache-control']]).toEqual([
        200,
        'no-referrer',
        'no-store',
      ])
    }
    expect((await enter(token)).statusCode).toBe(200)
    expect(site.log()).not.toContain(token)
    expect(site.log()).not.toContain(pathname.split('/').at(-1))
  })

  it('4.16 opens one session, even if many requests send it at the same time', async () => {
    const { token } = await enroll()
    const sessions = await site.db.selectFrom('office_session').select('key_hash').execute()
    expect(await byManyVisitors((headers) => enter(token, headers))).toEqual({ 200: 1, 401: CROWD - 1 })
    expect(await site.db.selectFrom('office_session').select('key_hash').execute()).toHaveLength(sessions.length + 1)
  })

  it('4.16 is refused after it has expired', async () => {
    const { token } = await enroll()
    site.advance(61)
    const late = await enter(token)
    expect([late.statusCode, late.json().message]).toEqual([401, 'This sign-in link has expired or was already used.'])
  })

  it('4.16 is refused if it was changed, unsigned, made up or issued for another office', async () => {
    const { token } = await enroll()
    const [head, body, signature] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const member = await site.db.selectFrom('member').select('id').executeTakeFirst()
    const otherOffice = { ...site.world, config: { ...site.world.config, OFFICE_URL: 'http://elsewhere.test' } }
    const foreign = mintGrant(otherOffice, { id: member?.id ?? '', access_version: 0 })
    const { kty, crv, x, y } = site.world.keys.signing.publicJwk
    const wrongAlgorithm = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(member?.id ?? '')
      .setJti('x')
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(JSON.stringify({ kty, crv, x, y })))
    const changed = Buffer.from(JSON.stringify({ sub: member?.id })).toString('base64url')
    for (const bad of [`${head}.${changed}.${signature}`, `${none}.${body}.`, foreign, wrongAlgorithm, 'x', ''])
      expect((await enter(bad)).statusCode, bad).toBe(401)
    expect((await enter(token)).statusCode).toBe(200)
  })

  it('6.4 that succeeds does not count against the limit, nor does an email link: many can join from one address', async () => {
    const strict = await testSite({ LIMIT_GRANTS: '1/3600' })
    const statusOf = async (path: string, body: object) => (await strict.post(`office/${path}`, body)).statusCode
    const tokenSentTo = async (email: string, subject: string) =>
      linkTokenIn((await emailsTo(strict, email, subject))[0])
    const { cookie, email, password } = await memberInOffice(strict)
    expect(await statusOf('session', { token: (await joinedMember(strict)).token })).toBe(200)
    const moved = `moved.${email}`
    await strict.post('office/email', { email: moved, current_password: password }, { cookie })
    const emailToken = await tokenSentTo(moved, 'Confirm your email address')
    expect(await statusOf('confirm-email', { token: emailToken })).toBe(200)
    await statusOf('forgotten-password', { name: moved })
    const passwordToken = await tokenSentTo(moved, 'Reset your password')
    expect(await statusOf('new-password', { token: passwordToken, password: 'Lemon-Tree-9' })).toBe(200)
    expect([await statusOf('session', { token: 'x' }), await statusOf('session', { token: 'x' })]).toEqual([401, 429])
    await strict.close()
  })
})

describe('the office', () => {
  it('4.17 greets a member who is signed in', async () => {
    const entered = await enter((await enroll()).token)
    expect(String(entered.headers['set-cookie'])).toMatch(/foyer_office=[\w-]{43}; .*HttpOnly; SameSite=Lax/)
    const office = await site.get('/office', { cookie: cookieOf(entered) })
    expect([office.statusCode, office.body.includes('Hello Zoë')]).toEqual([200, true])
    expect(office.body).toMatch(/http:\/\/foyer\.test\/zoe\d+/)
  })

  it('4.17 21.2 asks to sign in without a session, or after twelve hours', async () => {
    expect((await site.get('/office')).statusCode).toBe(401)
    expect((await site.get('/office', { cookie: 'foyer_office=made-up' })).body).toContain('Closed')
    const cookie = cookieOf(await enter((await enroll()).token))
    const open = async () => (await site.get('/office', { cookie })).statusCode
    for (let hour = 1; hour < 12; hour++) {
      site.advance(3600)
      expect(await open(), `${hour} h`).toBe(200)
    }
    site.advance(3601)
    expect(await open()).toBe(401)
  })

  it('21.2 ends a session after two hours without use, and a use moves that', async () => {
    const cookie = cookieOf(await enter((await enroll()).token))
    const open = async () => (await site.get('/office', { cookie })).statusCode
    for (const seconds of [2 * 3600 - 1, 2 * 3600 - 1]) {
      site.advance(seconds)
      expect(await open()).toBe(200)
    }
    site.advance(2 * 3600)
    expect(await open()).toBe(401)
    expect((await site.get('/api/office/view', { cookie })).statusCode).toBe(401)
  })

  it('21.3 stores a description of the browser, and not its User-Agent', async () => {
    const agent = 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0'
    await enter((await enroll()).token, { 'user-agent': agent })
    const rows = JSON.stringify(await site.db.selectFrom('office_session').selectAll().execute())
    expect([rows.includes('Chrome on Android'), rows.includes('Pixel')]).toEqual([true, false])
  })

  it('4.17 ends a session when the member signs out', async () => {
    const cookie = cookieOf(await enter((await enroll()).token))
    const reply = await site.post('office/sign-out', {}, { cookie })
    expect(String(reply.headers['set-cookie'])).toContain('foyer_office=;')
    expect((await site.get('/office', { cookie })).statusCode).toBe(401)
  })

  it('4.16 stores only a hash of the session key', async () => {
    const key = cookieOf(await enter((await enroll()).token)).split('=')[1]
    const rows = await site.db.selectFrom('office_session').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  it('4.17 can be replaced by the operator’s own', async () => {
    const site = await testSite({ OFFICE_URL: 'https://office.example' })
    expect((await site.get('/office')).statusCode).toBe(404)
    expect((await site.post('enrollment/add-enrollment', await filledForm(site))).json().vo_url).toBe(
      'https://office.example',
    )
    await site.close()
  })
})
