import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORM_CHANGED } from '#contract/console/permissions.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

type Page = Record<string, unknown>
type Form = { read: () => Promise<Page>; save: (page: Page, changes: object) => ReturnType<TestStaff['post']> }

let site: Site
let owner: TestStaff
let member_id = ''
let sponsor_id = ''
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
  const { username } = await joinedMember(site)
  const row = await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()
  member_id = row.id
  sponsor_id = (await owner.post('sponsors/add', { site: 'newpier', name: 'New Pier' })).json().id
})
afterAll(() => site.close())

const get = async (path: string) => (await owner.get(path)).json()
const pick = (page: Page, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, page[name]]))

const forms: Record<string, Form> = {
  brand: {
    read: () => get('brand'),
    save: (page, changes) =>
      owner.post('brand', { ...pick(page, 'name accent radius support email_footer welcome version'), ...changes }),
  },
  details: {
    read: () => get(`members/${member_id}`),
    save: (page, changes) => {
      const names = pick(page, 'first_name last_name business_name email mobile_phone')
      const version = page.details_version
      return owner.post('members/details', { member_id, ...names, ...Object(page.postal), version, ...changes })
    },
  },
  package: {
    read: () => get('packages/34'),
    save: (page, changes) => {
      const fields = pick(page, 'product_id name description group version')
      return owner.post('packages/edit', { ...fields, ships: page.ships ? '1' : '0', ...changes })
    },
  },
  prices: {
    read: () => get('packages/34'),
    save: (page, changes) => {
      const fields = pick(page, 'product_id price renewal_price version')
      return owner.post('packages/prices', { ...fields, applies_to: 'new_members', reason: 'x', ...changes })
    },
  },
  sponsor: {
    read: () => get(`sponsors/${sponsor_id}`),
    save: ({ version }, changes) => owner.post('sponsors/rename', { sponsor_id, version, reason: 'x', ...changes }),
  },
}

let count = 0
/** A new answer, which fits any field. */
const answer = (field: string) => {
  count++
  if (field.endsWith('price')) return { [field]: `${count}.00` }
  const word = `pier${String.fromCharCode(97 + Math.floor(count / 26), 97 + (count % 26))}`
  return { [field]: field === 'email' ? `${word}@mail.example` : word }
}

describe.each([
  ['brand', 'name', 'welcome'],
  ['details', 'last_name', 'business_name'],
  ['details', 'email', 'email'],
  ['package', 'name', 'description'],
  ['prices', 'price', 'renewal_price'],
  ['sponsor', 'site', 'site'],
])('19.87 %s: %s and %s', (name, one, other) => {
  const { read, save } = forms[name] as Form

  it('are not saved over what someone else has saved meanwhile', async () => {
    const seen = await read()
    const first = answer(one)
    expect((await save(seen, first)).statusCode).toBe(200)
    const late = await save(seen, answer(other))
    expect([late.statusCode, late.json().message]).toEqual([
      FORM_CHANGED,
      'Someone else saved this form while you were editing it.',
    ])
    const now = await read()
    expect(one === 'email' ? now.unconfirmed_email : now[one]).toBe(first[one])
    expect((await save(now, answer(other))).statusCode, 'having seen it').toBe(200)
  })

  it('are saved once if two people save at the same time', async () => {
    const seen = await read()
    const replies = await Promise.all([save(seen, answer(one)), save(seen, answer(other))])
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, FORM_CHANGED])
  })
})
