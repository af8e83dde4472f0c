import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

const set = (values: object) =>
  owner.post('packages/volumes', {
    ...{ product_id: 34, occasion: 'joining', price: '99.00', business_volume: '60', commissionable_volume: '50.50' },
    ...values,
  })

it('31.5 a package’s page lists its prices of today with their volumes, and staff set them', async () => {
  const before = (await owner.get('packages/34')).json()
  expect(before.volumes).toEqual([
    { occasion: 'joining', price: '99.00', is_current: true },
    { occasion: 'renewal', price: '99.00', is_current: true },
  ])
  const page = (await set({})).json()
  expect(page.volumes).toEqual([
    {
      ...{ occasion: 'joining', price: '99.00', is_current: true, set_by: owner.email },
      ...{ business_volume: '60.00', commissionable_volume: '50.50', set_at: expect.any(String) },
    },
    { occasion: 'renewal', price: '99.00', is_current: true },
  ])
  const { act, subject, details } = await site.db
    .selectFrom('audit')
    .selectAll()
    .orderBy('position', 'desc')
    .executeTakeFirstOrThrow()
  expect([act, subject, JSON.parse(details ?? '')]).toEqual([
    'set_volumes',
    '34',
    { after: { occasion: 'joining', price: '99.00', business_volume: '60.00', commissionable_volume: '50.50' } },
  ])
})

it('31.5 an earlier price can have volumes, and 0.00 is one', async () => {
  const page = (await set({ price: '89.00', business_volume: '0', commissionable_volume: '0.00' })).json()
  expect(page.volumes[2]).toMatchObject({ price: '89.00', is_current: false, business_volume: '0.00' })
})

it.each([
  [
    'what isn’t a number',
    { business_volume: 'ten' },
    { business_volume: ['Please enter a volume such as 60.00. It can be 0.00.'] },
  ],
  ['the volumes of now', {}, { business_volume: ['Nothing to change: these are already the volumes.'] }],
])('31.5 %s is refused', async (_what, values, fields) => {
  const reply = await set(values)
  expect([reply.statusCode, reply.json().fields]).toEqual([422, fields])
})
