import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consentBundle } from '#server/members/consent.ts'
import { emailsTo, joinedMember, linkTokenIn } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

let site: Site
let owner: TestStaff
let member_id = ''
let member: Awaited<ReturnType<typeof joinedMember>>
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
  member = await joinedMember(site, { username: 'maralind', first_name: 'Mara', email: 'old@mail.example' })
  member_id = await idOf(site, 'maralind')
})
afterAll(() => site.close())

const idOf = async ({ db }: Site, username: string) =>
  (await db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id

/** The details as they are, with changes. */
async function correct(changes: Record<string, string>, on = { site, owner, member_id }) {
  const page = (await on.owner.get(`members/${on.member_id}`)).json()
  const { first_name, last_name, business_name, email, mobile_phone, postal } = page
  const { country: _country, ...address } = postal
  const details = { first_name, last_name, business_name, email, mobile_phone, ...address, ...changes }
  return on.owner.post('members/details', { member_id: on.member_id, version: page.details_version, ...details })
}

describe('correcting details', () => {
  it('19.30 follows the rules of the form, with a sentence at each field', async () => {
    const reply = await correct({ first_name: ' ', mobile_phone: '12', post_code: 'x', state: 'XX', email: 'nobody' })
    expect(reply.statusCode).toBe(422)
    expect(Object.keys(reply.json().fields).sort()).toEqual([
      'email',
      'first_name',
      'mobile_phone',
      'post_code',
      'state',
    ])
    expect((await correct({ mobile_phone: '+1999' })).statusCode).toBe(422)
    expect((await correct({})).statusCode).toBe(409)
  })

  it('19.30 changes names, phone and address at once, and writes down what was changed', async () => {
    const reply = await correct({ last_name: 'Sol', mobile_phone: '(202) 555-0199', city: 'Elko', state: 'NV' })
    expect(reply.json()).toMatchObject({ last_name: 'Sol', mobile_phone: '+12025550199', postal: { city: 'Elko' } })
    const { details } = await site.db
      .selectFrom('audit')
      .select('details')
      .where('act', '=', 'change_details')
      .executeTakeFirstOrThrow()
    expect(Object.keys(JSON.parse(details ?? '').after).sort()).toEqual(['city', 'last_name', 'mobile_phone'])
    const entry = reply.json().timeline.find(({ what }: { what: string }) => what === 'Edited the details')
    expect(entry.detail).toBe('last name, mobile phone, city')
    const sponsor = site.db.selectFrom('sponsor').select('name').where('member_id', '=', member_id)
    expect((await sponsor.executeTakeFirstOrThrow()).name).toBe('Mara Sol')
    expect(await consentBundle(site.world, member_id)).not.toContain('Sol')
  })

  it('19.31 a new email address counts when it is confirmed, and the old address is told', async () => {
    const { unconfirmed_email, email } = (await correct({ email: 'new@mail.example' })).json()
    expect([unconfirmed_email, email]).toEqual(['new@mail.example', 'old@mail.example'])
    const [message] = await emailsTo(site, 'new@mail.example', 'Confirm your email address')
    expect((await site.post('office/confirm-email', { token: linkTokenIn(message) })).statusCode).toBe(200)
    expect(await emailsTo(site, 'old@mail.example', 'Your email address was changed')).toHaveLength(1)
    const page = (await owner.get(`members/${member_id}`)).json()
    expect([page.email, page.unconfirmed_email]).toEqual(['new@mail.example', undefined])
  })

  it('19.31 an address that another member has is refused at its field', async () => {
    const other = await joinedMember(site)
    const reply = await correct({ email: other.email })
    expect(reply.json().fields).toEqual({ email: ['This email address is already registered.'] })
    expect(member.username).toBe('maralind')
  })

  it('19.31 with an operator’s own office, which cannot confirm, the address takes effect immediately', async () => {
    const other = await testSite({ OFFICE_URL: 'https://office.example' })
    const staff = await staffMember(other, 'owner')
    await joinedMember(other, { username: 'elsewhere', email: 'first@mail.example' })
    const on = { site: other, owner: staff, member_id: await idOf(other, 'elsewhere') }
    expect((await correct({ email: 'second@mail.example' }, on)).json().email).toBe('second@mail.example')
    expect(await emailsTo(other, 'first@mail.example', 'Your email address was changed')).toHaveLength(1)
    await other.close()
  })
})
