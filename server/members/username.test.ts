import { afterAll, beforeAll, expect, it } from 'vitest'
import { creditRecord } from '#server/cli/listings.ts'
import { testBrowser } from '#server/test/browser.ts'
import { emailsTo, joinedMember, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_SIGN_INS: '1000/900', LIMIT_GRANTS: '100000/3600' })
})
afterAll(() => site.close())

const DAY = 86_400

type Member = Awaited<ReturnType<typeof memberInOffice>>
const rename = (member: Member, username: string, current_password = member.password) =>
  site.post('office/username', { username, current_password }, { cookie: member.cookie })
const view = async ({ cookie }: Member) => (await site.get('/api/office/view', { cookie })).json()
const canSignIn = async (name: string, password: string) =>
  (await site.post('office/sign-in', { name, password })).statusCode === 200
const locationOf = async (path: string) => (await site.get(path)).headers.location

it('15.19 the old link leads to the new one, both names sign in, and the member is told by email', async () => {
  const member = await memberInOffice(site)
  const [old, fresh] = [member.username, `new${member.username}`]
  const reply = await rename(member, fresh)
  expect(reply.json()).toMatchObject({
    username: fresh,
    link: `http://foyer.test/${fresh}`,
    username_fixed_until: '2026-12-15',
  })
  expect(await locationOf(`/${old}`)).toBe(`/${fresh}`)
  expect((await site.get(`/${fresh}`)).body).toContain('Join with Zoë Example')
  expect([await canSignIn(old, member.password), await canSignIn(fresh, member.password)]).toEqual([true, true])
  const [notice] = await emailsTo(site, member.email, 'Your username was changed')
  expect(notice?.body).toContain(`from ${old} to ${fresh}`)
  expect(notice?.body).toContain(`http://foyer.test/${old}, still works`)
})

it('15.19 nobody else can take either name', async () => {
  const member = await memberInOffice(site)
  const other = await memberInOffice(site)
  const [old, fresh] = [member.username, `new${member.username}`]
  await rename(member, fresh)
  for (const username of [old, fresh, fresh.toUpperCase()]) {
    expect((await site.post('enrollment/validate_username', { username })).json().username).not.toBe('Available')
    expect((await rename(other, username)).json().fields).toEqual({ username: ['This username is already taken.'] })
    const form = await filledForm(site, { username, email: `x${username}@mail.example` })
    expect((await site.post('enrollment/add-enrollment', form)).statusCode).toBe(422)
  }
})

it('15.19 visits, referrals and credit stay one, and what was signed keeps the old name', async () => {
  const member = await memberInOffice(site)
  const [old, fresh] = [member.username, `new${member.username}`]
  const visitor = {
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    host: 'foyer.test',
  }
  const hit = (path: string) => site.get(`/api/replicated-sites/page-hits/${path}`, visitor)
  await hit(old)
  const early = await joinedMember(site, { sponsor_site_name: old, first_name: 'Early' })
  const waiting = testBrowser(site) // opens the old link before the change, and orders with it afterwards
  await waiting.open(`/${old}`)
  const signed = (await site.get('/office/consent.json', { cookie: member.cookie })).json()
  await rename(member, fresh)
  await hit(fresh)
  const late = await filledForm(site, { sponsor_site_name: old, first_name: 'Late' })
  expect((await waiting.post('enrollment/add-enrollment', late)).json().payment).toBe('Approved')
  const office = await view(member)
  expect(office.totals).toEqual({ visits: 2, joins: 2 })
  expect(office.brought.map(({ name }: { name: string }) => name).sort()).toEqual(['Early Example', 'Late Example'])
  for (const username of [early.username, late.username ?? '', old, fresh])
    expect((await creditRecord(site.db, username))?.isIntact, username).toBe(true)

  const memberIn = ({ payload }: { payload: string }) => JSON.parse(Buffer.from(payload, 'base64url').toString()).member
  const now = (await site.get('/office/consent.json', { cookie: member.cookie })).json()
  expect(memberIn(now)).toEqual(memberIn(signed))
  expect(memberIn(now).username).toBe(old)
})

it('15.19 a second change leads every earlier link straight on, and the first name can be taken back', async () => {
  const member = await memberInOffice(site)
  const { username } = member
  await rename(member, `b${username}`)
  site.advance(30 * DAY)
  const cookie = await signInAgain(member)
  await rename({ ...member, cookie }, `c${username}`)
  expect([await locationOf(`/${username}`), await locationOf(`/b${username}`)]).toEqual([
    `/c${username}`,
    `/c${username}`,
  ])
  site.advance(30 * DAY)
  await rename({ ...member, cookie: await signInAgain(member) }, username)
  expect((await site.get(`/${username}`)).statusCode).toBe(200)
  expect([await locationOf(`/b${username}`), await locationOf(`/c${username}`)]).toEqual([
    `/${username}`,
    `/${username}`,
  ])
})

const signInAgain = async ({ username, password }: Member) => {
  const reply = await site.post('office/sign-in', { name: username, password })
  return [reply.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ')
}

it('15.19 needs the current password, a free name, and 30 days', async () => {
  const member = await memberInOffice(site)
  const errors = async (username: string, password?: string) => (await rename(member, username, password)).json().fields
  const fresh = `new${member.username}`
  expect(await errors(fresh, 'Wrong-Password-1')).toEqual({ current_password: ['This is not your current password.'] })
  expect(await errors('office')).toEqual({ username: ['This username is already taken.'] })
  expect(await errors('ana')).toEqual({ username: ['This username is already taken.'] })
  expect(await errors('not allowed')).toEqual({
    username: ['Username must contain only letters (A-Z) and numbers.'],
  })
  expect(await errors(member.username)).toEqual({ username: ['This is already your username.'] })
  expect((await view(member)).username).toBe(member.username)
  expect((await rename(member, fresh)).statusCode).toBe(200)
  const [message] = (await errors(`x${fresh}`)).username
  expect(message).toMatch(/^You can change your username once in 30 days\. The next time is \w+ \d+, \d{4}\.$/)
})

it('15.19 a canceled membership still ends, under its new name', async () => {
  const member = await memberInOffice(site)
  await site.post('office/cancel', { username: member.username }, { cookie: member.cookie })
  const fresh = `new${member.username}`
  await rename(member, fresh)
  site.advance(40 * DAY)
  const reply = await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${member.username}`)
  expect(reply.json()).toMatchObject({ site: fresh, active: 'No' })
})

it('15.19 of several members and a visitor who want one name at once, one gets it', async () => {
  const members = []
  for (let count = 0; count < 6; count++) members.push(await memberInOffice(site))
  const wanted = `wanted${members[0]?.username}`
  const form = await filledForm(site, { username: wanted, email: `${wanted}@mail.example` })
  const replies = await Promise.all([
    ...members.map((member) => rename(member, wanted)),
    site.post('enrollment/add-enrollment', form),
  ])
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422, 422, 422, 422, 422, 422])
  const owners = await site.db.selectFrom('member').select('id').where('username', '=', wanted).execute()
  const sites = await site.db.selectFrom('sponsor').select('member_id').where('site', '=', wanted).execute()
  expect(sites).toEqual(owners.map(({ id }) => ({ member_id: id })))
})

it('15.19 two changes of one member at the same time are one', async () => {
  const member = await memberInOffice(site)
  const names = ['p', 'q', 'r'].map((letter) => `${letter}${member.username}`)
  const replies = await Promise.all(names.map((name) => rename(member, name)))
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422, 422])
  const open = await site.db
    .selectFrom('sponsor')
    .innerJoin('member', 'member.id', 'sponsor.member_id')
    .select(['site', 'username'])
    .where('email', '=', member.email)
    .where('renamed_to', 'is', null)
    .execute()
  expect(open).toHaveLength(1)
  expect(open[0]?.site).toBe(open[0]?.username)
})
