import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PackagePage, PackageRow } from '#contract/console/packages.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { testJpeg } from '#server/test/jpeg.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { siteWithTwin, type Twin } from '#server/test/twin.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let twin: Twin
let owner: TestStaff
let close: () => Promise<void>
beforeAll(async () => {
  ;({ site, twin, owner, close } = await siteWithTwin())
})
afterAll(() => close())

const list = async (): Promise<PackageRow[]> => (await owner.get('packages')).json().packages
const page = async (product_id: number): Promise<PackagePage> => (await owner.get(`packages/${product_id}`)).json()
/** What a visitor is offered by another process. */
const offered = async (): Promise<{ product_id: number; name: string; price: string }[]> =>
  (await twin.get('/api/enrollment/enrollment_packages?product_category_id=17&language_id=1')).json()
const offeredIds = async () => (await offered()).map(({ product_id }) => product_id)
const fields = {
  name: 'Evening Membership',
  description: 'After work.',
  group: 'starter',
  ships: '0',
}

describe('packages', () => {
  it('19.50 are added, with a price for today and one for every renewal, and offered by every process at once', async () => {
    const bad = await owner.post('packages/add', {
      ...fields,
      name: ' ',
      price: 'much',
      renewal_price: '',
      billing_interval: 'month',
    })
    expect(Object.keys(bad.json().fields).sort()).toEqual(['name', 'price'])
    const unpriced = await owner.post('packages/add', {
      ...fields,
      price: '59',
      renewal_price: '',
      billing_interval: 'month',
    })
    expect(unpriced.json().fields.renewal_price).toEqual(['Please enter what it costs every month after the first.'])
    const reply = await owner.post('packages/add', {
      ...fields,
      price: '$59',
      renewal_price: '49.50',
      billing_interval: 'month',
    })
    expect(reply.statusCode, reply.body).toBe(200)
    const added: PackagePage = reply.json()
    expect(added).toMatchObject({ product_id: 62, price: '59.00', renewal_price: '49.50', group: 'starter' })
    expect(await offeredIds()).toEqual([34, 35, 36, 41, 51, 62])
    await joinedMember(site, { product_ids: '62' })
    expect((await page(34)).is_preselected).toBe(true)
  })

  it('19.50 are edited and put in order', async () => {
    const edited = await owner.post('packages/edit', {
      ...fields,
      product_id: 62,
      version: (await page(62)).version,
      name: 'Night Membership',
      ships: '1',
    })
    expect(edited.json()).toMatchObject({ name: 'Night Membership', ships: true, price: '59.00' })
    expect((await offered()).at(-1)?.name).toBe('Night Membership')
    await owner.post('packages/move', { product_id: 62, direction: 'up' })
    await owner.post('packages/move', { product_id: 62, direction: 'up' })
    const starters = (await list()).filter(({ group, is_ours }) => is_ours && group === 'starter')
    expect(starters.map(({ product_id }) => product_id)).toEqual([34, 62, 35, 36])
    expect((await offeredIds()).filter((id) => [34, 35, 36, 62].includes(id))).toEqual([34, 62, 35, 36])
    await owner.post('packages/move', { product_id: 62, direction: 'down' })
    expect((await owner.post('packages/move', { product_id: 34, direction: 'up' })).statusCode).toBe(409)
    expect((await owner.post('packages/move', { product_id: 999, direction: 'up' })).statusCode).toBe(404)
    const { rows } = (await owner.get('audit')).json()
    expect(rows.map(({ act }: { act: string }) => act)).toEqual(
      expect.arrayContaining(['move_package', 'edit_package', 'add_package']),
    )
  })

  it('19.51 a withdrawn package is not offered; who has it keeps it, and it can be offered again', async () => {
    const member = await joinedMember(site, { product_ids: '35' })
    expect((await owner.post('packages/withdraw', { product_id: 35 })).json().withdrawn_at).toBeTruthy()
    expect((await owner.post('packages/withdraw', { product_id: 35 })).statusCode).toBe(409)
    expect(await offeredIds()).not.toContain(35)
    await expect(joinedMember(site, { product_ids: '35' })).rejects.toThrow('This package is not available.')
    const { lines } = await site.db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'member_id')
      .select('lines')
      .where('username', '=', member.username)
      .executeTakeFirstOrThrow()
    expect(lines).toMatchObject([{ product_id: 35, renewal_cents: 9900 }])
    await owner.post('packages/offer', { product_id: 35 })
    expect(await offeredIds()).toContain(35)
  })

  it('19.51 the last package of the main list cannot be withdrawn or moved away, even if two are withdrawn at the same time', async () => {
    for (const product_id of [35, 36]) await owner.post('packages/withdraw', { product_id })
    const replies = await Promise.all([34, 62].map((product_id) => owner.post('packages/withdraw', { product_id })))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    const left = (await offeredIds()).find((id) => [34, 62].includes(id)) ?? 0
    const { version } = await page(left)
    const away = await owner.post('packages/edit', { ...fields, product_id: left, version, group: 'special' })
    expect(away.json().message).toMatch(/last package of the main list/)
    for (const product_id of [34, 35, 36, 62].filter((id) => id !== left))
      await owner.post('packages/offer', { product_id })
    expect(await offeredIds()).toHaveLength(6)
  })
})

describe('the picture of a package', () => {
  it('19.52 is checked, keeps only its pixels, and is served by every process under the name of its content', async () => {
    const set = (picture: string) => owner.post('packages/picture', { product_id: 34, picture })
    const { image_url } = (await set(testJpeg(720, 296, 'N 39 31 46'))).json()
    expect(image_url).toMatch(/^\/assets\/pictures\/[0-9a-f]{32}\.jpg$/)
    const served = await twin.get(image_url)
    expect([served.statusCode, served.headers['content-type'], served.headers['cache-control']]).toEqual([
      ...[200, 'image/jpeg', 'public, max-age=31536000, immutable'],
    ])
    expect(served.rawPayload.toString('latin1')).not.toContain('N 39 31 46')
    const second = (await set(testJpeg(720, 296, 'other'))).json().image_url
    expect(second).not.toBe(image_url)
    expect((await twin.get(image_url)).statusCode).toBe(404)
    for (const [what, picture] of [
      ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')],
      ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
      ['another size', testJpeg(7200, 2960)],
      ['a page', Buffer.from('<html>').toString('base64')],
    ] as const)
      expect(Object.keys((await set(picture)).json().fields ?? {}), what).toEqual(['picture'])
    expect((await page(34)).image_url).toBe(second)
  })
})

describe('prices', () => {
  it('19.53 what a new price does to members is known before it is saved', async () => {
    await site.db.updateTable('membership').set({ state: 'ended' }).execute()
    const members = [await joinedMember(site), await joinedMember(site), await joinedMember(site)]
    const [, , canceled] = members
    await sql`update member set cancelled_at = joined_at where username = ${canceled?.username}`.execute(site.db)
    const effect = async (renewal_price: string) =>
      (await owner.get(`package-price-effect?${new URLSearchParams({ product_id: '34', renewal_price })}`)).json()
    expect(await effect('109.00')).toEqual({
      groups: [{ pays: '99.00', members: 2, change: 'after_notice' }],
      unaffected: 1,
    })
    expect((await effect('89.00')).groups).toEqual([{ pays: '99.00', members: 2, change: 'next_renewal' }])
    expect((await effect('99.00')).groups).toEqual([{ pays: '99.00', members: 2 }])
    expect((await effect('1')).groups).toHaveLength(1)
  })

  it('19.53 new prices apply immediately for new members, and after a notice for the others, who are told by a job', async () => {
    const change = async (values: object) =>
      owner.post('packages/prices', {
        product_id: 34,
        version: (await page(34)).version,
        price: '79.00',
        renewal_price: '109.00',
        applies_to: 'all_members',
        reason: 'costs have risen',
        ...values,
      })
    expect((await change({ applies_to: '' })).json().fields.applies_to).toEqual([
      'Please choose who pays the new price.',
    ])
    expect((await change({})).json().fields.from_on).toEqual([
      'Please choose the day from which current members pay the new price.',
    ])
    expect((await change({ reason: '' })).json().fields.reason).toEqual(['Please say why.'])
    for (const from_on of ['2026-11-21', '2026-12-16'])
      expect((await change({ from_on })).json().fields.from_on).toEqual([
        'Please choose a day from Nov 22, 2026 to Dec 15, 2026: members get 7 to 30 days of notice.',
      ])
    const once = await owner.post('packages/prices', {
      product_id: 51,
      version: (await page(51)).version,
      price: '49.00',
      renewal_price: '9.00',
      applies_to: 'new_members',
      reason: 'x',
    })
    expect(once.json().fields.renewal_price).toEqual(['It is paid once, so it has no renewal price.'])
    const reply = await change({ from_on: '2026-12-15' })
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toMatchObject({
      price: '79.00',
      renewal_price: '109.00',
      price_changes: [{ old_price: '99.00', new_price: '109.00', notice_days: 30, told: 0 }],
    })
    expect((await offered()).find(({ product_id }) => product_id === 34)?.price).toBe('79.00')
    expect((await change({ from_on: '2026-12-15', applies_to: 'new_members' })).json().fields.price).toEqual([
      'Nothing to change: these are already the prices.',
    ])
    while (await runJobs(site.world));
    expect((await page(34)).price_changes[0]).toMatchObject({ told: 2, done_at: expect.any(String) })
    const { lines, email } = await site.db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'member_id')
      .select(['lines', 'email'])
      .where('membership.state', '=', 'active')
      .where('cancelled_at', 'is', null)
      .executeTakeFirstOrThrow()
    const from_on = '2026-12-15' // the first renewal after the notice
    expect(lines).toMatchObject([{ renewal_cents: 9900, announced: { renewal_cents: 10_900, from_on } }])
    const subjects = (await emailsTo(site, email)).map(({ subject }) => subject)
    expect(subjects).toContainEqual(expect.stringMatching(/^Your price changes on /))
    const { rows } = (await owner.get('audit')).json()
    expect(rows[0]).toMatchObject({
      act: 'change_prices',
      subject_name: 'Founding Membership',
      reason: 'costs have risen',
      before: { price: '99.00', renewal_price: '99.00' },
      after: { price: '79.00', renewal_price: '109.00', notice_days: 30 },
    })
  })

  it('19.53 a price for new members only does not affect the others until staff extend it to them', async () => {
    const own = await testSite()
    const manager = await staffMember(own, 'manager')
    await joinedMember(own)
    const { id } = await own.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    const change = async (values: object) =>
      manager.post('packages/prices', {
        product_id: 34,
        version: (await manager.get('packages/34')).json().version,
        price: '99.00',
        renewal_price: '119.00',
        reason: 'costs have risen',
        ...values,
      })
    const announced = async () => (await manager.get(`members/${id}`)).json().membership.announced
    const first: PackagePage = (await change({ applies_to: 'new_members' })).json()
    expect(first).toMatchObject({ renewal_price: '119.00', price_changes: [] })
    while (await runJobs(own.world));
    expect(await announced()).toEqual([])
    const { lines } = await own.db.selectFrom('membership').select('lines').executeTakeFirstOrThrow()
    expect(lines).toEqual([expect.not.objectContaining({ announced: expect.anything() })])
    expect((await change({ applies_to: 'new_members' })).statusCode).toBe(422)
    const extended: PackagePage = (await change({ applies_to: 'all_members', from_on: '2026-12-15' })).json()
    expect(extended.price_changes).toHaveLength(1)
    while (await runJobs(own.world));
    expect(await announced()).toEqual([
      { name: 'Founding Membership', price: '119.00', from_on: '2026-12-15', is_told: true },
    ])
    await own.close()
  })
})

it('19.51 a withdrawn package renews at the price that the member agreed to', async () => {
  const own = await testSite()
  const manager = await staffMember(own, 'manager')
  const { username } = await joinedMember(own, { product_ids: '35', cc_year: '2035' })
  expect((await manager.post('packages/withdraw', { product_id: 35 })).statusCode).toBe(200)
  for (const days of [30, 31]) {
    own.advance(days * 86_400) // the clock starts in November
    while (await renewMemberships(own.world));
    while (await runJobs(own.world));
  }
  const paid = await own.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['period', 'amount_cents', 'payment.state'])
    .where('username', '=', username)
    .where('period', '>', 0)
    .orderBy('period')
    .execute()
  expect(paid).toEqual([1, 2].map((period) => ({ period, amount_cents: 9900, state: 'captured' })))
  const { state, lines } = await own.db.selectFrom('membership').select(['state', 'lines']).executeTakeFirstOrThrow()
  expect([state, lines]).toMatchObject(['active', [{ product_id: 35, renewal_cents: 9900 }]])
  await own.close()
})
