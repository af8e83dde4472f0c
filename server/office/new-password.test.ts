import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteExpired } from '#server/enrollment/janitor.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import { beforeTransactions, watched } from '#server/test/database.ts'
import {
  byManyVisitors,
  CROWD,
  cookieOf,
  emailsTo,
  joinedMember,
  linkTokenIn,
  memberInOffice,
} from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { passwordResetEmailFor } from './new-password.ts'

const NEW = 'Lemon-Tree-9'

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
const signsIn = async (name: string, password: string) => (await signIn(name, password)).statusCode === 200
const isIn = async (cookie: string) => (await site.get('/api/office/view', { cookie })).statusCode === 200
const forget = (name: string, at = site) => at.post('office/forgotten-password', { name })
const reset = (token: string, password = NEW, headers = {}) =>
  site.post('office/new-password', { token, password }, headers)
const wordTo = async (email: string, subject = 'Set a new password') =>
  linkTokenIn((await emailsTo(site, email, subject))[0])

describe('a changed password', () => {
  it('15.7 ends every other session, and this browser gets a new word', async () => {
    const { username, email, password, cookie } = await memberInOffice(site)
    const elsewhere = cookieOf(await signIn(username, password))
    const changed = await site.post('office/password', { password: NEW, current_password: password }, { cookie })
    expect([changed.statusCode, changed.json()]).toEqual([200, {}])
    const fresh = cookieOf(changed)
    expect([await isIn(fresh), await isIn(cookie), await isIn(elsewhere)]).toEqual([true, false, false])
    expect([await signsIn(username, NEW), await signsIn(username, password)]).toEqual([true, false])
    expect(await emailsTo(site, email, 'Your password was changed')).toHaveLength(1)
  })

  it.each([
    ['lemon', 'Open-Sesame-7', 'password'],
    ['Password1!', 'Open-Sesame-7', 'password'],
    ['Example-77!', 'Open-Sesame-7', 'password'], // made from their own name
    [NEW, 'Wrong-Password-1', 'current_password'],
  ])('15.6 must be a good one, and needs the current one: %s, %s', async (password, current_password, field) => {
    const member = await memberInOffice(site)
    const { cookie } = member
    const reply = await site.post('office/password', { password, current_password }, { cookie })
    expect([reply.statusCode, Object.keys(reply.json().fields)]).toEqual([422, [field]])
    expect(await isIn(cookie)).toBe(true)
  })

  it('15.7 is changed by one of two at once, and the other hears so', async () => {
    const { username, password, cookie } = await memberInOffice(site)
    const wishes = [NEW, 'Other-Tree-9']
    const replies = await Promise.all(
      wishes.map((wish) => site.post('office/password', { password: wish, current_password: password }, { cookie })),
    )
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    const won = wishes[replies.findIndex(({ statusCode }) => statusCode === 200)] ?? ''
    expect(await signsIn(username, won)).toBe(true)
  })

  it('15.7 lets nobody in who tried the old one just before', async () => {
    const { username, password } = await joinedMember(site)
    const { openSessionByPassword: openSessionWith } = await import('./session.ts')
    const member = await site.db
      .selectFrom('member')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect(await openSessionWith(site.world, member)).toBeDefined()
    const entered = cookieOf(await signIn(username, password))
    await site.post('office/password', { password: NEW, current_password: password }, { cookie: entered })
    expect(await openSessionWith(site.world, member)).toBeUndefined()
  })
})

describe('a forgotten password', () => {
  it('15.8 is set anew by a link from a letter, asked for by username or email', async () => {
    const { username, email, password, cookie } = await memberInOffice(site)
    for (const [name, next] of [
      [username, NEW],
      [email.toUpperCase(), 'Other-Tree-9'],
    ] as const) {
      expect((await forget(name)).json()).toEqual({})
      expect((await reset(await wordTo(email), next)).json()).toEqual({})
      expect(await signsIn(username, next)).toBe(true)
      site.pass(1)
    }
    expect(await signsIn(username, password)).toBe(false)
    expect(await isIn(cookie), 'sessions of before are over').toBe(false)
    expect(await emailsTo(site, email, 'Your password was changed')).toHaveLength(2)
    expect(site.log()).not.toContain('new-password#')
  })

  it('15.8 asking answers the same and does the same for every name, and nobody unknown gets a letter', async () => {
    const { username, email } = await joinedMember(site)
    while (await runJobs(site.world));
    const asked = async (name: string) => {
      const { db, asked: statements } = watched(site.db)
      const { officeHandlers } = await import('./handlers.ts')
      await officeHandlers.forgetPassword({ ...site.world, db }, { name }, { address: '203.0.113.9' } as never)
      return statements
    }
    const known = await asked(username)
    expect(known).toHaveLength(2)
    for (const name of [email, 'nobodyhere', 'nobody@mail.example']) expect(await asked(name)).toEqual(known)
    const before = await site.db.selectFrom('message').select('id').execute()
    while (await runJobs(site.world));
    const after = await site.db.selectFrom('message').select('recipient').execute()
    expect(after.length - before.length).toBe(2)
    expect(after.map(({ recipient }) => recipient)).not.toContain('nobody@mail.example')
  })

  it('15.8 works once, even for a thousand at once', async () => {
    const { username, email } = await joinedMember(site)
    await forget(username)
    const word = await wordTo(email)
    const counts = await byManyVisitors((headers) => reset(word, NEW, headers))
    expect([counts[200], (counts[401] ?? 0) + (counts[503] ?? 0)]).toEqual([1, CROWD - 1]) // many find no room to hash
    const late = await reset(word)
    expect([late.statusCode, late.json().message]).toEqual([
      401,
      'This link was used before or is too old. Please ask for a new one.',
    ])
  })

  it('15.8 works within an hour and for its own purpose; a stranger who asks for another spoils nothing', async () => {
    const { username, email, password, cookie } = await memberInOffice(site)
    await forget(username)
    const first = await wordTo(email)
    site.pass(1)
    await forget(username)
    const second = await wordTo(email)
    expect(second).not.toBe(first)
    expect((await reset(first, 'weak')).statusCode, 'the earlier letter is still good').toBe(422)
    expect((await site.post('office/confirm-email', { token: second })).statusCode).toBe(401)
    site.pass(3600 - 1)
    expect((await reset(first)).statusCode).toBe(401)
    expect((await reset(second, 'weak')).statusCode, 'a word is not lost to a bad password').toBe(422)
    expect((await reset(second, 'Password1!')).statusCode).toBe(422)
    site.pass(1)
    expect((await reset(second)).statusCode).toBe(401)
    for (const made of ['', 'x', 'A'.repeat(43), 'A'.repeat(2001)])
      expect([401, 422], made).toContain((await reset(made)).statusCode)
    expect([await isIn(cookie), await signsIn(username, password)]).toEqual([true, true])
  })

  it('15.8 letters that waited for a mail server say nothing old, and spoil nothing new', async () => {
    const { username, email } = await joinedMember(site)
    while (await runJobs(site.world));
    await forget(username)
    site.pass(2400)
    await forget(username)
    site.pass(1260)
    await deleteExpired(site.world)
    const words = (await emailsTo(site, email, 'Set a new password')).map(linkTokenIn)
    expect(words).toHaveLength(1)
    expect((await reset(words[0] ?? '')).statusCode).toBe(200)
  })

  it('15.8 a letter that is sent again carries the same word, and none that was used', async () => {
    const { username, email } = await joinedMember(site)
    while (await runJobs(site.world));
    await forget(username)
    const again = () =>
      site.db
        .updateTable('job')
        .set({ done_at: null, leased_until: null, payload })
        .where('kind', '=', 'forgotten')
        .where('id', '=', id)
        .execute()
    const { id, payload: kept } = await site.db
      .selectFrom('job')
      .select(['id', 'payload'])
      .where('kind', '=', 'forgotten')
      .where('done_at', 'is', null)
      .executeTakeFirstOrThrow()
    const payload = JSON.stringify(kept)
    const word = await wordTo(email)
    await again() // as after a crash between the letter and its row
    const letters = await emailsTo(site, email)
    expect(letters.filter((letter) => linkTokenIn(letter) === word)).toHaveLength(2)
    expect((await reset(word)).statusCode).toBe(200)
    await again()
    expect((await emailsTo(site, email)).filter((letter) => linkTokenIn(letter) === word)).toHaveLength(2)
    expect((await reset(word)).statusCode).toBe(401)
  })

  it('15.8 a changed address or password ends the letters of before', async () => {
    const { username, email, password, cookie } = await memberInOffice(site)
    await forget(username)
    const word = await wordTo(email)
    const moved = `moved.${email}`
    await site.post('office/email', { email: moved, current_password: password }, { cookie })
    await site.post('office/confirm-email', { token: await wordTo(moved, 'Confirm your email address') })
    expect((await reset(word)).statusCode).toBe(401)
    site.pass(1)
    await forget(username)
    const other = await wordTo(moved)
    expect(other).not.toBe('')
    await site.post('office/password', { password: NEW, current_password: password }, { cookie })
    expect((await reset(other)).statusCode).toBe(401)
  })

  it('15.8 is never sent to an address that was changed a moment ago', async () => {
    const { username, email } = await joinedMember(site)
    const moved = `moved.${email}`
    const changeEmail = () =>
      site.db.updateTable('member').set({ email: moved }).where('username', '=', username).execute()
    const db = beforeTransactions(site.db, changeEmail)
    const letter = await passwordResetEmailFor(
      { ...site.world, db },
      { name: email, asked_at: site.world.now().toISOString() },
    )
    expect(letter?.to).toBe(moved)
  })

  it('15.10 whoever has set one by letter signs in with it, however many strangers guess', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '3/3600', TRUST_PROXY: '127.0.0.1' })
    const { username, email, password } = await joinedMember(strict)
    const from = (last: number, tried: string, headers = {}) =>
      strict.post(
        'office/sign-in',
        { name: username, password: tried },
        { 'x-forwarded-for': `203.0.113.${last}`, ...headers },
      )
    const guess = async () => {
      for (const n of [1, 2, 3]) await from(n, 'Wrong-1!')
      return (await from(4, password)).statusCode
    }
    expect(await guess()).toBe(429)
    await forget(username, strict)
    const token = linkTokenIn((await emailsTo(strict, email, 'Set a new password'))[0])
    const set = await strict.post('office/new-password', { token, password: NEW })
    expect(set.statusCode).toBe(200)
    expect(cookieOf(set), 'it opens nothing').toMatch(/^foyer_known=[^;]+$/)
    expect((await from(9, NEW, { cookie: cookieOf(set) })).statusCode).toBe(200)
    expect((await from(9, NEW)).statusCode, 'a stranger’s browser').toBe(429)
    const late = await strict.post('office/new-password', { token, password: NEW })
    expect([late.statusCode, cookieOf(late)], 'a word that is used up proves nothing').toEqual([401, ''])
    await strict.close()
  })

  it('15.12 a letter that cannot be sent is tried again for as long as its word is good, and no longer', async () => {
    const own = await testSite()
    const { username, email } = await joinedMember(own)
    await emailsTo(own, email)
    const { send } = own.world.mail
    const tried: string[] = []
    own.world.mail.send = async ({ subject }) => {
      tried.push(subject)
      throw new Error('nobody takes it')
    }
    await forget(username, own)
    for (let minute = 0; minute < 59; minute += 2) {
      await runJobs(own.world)
      own.pass(120)
    }
    expect(tried).toEqual(Array(30).fill('Set a new password'))
    own.world.mail.send = send
    expect(await emailsTo(own, email, 'Set a new password')).toEqual([])
    expect(await own.db.selectFrom('job').select('id').where('done_at', 'is', null).execute()).toEqual([])
    await own.close()
  })

  it('15.8 cannot be asked for all day, and that says nothing of the name', async () => {
    const strict = await testSite({ LIMIT_LETTERS: '8/3600', LIMIT_LETTERS_BY_NAME: '3/3600' })
    const { username } = await joinedMember(strict)
    const statuses = async (name: string) => {
      const all = []
      for (let round = 0; round < 4; round++) all.push((await forget(name, strict)).statusCode)
      return all
    }
    expect(await statuses(username)).toEqual([200, 200, 200, 429])
    expect(await statuses('nobodyhere')).toEqual([200, 200, 200, 429])
    expect(await statuses('another')).toEqual([200, 200, 429, 429])
    await strict.close()
  })
})
