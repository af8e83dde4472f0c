import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetBrand } from '#server/brand/brand.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ OPERATOR_NAME: 'Harbor Light LLC' })
})
afterAll(() => site.close())

const pageOf = async (username: string) => (await site.get(`/${username}`)).body
const titleOf = async (username: string) => /Join with (.*?) for/.exec(await pageOf(username))?.[1]
const CONTACT = ['Please enter a name without a phone number, email address or web address.']
const PRETENDS = ['This name could be taken for Foyer itself. Please choose another one.']

it('21.24 the office refuses misleading names at their field', async () => {
  const { cookie, username } = await memberInOffice(site)
  const change = async (names: object) =>
    (
      await site.post(
        'office/name',
        { username, first_name: 'Zoe', last_name: 'Example', business_name: '', ...names },
        { cookie },
      )
    ).json()
  expect((await change({ business_name: 'Foyer Support' })).fields).toEqual({ business_name: PRETENDS })
  expect((await change({ business_name: 'Harb0r Light' })).fields).toEqual({ business_name: PRETENDS })
  expect((await change({ business_name: 'Call 626 555 0100' })).fields).toEqual({ business_name: CONTACT })
  expect((await change({ last_name: 'evil.com' })).fields).toEqual({ first_name: CONTACT })
  expect(await change({ business_name: 'Bluepier Wellness' })).toMatchObject({ business_name: 'Bluepier Wellness' })
  expect(await titleOf(username)).toBe('Bluepier Wellness')
})

it('21.24 so does the console', async () => {
  const staff = await staffMember(site, 'support')
  const { username } = await memberInOffice(site)
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  const { postal, ...page } = (await staff.get(`members/${id}`)).json()
  const { first_name, last_name, email, mobile_phone, details_version: version } = page
  const details = { member_id: id, version, first_name, last_name, email, mobile_phone, ...postal }
  const reply = await staff.post('members/details', { ...details, business_name: '0fficial Foyer' })
  expect(reply.json().fields).toEqual({ business_name: PRETENDS })
})

it('21.25 a name from an enrollment is kept, but is not the title of a page', async () => {
  const answers = { first_name: 'Zoe', last_name: 'Example', business_name: 'Foyer Support 626-555-0100' }
  const { username } = await memberInOffice(site, answers)
  expect(await titleOf(username)).toBe('Zoe Example')
  const second = await memberInOffice(site, { ...answers, last_name: 'www.evil.example' })
  expect(await titleOf(second.username)).toBe(second.username)
})

it('21.25 titles that were stored before are not shown, also once the brand has another name', async () => {
  const { username } = await memberInOffice(site, {
    first_name: 'Zoe',
    last_name: 'Example',
    business_name: 'Bluepier',
  })
  expect(await titleOf(username)).toBe('Bluepier')
  await site.db.updateTable('sponsor').set({ name: 'evil.com' }).where('site', '=', username).execute()
  expect(await titleOf(username)).toBe('Bluepier')
  await site.db.updateTable('sponsor').set({ name: 'Bluepier' }).where('site', '=', username).execute()
  await site.db
    .insertInto('brand')
    .values({ id: 1, name: 'Bluepier', updated_at: site.world.now() } as never)
    .execute()
  forgetBrand(site.world)
  expect(await titleOf(username)).toBe('Zoe Example')
  expect(await pageOf('master')).toContain('Join with')
})
