import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runJobs } from '#server/jobs/jobs.ts'
import { byManyVisitors, CROWD, emailsTo, joinedMember, linkTokenIn, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'

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

type InOffice = Awaited<ReturnType<typeof memberInOffice>>
const change = (what: 'phone' | 'email', member: InOffice, to: object, current_password = member.password) =>
  site.post(`office/${what}`, { ...to, current_password }, { cookie: member.cookie })
const view = async ({ cookie }: InOffice) => (await site.get('/api/office/view', { cookie })).json()
const confirm = (token: string, headers = {}) => site.post('office/confirm-email', { token }, headers)
const signsIn = async (name: string, password: string) =>
  (await site.post('office/sign-in', { name, password })).statusCode === 200

describe('a phone', () => {
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
    ['+1202555', 'Open-Sesame-7', { mobile_phone: ['Invalid mobile phone number format.'] }],
    ['call me', 'Open-Sesame-7', { mobile_phone: ['Invalid mobile phone number format.'] }],
  ])('15.6 stays as it is: %s with %o', async (mobile_phone, current_password, fields) => {
    const member = await memberInOffice(site)
    const reply = await change('phone', member, { mobile_phone }, current_password)
    expect([reply.statusCode, reply.json().fields]).toEqual([422, fields])
    expect((await view(member)).mobile_phone).toBe(member.mobile_phone)
  })

  it('15.10 is not changed after too many wrong passwords, nor by a stranger’s guesses at the door', async () => {
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
  it('15.6 counts once it is confirmed by its letter, and the old one hears of it', async () => {
    const member = await memberInOffice(site)
    const email = `New.${member.email}`
    const asked = await change('email', member, { email })
    expect([asked.statusCode, asked.json().email, asked.json().unconfirmed_email]).toEqual([200, member.email, email])
    expect(await signsIn(email, member.password)).toBe(false)

    const [letter] = await emailsTo(site, email)
    expect(letter?.subject).toBe('Confirm your email address')
    const confirmed = await confirm(linkTokenIn(letter)) // without a cookie: another browser may read the mail
    expect([confirmed.statusCode, confirmed.json()]).toEqual([200, { email }])
    expect(await view(member)).toMatchObject({ email })
    expect(await view(member)).not.toHaveProperty('unconfirmed_email')
    expect([await signsIn(email, member.password), await signsIn(member.email, member.password)]).toEqual([true, false])

    const [told] = await emailsTo(site, member.email, 'Your email address was changed')
    expect(told?.body).toContain('N•••@•••.example')
    expect(told?.body).not.toContain(email)
    const free = await site.post('enrollment/validate_email', { email: member.email })
    expect(free.json()).toEqual({ email: 'Available' })
    expect((await site.post('enrollment/validate_email', { email })).json().email).not.toBe('Available')
  })

  it('15.6 is confirmed once, however many bring the word at once', async () => {
    const member = await memberInOffice(site)
    const email = `thousand.${member.email}`
    await change('email', member, { email })
    const word = linkTokenIn((await emailsTo(site, email))[0])
    const counts = await byManyVisitors((headers) => confirm(word, headers))
    expect([counts[200], (counts[401] ?? 0) + (counts[503] ?? 0)]).toEqual([1, CROWD - 1])
    expect((await confirm(word)).json()).toEqual({ message: 'This link was used before or is too old.' })
    expect(await emailsTo(site, member.email, 'Your email address was changed')).toHaveLength(1)
  })

  it('15.6 cannot be somebody else’s, or the same again', async () => {
    const other = await joinedMember(site)
    const member = await memberInOffice(site)
    const said = async (email: string) => (await change('email', member, { email })).json().fields
    expect(await said(other.email.toUpperCase())).toEqual({ email: ['This email address is already registered.'] })
    expect(await said(member.email.toUpperCase())).toEqual({ email: ['This is your email address already.'] })
    expect(await said('nonsense')).toEqual({ email: ['Invalid email format.'] })
  })

  it('15.6 that somebody else took meanwhile is not confirmed', async () => {
    const member = await memberInOffice(site)
    const email = `late.${member.email}`
    await change('email', member, { email })
    const word = linkTokenIn((await emailsTo(site, email))[0])
    await joinedMember(site, { email })
    expect((await confirm(word)).json()).toEqual({ message: 'This email address is already registered.' })
    expect((await view(member)).email).toBe(member.email)
  })

  it('15.6 is confirmed by the newest letter only, and within a day', async () => {
    const member = await memberInOffice(site)
    const [one, two] = [`one.${member.email}`, `two.${member.email}`]
    await change('email', member, { email: one })
    const first = linkTokenIn((await emailsTo(site, one))[0])
    site.pass(1)
    await change('email', member, { email: two })
    const second = linkTokenIn((await emailsTo(site, two))[0])
    expect((await confirm(first)).statusCode).toBe(401)
    site.pass(24 * 3600 - 1)
    expect(await site.db.selectFrom('email_link').selectAll().where('email', '=', two).execute()).toHaveLength(1)
    site.pass(1)
    expect((await confirm(second)).statusCode).toBe(401)
  })

  it('15.6 gets the same word when its letter is sent again, and we keep only its hash', async () => {
    const member = await memberInOffice(site)
    const email = `again.${member.email}`
    while (await runJobs(site.world));
    const { send } = site.world.mail
    const sent: string[] = []
    site.world.mail.send = async (letter) => {
      sent.push(letter.text)
      if (sent.length === 1) throw new Error('the mail server did not answer')
      await send(letter)
    }
    await change('email', member, { email })
    await runJobs(site.world)
    site.pass(10)
    const [letter] = await emailsTo(site, email)
    site.world.mail.send = send
    expect(sent).toHaveLength(2)
    expect(sent[1]).toBe(sent[0])
    const kept = await site.db.selectFrom('email_link').selectAll().execute()
    const jobs = await site.db.selectFrom('job').selectAll().execute()
    expect(JSON.stringify([kept, jobs])).not.toContain(linkTokenIn(letter))
    expect(site.log()).not.toContain(linkTokenIn(letter))
  })

  it('15.6 cannot be used to send letters to a stranger all day', async () => {
    const member = await memberInOffice(site)
    const statuses = []
    for (let round = 0; round < 4; round++)
      statuses.push((await change('email', member, { email: `stranger@${member.username}.example` })).statusCode)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})
