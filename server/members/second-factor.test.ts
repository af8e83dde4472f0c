import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAuthenticator } from '#server/test/authenticator.ts'
import { allRows } from '#server/test/database-rows.ts'
import {
  byManyVisitors,
  CROWD,
  confirmed,
  cookieOf,
  emailsTo,
  joinedMember,
  linkTokenIn,
  memberInOffice,
} from '#server/test/member.ts'
import { beginSignIn, memberWithApp, memberWithPasskey } from '#server/test/second-factor.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ TRUST_PROXY: 'loopback', LIMIT_SIGN_INS: '100000/900', LIMIT_SECOND_FACTORS: '20/86400' })
})
afterAll(() => site.close())

const SUBJECT = 'Your two-step sign-in was changed'
const signIn = (name: string, password: string, cookie = '') =>
  site.post('office/sign-in', { name, password }, cookie ? { cookie } : {})
const sendCode = (token: string, code: string, headers = {}) =>
  site.post('office/sign-in/code', { token, code }, headers)
const isSignedIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const changesTold = async (email: string) => (await emailsTo(site, email, SUBJECT)).map(({ body }) => body).join('\n')

describe('an authenticator app', () => {
  it('21.5 is turned on with the current password and a code, brings recovery codes, and an email tells it', async () => {
    const { cookie, password, email } = await memberInOffice(site)
    const { secret, sealed } = (await site.post('office/security/app-secret', {}, { cookie })).json()
    const { codeOf, stepAt } = await import('#server/members/credentials/totp.ts')
    const code = codeOf(secret, stepAt(site.world.now()))
    const turnOn = (input: object) =>
      site.post('office/security/app', { sealed, code, current_password: password, ...input }, { cookie })
    expect((await turnOn({ current_password: 'Wrong-Password-1' })).json().fields).toHaveProperty('current_password')
    expect((await turnOn({ code: wrong(code) })).json().fields).toHaveProperty('code')
    expect((await turnOn({ sealed: 'made-up' })).json().fields).toHaveProperty('code')
    expect((await site.get('/api/office/security', { cookie })).json()).toMatchObject({ has_app: false })
    const { view, recovery_codes } = (await turnOn({})).json()
    expect([view.has_app, view.recovery_codes_left, recovery_codes.length]).toEqual([true, 10, 10])
    expect(await changesTold(email)).toContain('An authenticator app was added.')
  })

  it('21.6 is asked for after the right password, and the password alone opens nothing', async () => {
    const { username, email, password, code } = await memberWithApp(site)
    for (const name of [username, email]) {
      const reply = await signIn(name, password)
      expect(reply.json()).toEqual({
        second_factor: { token: expect.stringMatching(/^[\w-]{43}$/), has_app: true, has_passkey: false },
      })
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
    expect((await signIn(username, `${password}!`)).json()).toEqual({ message: 'Wrong username or password.' })
    const reply = await sendCode(await beginSignIn(site, { username, password }), code())
    expect([reply.statusCode, await isSignedIn(cookieOf(reply))]).toEqual([200, true])
  })

  it('21.6 each code works once, also when many send it at the same time', async () => {
    const member = await memberWithApp(site)
    const code = member.code()
    const tokens = await Promise.all([1, 2, 3, 4].map(() => beginSignIn(site, member)))
    const replies = await Promise.all(tokens.map((token) => sendCode(token, code)))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422, 422, 422])
    expect((await sendCode(await beginSignIn(site, member), code)).statusCode).toBe(422)
  })

  it('21.6 each recovery code works once, and an email tells it', async () => {
    const member = await memberWithApp(site)
    const [first = ''] = member.recovery_codes
    const reply = await sendCode(await beginSignIn(site, member), first.toUpperCase())
    expect(reply.statusCode).toBe(200)
    expect(await changesTold(member.email)).toContain('A recovery code was used')
    expect((await sendCode(await beginSignIn(site, member), first)).statusCode).toBe(422)
    const view = await site.get('/api/office/security', { cookie: cookieOf(reply) })
    expect(view.json().recovery_codes_left).toBe(9)
  })

  it('21.6 a sign-in waits for ten minutes and for five codes, then the password is asked again', async () => {
    const member = await memberWithApp(site)
    const token = await beginSignIn(site, member)
    for (let n = 0; n < 5; n++) expect((await sendCode(token, wrong(member.code()))).statusCode).toBe(422)
    const tooMany = await sendCode(token, member.code())
    expect([tooMany.statusCode, tooMany.json().message]).toEqual([
      401,
      'This sign-in has expired. Please enter your password again.',
    ])
    const inTime = await beginSignIn(site, member)
    site.advance(10 * 60 - 1)
    expect((await sendCode(inTime, member.code())).statusCode).toBe(200)
    const late = await beginSignIn(site, member)
    site.advance(10 * 60)
    expect((await sendCode(late, member.code())).statusCode).toBe(401)
    expect((await sendCode('made-up', member.code())).statusCode).toBe(401)
  })

  it('21.6 a sign-in takes no more than five codes, even if many are sent at the same time', async () => {
    const member = await memberWithApp(site)
    const token = await beginSignIn(site, member)
    const replies = await Promise.all(Array.from({ length: 20 }, () => sendCode(token, wrong(member.code()))))
    expect(replies.filter(({ statusCode }) => statusCode === 422)).toHaveLength(5)
    expect(replies.filter(({ statusCode }) => statusCode === 401)).toHaveLength(15)
  })

  it('21.6 a sign-in that waits is void once the password is changed or the sessions are ended', async () => {
    const member = await memberWithApp(site)
    const token = await beginSignIn(site, member)
    await site.post('office/sessions/end-others', {}, { cookie: member.cookie })
    expect((await sendCode(token, member.code())).statusCode).toBe(401)
    site.advance(30) // the code is used up
    const later = await beginSignIn(site, member)
    const change = { password: 'Lemon-Tree-9', current_password: member.password }
    expect((await site.post('office/password', change, { cookie: member.cookie })).statusCode).toBe(200)
    expect((await sendCode(later, member.code())).statusCode).toBe(401)
  })

  it('21.7 wrong codes are limited by member, even if many are sent at the same time', async () => {
    const strict = await testSite({ TRUST_PROXY: 'loopback', LIMIT_SECOND_FACTORS: '8/86400' })
    const member = await memberWithApp(strict)
    const tokens: string[] = []
    for (let n = 0; n < 4; n++) tokens.push(await beginSignIn(strict, member))
    let next = 0
    const counts = await byManyVisitors((headers) =>
      strict.post('office/sign-in/code', { token: tokens[next++ % 4], code: '000000' }, headers),
    )
    expect(counts[422]).toBeLessThanOrEqual(8)
    expect((counts[422] ?? 0) + (counts[429] ?? 0) + (counts[401] ?? 0)).toBe(CROWD)
    const fresh = await beginSignIn(strict, member)
    const right = { token: fresh, code: member.code() }
    const elsewhere = { 'x-forwarded-for': '203.0.113.77' }
    expect((await strict.post('office/sign-in/code', right, elsewhere)).statusCode).toBe(429)
    const known = { ...elsewhere, cookie: member.cookie }
    expect((await strict.post('office/sign-in/code', right, known)).statusCode).toBe(200)
    await strict.close()
  })

  it('21.7 many trusted browsers together get no more wrong codes than one', async () => {
    const strict = await testSite({ LIMIT_SECOND_FACTORS: '8/86400' })
    const member = await memberWithApp(strict)
    const send = async (code: string, cookie = '') => {
      const token = await beginSignIn(strict, member)
      return strict.post('office/sign-in/code', { token, code }, cookie ? { cookie } : {})
    }
    const cookies = [member.cookie]
    for (let n = 0; n < 3; n++) {
      cookies.push(cookieOf(await send(member.code())))
      strict.advance(30)
    }
    const statuses: number[] = []
    for (const cookie of cookies)
      for (let n = 0; n < 3; n++) statuses.push((await send(wrong(member.code()), cookie)).statusCode)
    expect(statuses).toEqual([...Array(8).fill(422), ...Array(4).fill(429)])
    await strict.close()
  })

  it('21.7 who does not know the password cannot use up the limit of codes', async () => {
    const strict = await testSite({ LIMIT_SECOND_FACTORS: '1/86400', LIMIT_SIGN_INS: '1000/900' })
    const member = await memberWithApp(strict)
    for (const token of ['', 'guess', 'a'.repeat(43)])
      expect((await strict.post('office/sign-in/code', { token, code: '123456' })).statusCode).toBe(401)
    await strict.post('office/sign-in', { name: member.username, password: 'Wrong-Password-1' })
    const right = { token: await beginSignIn(strict, member), code: member.code() }
    expect((await strict.post('office/sign-in/code', right)).statusCode).toBe(200)
    await strict.close()
  })

  it('21.9 outlives a password that was reset by email', async () => {
    const { username, email, code } = await confirmed(site, await memberWithApp(site))
    await site.post('office/forgotten-password', { name: email })
    const token = linkTokenIn((await emailsTo(site, email, 'Reset your password'))[0])
    const password = 'Lemon-Tree-9'
    expect((await site.post('office/new-password', { token, password })).statusCode).toBe(200)
    const pending = await signIn(username, password)
    expect(pending.json().second_factor).toMatchObject({ has_app: true })
    expect((await sendCode(pending.json().second_factor.token, code())).statusCode).toBe(200)
  })

  it('21.9 is turned off with the current password only, the recovery codes go too, and an email tells it', async () => {
    const { cookie, username, password, email } = await memberWithApp(site)
    const turnOff = (current_password: string) =>
      site.post('office/security/app/remove', { current_password }, { cookie })
    expect((await turnOff('Wrong-Password-1')).statusCode).toBe(422)
    expect((await turnOff(password)).json()).toMatchObject({ has_app: false, recovery_codes_left: 0 })
    expect(await changesTold(email)).toContain('The authenticator app was removed.')
    expect((await turnOff(password)).statusCode).toBe(409)
    expect((await signIn(username, password)).json()).toEqual({})
    const codes = await site.post('office/security/recovery-codes', { current_password: password }, { cookie })
    expect(codes.statusCode).toBe(409)
  })

  it('21.5 new recovery codes replace the old ones, with the current password', async () => {
    const member = await memberWithApp(site)
    const { cookie, password, email, recovery_codes } = member
    const make = (current_password: string) =>
      site.post('office/security/recovery-codes', { current_password }, { cookie })
    expect((await make('Wrong-Password-1')).statusCode).toBe(422)
    const fresh = (await make(password)).json().recovery_codes
    expect((await sendCode(await beginSignIn(site, member), recovery_codes[0] ?? '')).statusCode).toBe(422)
    expect((await sendCode(await beginSignIn(site, member), fresh[0])).statusCode).toBe(200)
    expect(await changesTold(email)).toContain('New recovery codes were made.')
  })

  it('21.5 voids the grants from before, which would open the office without it', async () => {
    const { token, username: name, password } = await joinedMember(site)
    const cookie = cookieOf(await signIn(name, password))
    const { secret, sealed } = (await site.post('office/security/app-secret', {}, { cookie })).json()
    const { codeOf, stepAt } = await import('#server/members/credentials/totp.ts')
    const code = codeOf(secret, stepAt(site.world.now()))
    await site.post('office/security/app', { sealed, code, current_password: password }, { cookie })
    expect((await site.post('office/session', { token })).statusCode).toBe(401)
  })

  it('21.6 the security log has the change, the wrong code and the sign-in', async () => {
    const member = await memberWithApp(site)
    const token = await beginSignIn(site, member)
    await sendCode(token, wrong(member.code()))
    await sendCode(token, member.code())
    const { id } = await site.db
      .selectFrom('member')
      .select('id')
      .where('username', '=', member.username)
      .executeTakeFirstOrThrow()
    const events = await site.db.selectFrom('security_event').select('kind').where('member_id', '=', id).execute()
    const kinds = events.map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['second_factor_on', 'second_factor_failed', 'sign_in']))
  })

  it('21.11 stores neither secret, code nor token in clear, and logs none of them', async () => {
    const member = await memberWithApp(site)
    const token = await beginSignIn(site, member)
    const [code = ''] = member.recovery_codes
    const everything =
      Object.values(await allRows(site.db))
        .flat()
        .join('\n') + site.log()
    for (const secret of [member.secret, token, code, code.replaceAll('-', '')])
      expect(everything.includes(secret)).toBe(false)
  })
})

describe('a passkey', () => {
  const options = async (token?: string) => (await site.post('office/sign-in/passkey-options', { token })).json()
  const enter = (response: object) => site.post('office/sign-in/passkey', { response })

  it('21.8 alone signs in, once for each challenge, and only on this site', async () => {
    const { passkey, email } = await memberWithPasskey(site)
    expect(await changesTold(email)).toContain('A passkey was added.')
    const challenge = await options()
    expect([challenge.userVerification, challenge.allowCredentials ?? []]).toEqual(['required', []])
    const elsewhere = passkey.get(challenge, 'https://elsewhere.example')
    expect((await enter(elsewhere)).statusCode).toBe(401)
    const response = passkey.get(challenge)
    const reply = await enter(response)
    expect([reply.statusCode, await isSignedIn(cookieOf(reply))]).toEqual([200, true])
    expect((await enter(response)).statusCode).toBe(401)
    const old = passkey.get(await options())
    site.advance(5 * 60 + 1)
    expect((await enter(old)).statusCode).toBe(401)
    expect((await enter({ id: 'unknown' })).json().message).toContain('This passkey is not known here.')
  })

  it('21.8 is the second factor of a password: the browser is asked for this member’s passkeys only', async () => {
    const member = await memberWithPasskey(site)
    const reply = await signIn(member.username, member.password)
    expect(reply.json().second_factor).toMatchObject({ has_app: false, has_passkey: true })
    const challenge = await options(reply.json().second_factor.token)
    const { id } = member.passkey.get(challenge)
    expect(challenge.allowCredentials).toEqual([{ id, type: 'public-key' }])
    expect((await enter(member.passkey.get(challenge))).statusCode).toBe(200)
    expect((await site.post('office/sign-in/passkey-options', { token: 'made-up' })).statusCode).toBe(401)
  })

  it('21.21 signs in from a browser of the member, although others on the same address have failed too often', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS: '2/900' })
    const { passkey, cookie } = await memberWithPasskey(strict)
    const enterWith = async (response: object, headers = {}) =>
      (await strict.post('office/sign-in/passkey', { response }, headers)).statusCode
    const challenge = async () => (await strict.post('office/sign-in/passkey-options', {})).json()
    for (const status of [401, 401, 429]) expect(await enterWith({ id: 'unknown' })).toBe(status)
    expect(await enterWith(passkey.get(await challenge()))).toBe(429)
    expect(await enterWith(passkey.get(await challenge()), { cookie })).toBe(200)
    await strict.close()
  })

  it('21.8 a challenge of the console, or of a new passkey, does not sign a member in', async () => {
    const { passkey, cookie, password } = await memberWithPasskey(site)
    const ofConsole = (await site.post('console/passkey-options', {})).json()
    expect((await enter(passkey.get(ofConsole))).statusCode).toBe(401)
    const body = { current_password: password }
    const ofNew = (await site.post('office/security/passkey-options', body, { cookie })).json()
    expect((await enter(passkey.get(ofNew))).statusCode).toBe(401)
  })

  it('21.5 is added only after the current password, by the same member, and not after a new password', async () => {
    const passkey = testAuthenticator(site.world.config.PUBLIC_URL)
    const { cookie, password } = await memberInOffice(site)
    const other = await memberInOffice(site)
    const ask = (current_password: string) =>
      site.post('office/security/passkey-options', { current_password }, { cookie })
    expect((await ask('Wrong-Password-1')).json().fields).toHaveProperty('current_password')
    const response = passkey.create((await ask(password)).json())
    const add = (cookie: string) => site.post('office/security/passkey', { response }, { cookie })
    expect((await add(other.cookie)).statusCode).toBe(422)
    const change = { password: 'Lemon-Tree-9', current_password: password }
    const changed = await site.post('office/password', change, { cookie })
    expect((await add(cookieOf(changed))).statusCode).toBe(422)
  })

  it('21.5 belongs to one member: no one can add the same credential again', async () => {
    const { passkey } = await memberWithPasskey(site)
    const { cookie, password } = await memberInOffice(site)
    const body = { current_password: password }
    const offer = async () => (await site.post('office/security/passkey-options', body, { cookie })).json()
    const response = passkey.create(await offer())
    const add = (response: object) => site.post('office/security/passkey', { response }, { cookie })
    expect((await add(response)).statusCode).toBe(409)
    const own = testAuthenticator(site.world.config.PUBLIC_URL).create(await offer())
    expect(
      (await add({ ...own, response: { ...own.response, transports: [{ toString: 1 }, 'usb'] } })).statusCode,
    ).toBe(200)
  })

  it('21.9 is removed with the current password, and by nobody else', async () => {
    const member = await memberWithPasskey(site)
    const other = await memberInOffice(site)
    const credential_id = member.passkey.get({ challenge: '' }).id
    const remove = ({ cookie, password }: { cookie: string; password: string }) =>
      site.post('office/security/passkey/remove', { credential_id, current_password: password }, { cookie })
    expect((await remove({ ...member, password: 'Wrong-Password-1' })).statusCode).toBe(422)
    expect((await remove(other)).statusCode).toBe(409)
    expect((await remove(member)).json()).toMatchObject({ passkeys: [], recovery_codes_left: 0 })
    expect((await enter(member.passkey.get(await options()))).statusCode).toBe(401)
    expect((await signIn(member.username, member.password)).json()).toEqual({})
  })
})

describe('support', () => {
  const idOf = async (username: string) =>
    (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id

  it('21.10 removes a lost second factor with a reason, the sessions end, and the member is told', async () => {
    const { username, password, email, cookie } = await memberWithApp(site)
    const member_id = await idOf(username)
    const support = await staffMember(site, 'support')
    const remove = (reason: string) => support.post('members/remove-second-factor', { member_id, reason })
    expect((await remove('')).statusCode).toBe(422)
    const reply = await remove('Called from the phone on file')
    expect([reply.statusCode, reply.json().has_second_factor, reply.json().sessions]).toEqual([200, false, 0])
    expect(await isSignedIn(cookie)).toBe(false)
    expect((await signIn(username, password)).json()).toEqual({})
    expect(await changesTold(email)).toContain('Our support team removed')
    expect((await remove('again')).statusCode).toBe(409)
    const { act, details } = await site.db
      .selectFrom('audit')
      .select(['act', 'details'])
      .where('subject', '=', member_id)
      .executeTakeFirstOrThrow()
    expect([act, details]).toEqual(['remove_second_factor', expect.stringContaining('Called from the phone on file')])
  })

  it('21.11 exports what is held about a second factor without its secrets', async () => {
    const { username, secret } = await memberWithApp(site)
    const owner = await staffMember(site, 'owner')
    const file = (await owner.post('members/export', { member_id: await idOf(username) })).body
    expect([file.includes('authenticator_app'), file.includes(secret), /sealed|key_hash/.test(file)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
