import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { passwordResetEmailFor } from '#server/emails/changes.ts'
import { beforeTransactions, recordStatements } from '#server/test/database.ts'
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
import { type Site, testSite } from '#server/test/site.ts'
import { deleteExpired } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import type { Access } from './grant.ts'

const NEW_PASSWORD = 'Lemon-Tree-9'

let site: Site
beforeAll(async () => {
  site = await testSite({
    LIMIT_GRANTS: '100000/3600',
    LIMIT_SIGN_INS: '1000/900',
    LIMIT_LETTERS: '1000/3600',
    HASHES_WAITING: '10',
    TRUST_PROXY: 'loopback',
  })
})
afterAll(() => site.close())

const signIn = (name: string, password: string) => site.post('office/sign-in', { name, password })
const canSignIn = async (name: string, password: string) => (await signIn(name, password)).statusCode === 200
const isSignedIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200
const requestReset = (name: string, at = site) => at.post('office/forgotten-password', { name })
const reset = (token: string, password = NEW_PASSWORD, headers = {}) =>
  site.post('office/new-password', { token, password }, headers)
const tokenSentTo = async (email: string, subject = 'Reset your password') =>
  linkTokenIn((await emailsTo(site, email, subject))[0])

describe('a changed password', () => {
  it('15.7 signs out every other browser, and gives this one a new session', async () => {
    const { username, email, password, cookie } = await memberInOffice(site)
    const elsewhere = cookieOf(await signIn(username, password))
    const changed = await site.post(
      'office/password',
      { password: NEW_PASSWORD, current_password: password },
      { cookie },
    )
    expect([changed.statusCode, changed.json()]).toEqual([200, {}])
    const fresh = cookieOf(changed)
    expect([await isSignedIn(fresh), await isSignedIn(cookie), await isSignedIn(elsewhere)]).toEqual([
      true,
      false,
      false,
    ])
    expect([await canSignIn(username, NEW_PASSWORD), await canSignIn(username, password)]).toEqual([true, false])
    expect(await emailsTo(site, email, 'Your password was changed')).toHaveLength(1)
  })

  it.each([
    ['lemon', 'Open-Sesame-7', 'password'],
    ['Password1!', 'Open-Sesame-7', 'password'],
    ['Example-77!', 'Open-Sesame-7', 'password'], // made from the member's last name
    [NEW_PASSWORD, 'Wrong-Password-1', 'current_password'],
  ])('15.6 must be strong, and requires the current password: %s, %s', async (password, current_password, field) => {
    const member = await memberInOffice(site)
    const { cookie } = member
    const reply = await site.post('office/password', { password, current_password }, { cookie })
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, [field]])
    expect(await isSignedIn(cookie)).toBe(true)
  })

  it('15.7 is set by only one of two requests at the same time', async () => {
    const { username, password, cookie } = await memberInOffice(site)
    const passwords = [NEW_PASSWORD, 'Other-Tree-9']
    const replies = await Promise.all(
      passwords.map((next) => site.post('office/password', { password: next, current_password: password }, { cookie })),
    )
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    const newPassword = passwords[replies.findIndex(({ statusCode }) => statusCode === 200)] ?? ''
    expect(await canSignIn(username, newPassword)).toBe(true)
  })

  it('15.7 refuses a sign-in that verified the old password just before', async () => {
    const { username, password } = await joinedMember(site)
    const { openSession } = await import('./session.ts')
    const open = (member: Access) => openSession(site.world, { agent: '' }, member)
    const member = await site.db
      .selectFrom('member')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect(await open(member)).toBeDefined()
    const cookie = cookieOf(await signIn(username, password))
    await site.post('office/password', { password: NEW_PASSWORD, current_password: password }, { cookie })
    expect(await open(member)).toBeUndefined()
  })
})

describe('a forgotten password', () => {
  it('15.8 is reset by a link in an email, requested by username or email address', async () => {
    const { username, email, password, cookie } = await confirmed(site, await memberInOffice(site))
    for (const [name, next] of [
      [username, NEW_PASSWORD],
      [email.toUpperCase(), 'Other-Tree-9'],
    ] as const) {
      expect((await requestReset(name)).json()).toEqual({})
      expect((await reset(await tokenSentTo(email), next)).json()).toEqual({})
      expect(await canSignIn(username, next)).toBe(true)
      site.advance(1)
    }
    expect(await canSignIn(username, password)).toBe(false)
    expect(await isSignedIn(cookie), 'old sessions are closed').toBe(false)
    expect(await emailsTo(site, email, 'Your password was changed')).toHaveLength(2)
    expect(site.log()).not.toContain('new-password#')
  })

  it('15.8 a reset request does the same for every name, and only members get an email', async () => {
    const { username, email } = await confirmed(site, await joinedMember(site))
    while (await runJobs(site.world));
    const statementsFor = async (name: string) => {
      const { db, statements } = recordStatements(site.db)
      const { officeHandlers } = await import('#server/office/handlers.ts')
      await officeHandlers.forgetPassword({ ...site.world, db }, { name }, { address: '203.0.113.9' } as never)
      return statements
    }
    const forMember = await statementsFor(username)
    expect(forMember).toHaveLength(2)
    for (const name of [email, 'nobodyhere', 'nobody@mail.example'])
      expect(await statementsFor(name)).toEqual(forMember)
    const before = await site.db.selectFrom('message').select('id').execute()
    while (await runJobs(site.world));
    const after = await site.db.selectFrom('message').select('recipient').execute()
    expect(after.length - before.length).toBe(2)
    expect(after.map(({ recipient }) => recipient)).not.toContain('nobody@mail.example')
  })

  it('15.8 the link works once, even for many requests at the same time', async () => {
    const { username, email } = await confirmed(site, await joinedMember(site))
    await requestReset(username)
    const token = await tokenSentTo(email)
    const counts = await byManyVisitors((headers) => reset(token, NEW_PASSWORD, headers))
    expect([counts[200], (counts[401] ?? 0) + (counts[503] ?? 0)]).toEqual([1, CROWD - 1]) // 503: too many hashes at once
    const late = await reset(token)
    expect([late.statusCode, late.json().message]).toEqual([
      401,
      'This link has expired or was already used. Please request a new one.',
    ])
  })

  it('15.8 the link works for an hour and for its own purpose only; another request does not invalidate it', async () => {
    const { username, email, password, cookie } = await confirmed(site, await memberInOffice(site))
    await requestReset(username)
    const first = await tokenSentTo(email)
    site.advance(1)
    await requestReset(username)
    const second = await tokenSentTo(email)
    expect(second).not.toBe(first)
    expect((await reset(first, 'weak')).statusCode, 'the earlier link is still valid').toBe(422)
    expect((await site.post('office/confirm-email', { token: second })).statusCode).toBe(401)
    site.advance(3600 - 1)
    expect((await reset(first)).statusCode).toBe(401)
    expect((await reset(second, 'weak')).statusCode, 'a rejected password does not use up the link').toBe(422)
    expect((await reset(second, 'Password1!')).statusCode).toBe(422)
    site.advance(1)
    expect((await reset(second)).statusCode).toBe(401)
    for (const invalid of ['', 'x', 'A'.repeat(43), 'A'.repeat(2001)])
      expect([401, 422], invalid).toContain((await reset(invalid)).statusCode)
    expect([await isSignedIn(cookie), await canSignIn(username, password)]).toEqual([true, true])
  })

  it('15.8 a delayed email with an expired link is not sent, and newer links stay valid', async () => {
    const { username, email } = await confirmed(site, await joinedMember(site))
    while (await runJobs(site.world));
    await requestReset(username)
    site.advance(2400)
    await requestReset(username)
    site.advance(1260)
    await deleteExpired(site.world)
    const tokens = (await emailsTo(site, email, 'Reset your password')).map(linkTokenIn)
    expect(tokens).toHaveLength(1)
    expect((await reset(tokens[0] ?? '')).statusCode).toBe(200)
  })

  it('15.8 an email that is sent again has the same token, and is not sent once the link was used', async () => {
    const { username, email } = await confirmed(site, await joinedMember(site))
    while (await runJobs(site.world));
    await requestReset(username)
    const runJobAgain = () =>
      site.db
        .updateTable('job')
        .set({ done_at: null, leased_until: null, payload })
        .where('kind', '=', 'forgotten')
        .where('id', '=', id)
        .execute()
    const { id, payload: original } = await site.db
      .selectFrom('job')
      .select(['id', 'payload'])
      .where('kind', '=', 'forgotten')
      .where('done_at', 'is', null)
      .executeTakeFirstOrThrow()
    const payload = JSON.stringify(original)
    const token = await tokenSentTo(email)
    const send = vi.spyOn(site.world.mail, 'send')
    const sentAgain = async () => {
      await runJobAgain()
      await emailsTo(site, email)
      return send.mock.calls.flatMap(([{ text, key }]) => (key === id ? [linkTokenIn({ body: text })] : []))
    }
    expect(await sentAgain(), 'as after a crash between sending and marking the job as done').toEqual([token])
    expect((await reset(token)).statusCode).toBe(200)
    send.mockClear()
    expect(await sentAgain()).toEqual([])
    expect((await reset(token)).statusCode).toBe(401)
    send.mockRestore()
  })

  it('15.8 a changed address or password invalidates earlier links', async () => {
    const { username, email, password, cookie } = await confirmed(site, await memberInOffice(site))
    await requestReset(username)
    const token = await tokenSentTo(email)
    const moved = `moved.${email}`
    await site.post('office/email', { email: moved, current_password: password }, { cookie })
    await site.post('office/confirm-email', { token: await tokenSentTo(moved, 'Confirm your email address') })
    expect((await reset(token)).statusCode).toBe(401)
    site.advance(1)
    await requestReset(username)
    const other = await tokenSentTo(moved)
    expect(other).not.toBe('')
    await site.post('office/password', { password: NEW_PASSWORD, current_password: password }, { cookie })
    expect((await reset(other)).statusCode).toBe(401)
  })

  it('15.8 the email goes to the new address if the address has just changed', async () => {
    const { username, email } = await confirmed(site, await joinedMember(site))
    const moved = `moved.${email}`
    const changeEmail = () =>
      site.db.updateTable('member').set({ email: moved }).where('username', '=', username).execute()
    const db = beforeTransactions(site.db, changeEmail)
    const message = await passwordResetEmailFor(
      { ...site.world, db },
      { name: email, asked_at: site.world.now().toISOString() },
    )
    expect(message?.to).toBe(moved)
  })

  it('15.10 a member who has just reset it can sign in, no matter how often strangers guess', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, email, password } = await confirmed(strict, await joinedMember(strict))
    const signInFrom = (last: number, password: string, headers = {}) =>
      strict.post(
        'office/sign-in',
        { name: username, password },
        { 'x-forwarded-for': `203.0.113.${last}`, ...headers },
      )
    const guess = async () => {
      for (const n of [1, 2, 3]) await signInFrom(n, 'Wrong-1!')
      return (await signInFrom(4, password)).statusCode
    }
    expect(await guess()).toBe(429)
    await requestReset(username, strict)
    const token = linkTokenIn((await emailsTo(strict, email, 'Reset your password'))[0])
    const reply = await strict.post('office/new-password', { token, password: NEW_PASSWORD })
    expect(reply.statusCode).toBe(200)
    expect(cookieOf(reply), 'the cookie only marks a trusted browser').toMatch(/^foyer_known=[^;]+$/)
    expect((await signInFrom(9, NEW_PASSWORD, { cookie: cookieOf(reply) })).statusCode).toBe(200)
    expect((await signInFrom(9, NEW_PASSWORD)).statusCode, 'a stranger’s browser').toBe(429)
    const late = await strict.post('office/new-password', { token, password: NEW_PASSWORD })
    expect([late.statusCode, cookieOf(late)], 'a used link does not make a browser trusted').toEqual([401, ''])
    await strict.close()
  })

  it('15.12 a failed reset email is retried only while its link is valid', async () => {
    const site = await testSite()
    const { username, email } = await confirmed(site, await joinedMember(site))
    await emailsTo(site, email)
    const { send } = site.world.mail
    const attempts: string[] = []
    site.world.mail.send = async ({ subject }) => {
      attempts.push(subject)
      throw new Error('the mail server is down')
    }
    await requestReset(username, site)
    for (let minute = 0; minute < 59; minute += 2) {
      await runJobs(site.world)
      site.advance(120)
    }
    expect(attempts).toEqual(Array(30).fill('Reset your password'))
    site.world.mail.send = send
    expect(await emailsTo(site, email, 'Reset your password')).toEqual([])
    expect(await site.db.selectFrom('job').select('id').where('done_at', 'is', null).execute()).toEqual([])
    await site.close()
  })

  it('15.8 reset requests are limited, in the same way for every name', async () => {
    const strict = await testSite({ LIMIT_LETTERS: '8/3600', LIMIT_LETTERS_BY_NAME: '3/3600' })
    const { username } = await confirmed(strict, await joinedMember(strict))
    const statuses = async (name: string) => {
      const codes = []
      for (let round = 0; round < 4; round++) codes.push((await requestReset(name, strict)).statusCode)
      return codes
    }
    expect(await statuses(username)).toEqual([200, 200, 200, 429])
    expect(await statuses('nobodyhere')).toEqual([200, 200, 200, 429])
    expect(await statuses('another')).toEqual([200, 200, 429, 429])
    await strict.close()
  })
})
