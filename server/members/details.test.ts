import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  byManyVisitors,
  CROWD,
  confirmed,
  emailsTo,
  joinedMember,
  linkTokenIn,
  memberInOffice,
} from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({
    LIMIT_GRANTS: '100000/3600',
    LIMIT_SIGN_INS: '1000/900',
    LIMIT_LETTERS: '1000/3600',
    TRUST_PROXY: 'loopback',
  })
})
afterAll(() => site.close())

type SignedInMember = Awaited<ReturnType<typeof memberInOffice>>
const change = (what: 'phone' | 'email', member: SignedInMember, to: object, current_password = member.password) =>
  site.post(`office/${what}`, { ...to, current_password }, { cookie: member.cookie })
const view = async ({ cookie }: SignedInMember) => (await site.get('/api/office/view', { cookie })).json()
const confirm = (token: string, headers = {}) => site.post('office/confirm-email', { token }, headers)
const canSignIn = async (name: string, password: string) =>
  (await site.post('office/sign-in', { name, password })).statusCode === 200

describe('a phone number', () => {
  it('15.6 is changed with the current password', async () => {
    const member = await memberInOffice(site)
    const reply = await change('phone', member, { mobile_phone: '+1 (202) 555-0177' })
    expect([reply.statusCode, reply.json().mobile_phone]).toEqual([200, '+12025550177'])
    expect((await view(member)).mobile_phone).toBe('+12025550177')
    expect((await change('phone', member, { mobile_phone: '+4407400123456' })).json().mobile_phone).toBe(
      '+447400123456',
    )
  })

  it.each([
    ['+12025550177', 'Wrong-Password-1', { current_password: ['This is not your current password.'] }],
    ['+12025550177', '', { current_password: ['Please enter your current password.'] }],
    ['+120255', 'Open-Sesame-7', { mobile_phone: ['Invalid mobile phone number format.'] }],
    ['call me', 'Open-Sesame-7', { mobile_phone: ['Invalid mobile phone number format.'] }],
  ])('15.6 does not change: %s with %o', async (mobile_phone, current_password, fields) => {
    const member = await memberInOffice(site)
    const reply = await change('phone', member, { mobile_phone }, current_password)
    expect([reply.statusCode, reply.json().fields]).toEqual([422, fields])
    expect((await view(member)).mobile_phone).toBe(member.mobile_phone)
  })

  it('15.10 cannot be changed after too many wrong passwords; failed sign-ins by strangers do not count', async () => {
    const strict = await testSite({ LIMIT_SIGN_INS_BY_NAME: '2/3600' })
    const { username, password, cookie } = await memberInOffice(strict)
    const tryTo = async (current_password: string) =>
      (await strict.post('office/phone', { mobile_phone: '+12025550177', current_password }, { cookie })).statusCode
    for (const guess of ['Guess-1-x', 'Guess-2-x', 'Guess-3-x'])
      await strict.post('office/sign-in', { name: username, password: guess })
    expect(await tryTo(password)).toBe(200)
    expect([await tryTo('Guess-4-x'), await tryTo('Guess-5-x'), await tryTo(password)]).toEqual([422, 422, 429])
    await strict.close()
  })
})

describe('an email address', () => {
  it('15.6 takes effect when the link in the email is used, and the old address is informed', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const email = `New.${member.email}`
    const reply = await change('email', member, { email })
    expect([reply.statusCode, reply.json().email, reply.json().unconfirmed_email]).toEqual([200, member.email, email])
    expect(await canSignIn(email, member.password)).toBe(false)

    const [confirmation] = await emailsTo(site, email)
    expect(confirmation?.subject).toBe('Confirm your email address')
    const answer = await confirm(linkTokenIn(confirmation)) // without a cookie: the email may be opened in another browser
    expect([answer.statusCode, answer.json()]).toEqual([200, { email }])
    expect(await view(member)).toMatchObject({ email })
    expect(await view(member)).not.toHaveProperty('unconfirmed_email')
    expect([await canSignIn(email, member.password), await canSignIn(member.email, member.password)]).toEqual([
      true,
      false,
    ])

    const [notice] = await emailsTo(site, member.email, 'Your email address was changed')
    expect(notice?.body).toContain('N•••@•••.example')
    expect(notice?.body).not.toContain(email)
    const availability = await site.post('enrollment/validate_email', { email: member.email })
    expect(availability.json()).toEqual({ email: 'Available' })
    expect((await site.post('enrollment/validate_email', { email })).json().email).not.toBe('Available')
  })

  it('15.6 is confirmed once, even if many requests send the token at the same time', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const email = `thousand.${member.email}`
    await change('email', member, { email })
    const token = linkTokenIn((await emailsTo(site, email))[0])
    const counts = await byManyVisitors((headers) => confirm(token, headers))
    expect([counts[200], (counts[401] ?? 0) + (counts[503] ?? 0)]).toEqual([1, CROWD - 1])
    expect((await confirm(token)).json()).toEqual({ message: 'This link has expired or was already used.' })
    expect(await emailsTo(site, member.email, 'Your email address was changed')).toHaveLength(1)
  })

  it('15.6 cannot be another member’s, or the current one', async () => {
    const other = await joinedMember(site)
    const member = await confirmed(site, await memberInOffice(site))
    const errors = async (email: string) => (await change('email', member, { email })).json().fields
    expect(await errors(other.email.toUpperCase())).toEqual({ email: ['This email address is already registered.'] })
    expect(await errors(member.email.toUpperCase())).toEqual({ email: ['This is already your email address.'] })
    expect(await errors('nonsense')).toEqual({ email: ['Invalid email format.'] })
  })

  it('15.6 is not confirmed if another member has taken it in the meantime', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const email = `late.${member.email}`
    await change('email', member, { email })
    const token = linkTokenIn((await emailsTo(site, email))[0])
    await joinedMember(site, { email })
    expect((await confirm(token)).json()).toEqual({ message: 'This email address is already registered.' })
    expect((await view(member)).email).toBe(member.email)
  })

  it('15.6 is confirmed only by the newest email, and within a day', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const [one, two] = [`one.${member.email}`, `two.${member.email}`]
    await change('email', member, { email: one })
    const first = linkTokenIn((await emailsTo(site, one))[0])
    site.advance(1)
    await change('email', member, { email: two })
    const second = linkTokenIn((await emailsTo(site, two))[0])
    expect((await confirm(first)).statusCode).toBe(401)
    site.advance(24 * 3600 - 1)
    expect(await site.db.selectFrom('email_link').selectAll().where('email', '=', two).execute()).toHaveLength(1)
    site.advance(1)
    expect((await confirm(second)).statusCode).toBe(401)
  })

  it('15.6 gets the same token when its email is sent again, and only its hash is stored', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const email = `again.${member.email}`
    while (await runJobs(site.world));
    const { send } = site.world.mail
    const sent: string[] = []
    site.world.mail.send = async (message) => {
      sent.push(message.text)
      if (sent.length === 1) throw new Error('the mail server did not answer')
      await send(message)
    }
    await change('email', member, { email })
    await runJobs(site.world)
    site.advance(10)
    const [confirmation] = await emailsTo(site, email)
    site.world.mail.send = send
    expect(sent).toHaveLength(2)
    expect(sent[1]).toBe(sent[0])
    const links = await site.db.selectFrom('email_link').selectAll().execute()
    const jobs = await site.db.selectFrom('job').selectAll().execute()
    expect(JSON.stringify([links, jobs])).not.toContain(linkTokenIn(confirmation))
    expect(site.log()).not.toContain(linkTokenIn(confirmation))
  })

  it('15.6 cannot be used to flood a stranger with emails', async () => {
    const member = await confirmed(site, await memberInOffice(site))
    const statuses = []
    for (let round = 0; round < 4; round++)
      statuses.push((await change('email', member, { email: `stranger@${member.username}.example` })).statusCode)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})
