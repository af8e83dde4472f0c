import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmed, cookieOf, emailsTo, joinedMember, linkTokenIn, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { deleteExpired } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'

const DAY = 86_400
const NEW_PASSWORD = 'Lemon-Tree-9'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600', LIMIT_SIGN_INS: '1000/900', LIMIT_LETTERS: '1000/3600' })
})
afterAll(() => site.close())

type SignedIn = { cookie: string; username: string; password: string; email: string }
const viewOf = async ({ cookie }: Pick<SignedIn, 'cookie'>) => (await site.get('/api/office/view', { cookie })).json()
const confirm = (token: string) => site.post('office/confirm-email', { token })
const welcomeToken = async (email: string) => linkTokenIn((await emailsTo(site, email, 'Welcome to Foyer'))[0])
const changeEmail = ({ cookie, password }: SignedIn, email: string) =>
  site.post('office/email', { email, current_password: password }, { cookie })
const sendLink = ({ cookie, username }: SignedIn, at = site) => at.post('office/email/link', { username }, { cookie })
const rowOf = (username: string) =>
  site.db.selectFrom('member').selectAll().where('username', '=', username).executeTakeFirstOrThrow()
const requestReset = async (email: string, at = site) => {
  await at.post('office/forgotten-password', { name: email })
  return (await emailsTo(at, email)).find(({ subject }) => /reset your password/i.test(subject))
}
const reset = (token: string, more: object = {}, at = site) =>
  at.post('office/new-password', { token, password: NEW_PASSWORD, ...more })

describe('21.14 the address that a member joined with', () => {
  it('21.14 is confirmed by the link in the welcome email, also signed out, and a second press says the same', async () => {
    const member = await memberInOffice(site)
    expect(await viewOf(member)).toMatchObject({ is_email_confirmed: false, email_notice: 'unconfirmed' })
    const token = await welcomeToken(member.email)
    await site.get(`/office/confirm-email?token=${token}`) // a mail scanner opens every link
    expect((await viewOf(member)).is_email_confirmed).toBe(false)
    for (const round of [1, 2]) {
      const reply = await confirm(token)
      expect([reply.statusCode, reply.json()], String(round)).toEqual([200, { email: member.email }])
    }
    const view = await viewOf(member)
    expect([view.is_email_confirmed, view.email_notice]).toEqual([true, undefined])
    expect((await sendLink(member)).statusCode).toBe(409)
  })

  it('21.14 the link works for a week, for its own purpose, also after a new password, and only its hash is stored', async () => {
    const member = await memberInOffice(site)
    const token = await welcomeToken(member.email)
    expect((await reset(token, { card_last_four: '4242' })).statusCode).toBe(401)
    const { cookie, password } = member
    await site.post('office/password', { password: NEW_PASSWORD, current_password: password }, { cookie })
    const rows = await site.db.selectFrom('email_link').selectAll().execute()
    expect(JSON.stringify(rows) + site.log()).not.toContain(token)
    site.advance(7 * DAY)
    await deleteExpired(site.world)
    expect((await confirm(token)).statusCode).toBe(200)
    const late = await joinedMember(site)
    const lateToken = await welcomeToken(late.email)
    site.advance(8 * DAY)
    expect((await confirm(lateToken)).statusCode).toBe(401)
  })

  it('21.14 can be sent its link again, within a limit', async () => {
    const strict = await testSite()
    const member = await memberInOffice(strict)
    const first = linkTokenIn((await emailsTo(strict, member.email, 'Welcome to Foyer'))[0])
    const statuses = []
    for (let round = 0; round < 4; round++) statuses.push((await sendLink(member, strict)).statusCode)
    expect(statuses).toEqual([200, 200, 200, 429])
    strict.advance(2 * DAY)
    expect((await sendLink(member, strict)).statusCode).toBe(401) // the session has ended
    const cookie = cookieOf(await strict.post('office/sign-in', { name: member.username, password: member.password }))
    expect((await sendLink({ ...member, cookie }, strict)).statusCode).toBe(200)
    const [again] = await emailsTo(strict, member.email, 'Confirm your email address')
    expect(linkTokenIn(again)).not.toBe(first)
    for (const token of [first, linkTokenIn(again)])
      expect((await strict.post('office/confirm-email', { token })).statusCode).toBe(200)
    await strict.close()
  })

  it('21.14 asks on top of the office for a month, and then only in the details', async () => {
    const member = await joinedMember(site)
    site.advance(31 * DAY)
    const cookie = cookieOf(await site.post('office/sign-in', { name: member.username, password: member.password }))
    const view = await viewOf({ cookie })
    expect([view.is_email_confirmed, view.email_notice]).toEqual([false, undefined])
  })

  it('21.14 gets no link where the operator has an office of their own', async () => {
    const own = await testSite({ OFFICE_URL: 'https://office.example' })
    const { email } = await joinedMember(own)
    expect((await emailsTo(own, email)).map(({ body }) => body).join()).not.toContain('confirm-email')
    await own.close()
  })

  it('21.15 that nobody has confirmed is replaced at once, and can do nothing from then on', async () => {
    const member = await memberInOffice(site)
    const oldLink = await welcomeToken(member.email)
    const oldReset = linkTokenIn(await requestReset(member.email))
    const email = `right.${member.email}`
    site.advance(1)
    const reply = await changeEmail(member, email)
    expect([reply.statusCode, reply.json().email, reply.json().email_notice]).toEqual([200, email, 'unconfirmed'])
    expect((await confirm(oldLink)).statusCode).toBe(401)
    expect((await reset(oldReset, { card_last_four: '4242' })).statusCode).toBe(401)
    await site.post('office/forgotten-password', { name: member.email })
    const [notice, ...others] = await emailsTo(site, member.email)
    expect(notice?.subject).toBe('Your email address was changed')
    expect(notice?.body).not.toContain(email)
    expect(others.filter(({ subject }) => subject === 'Reset your password')).toHaveLength(1) // the one from before
    const [confirmation] = await emailsTo(site, email, 'Confirm your email address')
    expect((await confirm(linkTokenIn(confirmation))).json()).toEqual({ email })
    expect((await viewOf(member)).is_email_confirmed).toBe(true)
  })

  it('21.15 needs the password to be replaced, and cannot become another member’s', async () => {
    const member = await memberInOffice(site)
    const other = await joinedMember(site)
    expect((await changeEmail({ ...member, password: 'Wrong-1-x' }, 'x@mail.example')).statusCode).toBe(422)
    expect((await changeEmail(member, other.email)).json().fields).toHaveProperty('email')
    expect((await rowOf(member.username)).email).toBe(member.email)
  })
})

describe('21.16 a password reset by mail', () => {
  it('21.16 to an unconfirmed address also needs the last four digits of the card, and then confirms it', async () => {
    const { username, email } = await joinedMember(site)
    const message = await requestReset(email)
    expect(message?.body).toContain('/office/new-password-with-card#')
    expect(message?.body).not.toContain('4242')
    const token = linkTokenIn(message)
    expect((await reset(token)).json().fields).toEqual({
      card_last_four: ['Please enter the last four digits of your card.'],
    })
    for (const wrong of ['0000', '4243'])
      expect((await reset(token, { card_last_four: wrong })).json().fields).toEqual({
        card_last_four: ['These are not the last four digits of your card on file.'],
      })
    expect((await reset(token, { card_last_four: 'x' })).statusCode).toBe(422)
    const logged = site.db.selectFrom('security_event').select('count').where('kind', '=', 'card_digits_failed')
    expect((await logged.execute()).length).toBeGreaterThan(0)
    expect((await site.post('office/sign-in', { name: username, password: NEW_PASSWORD })).statusCode).toBe(401)
    const { card_last_four } = await site.db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'member_id')
      .select('card_last_four')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect((await reset(token, { card_last_four })).statusCode).toBe(200)
    expect((await site.post('office/sign-in', { name: username, password: NEW_PASSWORD })).statusCode).toBe(200)
    expect((await rowOf(username)).email_confirmed_at).toEqual(site.world.now())
    site.advance(1)
    const next = await requestReset(email)
    expect(next?.body, 'a confirmed address needs no card').toContain('/office/new-password#')
    expect((await reset(linkTokenIn(next), { password: 'Other-Tree-9' })).statusCode).toBe(200)
  })

  it('21.16 ends after five wrong answers, even at the same time, and the right one then opens nothing', async () => {
    const { email } = await joinedMember(site)
    const token = linkTokenIn(await requestReset(email))
    const guesses = Array.from({ length: 12 }, (_, n) => String(1000 + n))
    const replies = await Promise.all(guesses.map((card_last_four) => reset(token, { card_last_four })))
    expect(replies.filter(({ statusCode }) => statusCode === 422)).toHaveLength(5)
    expect(replies.filter(({ statusCode }) => statusCode === 401)).toHaveLength(7)
    expect((await reset(token, { card_last_four: '1111' })).statusCode).toBe(401)
  })

  it('21.16 counts wrong answers over all links of a member', async () => {
    const strict = await testSite({ LIMIT_CARD_DIGITS: '6/604800', LIMIT_LETTERS_BY_NAME: '100/3600' })
    const { email } = await joinedMember(strict)
    const statuses: number[] = []
    for (const _link of [1, 2]) {
      strict.advance(1)
      const token = linkTokenIn(await requestReset(email, strict))
      for (let n = 0; n < 4; n++) statuses.push((await reset(token, { card_last_four: `000${n}` }, strict)).statusCode)
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429, 429])
    await strict.close()
  })

  it('21.16 is a matter for the operator’s team if there is no card on file', async () => {
    const { username, email } = await joinedMember(site)
    const { id } = await rowOf(username)
    await site.db.updateTable('membership').set({ card_last_four: null }).where('member_id', '=', id).execute()
    const message = await requestReset(email)
    expect(message?.subject).toBe('We can’t reset your password by email')
    expect(linkTokenIn(message)).toBe('')
    await confirmed(site, { username })
    site.advance(1)
    expect((await requestReset(email))?.subject).toBe('Reset your password')
  })
})

describe('21.17 a changed detail', () => {
  it('21.17 is told by email: who changed it, when, and what to do; never the whole number', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const { cookie, password, email } = member
    await site.post('office/phone', { mobile_phone: '+12025550177', current_password: password }, { cookie })
    await site.post('office/password', { password: NEW_PASSWORD, current_password: password }, { cookie })
    const at = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(site.world.now())
    for (const subject of ['Your phone number was changed', 'Your password was changed']) {
      const [message] = await emailsTo(site, email, subject)
      expect(message?.body.replace(/\s+/g, ' ')).toContain(`in your office on ${at}`)
      expect(message?.body).toContain('If it wasn’t')
      expect(message?.body).not.toContain('2025550177')
    }
    site.advance(1)
    await reset(linkTokenIn(await requestReset(email)), { password: 'Other-Tree-9' })
    const [byLink] = await emailsTo(site, email, 'Your password was changed')
    expect(byLink?.body.replace(/\s+/g, ' ')).toContain('with the link that we emailed you on')
  })
})

it('21.14 leaves nothing of an earlier job behind', async () => {
  while (await runJobs(site.world));
  const failed = await site.db.selectFrom('job').select('last_error').where('last_error', 'is not', null).execute()
  expect(failed).toEqual([])
})
