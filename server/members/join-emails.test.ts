import { afterAll, beforeAll, expect, it } from 'vitest'
import { emailsTo, joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { unsubscribeUrl } from './join-emails.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof memberInOffice>>
const idOf = async ({ username }: Member) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const pathOf = async (member: Member) => new URL(unsubscribeUrl(site.world, await idOf(member))).pathname
const referralEmails = async ({ email }: Member) =>
  (await emailsTo(site, email)).filter(({ subject }) => subject.endsWith('joined through your link'))
const isOn = async ({ cookie }: Member) => (await site.get('/api/office/view', { cookie })).json().join_emails
const post = (url: string, contentType: string, payload: string) =>
  site.ask({ method: 'POST', url, headers: { 'content-type': contentType }, payload })

it('15.18 the sponsor gets an email with the first name and the day, and nothing else about the new member', async () => {
  const sponsor = await memberInOffice(site)
  const { form } = await joinedMember(site, { sponsor_site_name: sponsor.username, first_name: 'Mara' })
  const [email, ...more] = await referralEmails(sponsor)
  expect(more).toEqual([])
  expect(email?.subject).toBe('Someone joined through your link')
  expect(email?.body).toContain('Mara joined through your link on November 15, 2026.')
  const [withoutFooter] = email?.body.split('\n-- ') ?? []
  for (const field of ['email', 'username', 'mobile_phone', 'address', 'city', 'post_code', 'last_name'] as const)
    expect(withoutFooter, field).not.toContain(field === 'last_name' ? `Mara ${form[field]}` : form[field])
  expect(email?.body).toContain(`Stop these emails: http://foyer.test${await pathOf(sponsor)}`)
})

it('15.18 the job is written with the member, and a sponsor who is no member gets no email', async () => {
  const { username } = await joinedMember(site, { sponsor_site_name: 'ana' })
  const jobs = await site.db.selectFrom('job').selectAll().where('kind', '=', 'referral').execute()
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  expect(jobs.filter(({ payload }) => payload.member_id === id)).toHaveLength(1)
  const before = await site.db.selectFrom('message').select('subject').execute()
  await emailsTo(site, 'nobody@mail.example')
  const after = await site.db.selectFrom('message').select('subject').execute()
  const subjects = (rows: typeof after) => rows.filter(({ subject }) => subject.includes('joined through')).length
  expect(subjects(after)).toBe(subjects(before))
})

it.each(['evil.example', 'Call 8005551234 now', '８００５５５ please', 'You are locked out call me now'])(
  '15.18 no subject has a name, and one that carries a message is left out: %s',
  async (first_name) => {
    const sponsor = await memberInOffice(site)
    await joinedMember(site, { sponsor_site_name: sponsor.username, first_name })
    const [email] = await referralEmails(sponsor)
    expect(email?.subject).toBe('Someone joined through your link')
    expect(email?.body).toContain('Someone joined through your link on')
    expect(email?.body).not.toContain(first_name)
  },
)

it('15.18 can be switched off and on in the office', async () => {
  const sponsor = await memberInOffice(site)
  const { cookie, username } = sponsor
  const choose = (join_emails: unknown) => site.post('office/join-emails', { username, join_emails }, { cookie })
  expect(await isOn(sponsor)).toBe(true)
  expect((await choose(false)).json().join_emails).toBe(false)
  await joinedMember(site, { sponsor_site_name: username })
  expect(await referralEmails(sponsor)).toEqual([])
  expect((await choose(true)).json().join_emails).toBe(true)
  await joinedMember(site, { sponsor_site_name: username })
  expect(await referralEmails(sponsor)).toHaveLength(1)
  expect((await choose('perhaps')).statusCode).toBe(422)
})

it.each([
  ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--',
  ],
])('15.18 a mail client stops the emails with one POST of %s, without signing in', async (type, body) => {
  const sponsor = await memberInOffice(site)
  const reply = await post(await pathOf(sponsor), type, body)
  expect([reply.statusCode, reply.body.includes('"state":"done"')]).toEqual([200, true])
  expect(await isOn(sponsor)).toBe(false)
  expect((await post(await pathOf(sponsor), type, body)).statusCode).toBe(200)
})

it('15.18 opening the link only asks', async () => {
  const sponsor = await memberInOffice(site)
  const page = await site.get(await pathOf(sponsor))
  expect([page.statusCode, page.body.includes('"state":"ask"'), await isOn(sponsor)]).toEqual([200, true, true])
  expect(page.headers['referrer-policy']).toBe('no-referrer')
})

it('15.18 a link that was changed stops nothing', async () => {
  const [sponsor, other] = [await memberInOffice(site), await memberInOffice(site)]
  const path = await pathOf(sponsor)
  const signature = path.split('.').at(-1)
  const wrong = [
    path.slice(0, -1),
    `${path}x`,
    '/office/unsubscribe/x',
    `/office/unsubscribe/${await idOf(other)}.${signature}`,
  ]
  for (const url of wrong) {
    for (const reply of [await site.get(url), await post(url, 'application/x-www-form-urlencoded', '')])
      expect([reply.statusCode, reply.body.includes('"state":"invalid"')], url).toEqual([404, true])
  }
  expect([await isOn(sponsor), await isOn(other)]).toEqual([true, true])
})

it('15.18 works where the operator has an office of their own', async () => {
  const away = await testSite({ OFFICE_URL: 'https://office.example' })
  const member = await joinedMember(away)
  const { id } = await away.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', member.username)
    .executeTakeFirstOrThrow()
  const url = new URL(unsubscribeUrl(away.world, id)).pathname
  const reply = await away.ask({ method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload: 'x' })
  expect(reply.statusCode).toBe(200)
  await away.close()
})
