import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditRecord } from '#server/db/listings.ts'
import { deleteExpired } from '#server/enrollment/janitor.ts'
import { sponsorOf, testBrowser } from '#server/test/browser.ts'
import { joinedMember } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { findTouches, firstTamperedRow } from './touches.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const DAY = 86_400

/** A browser that was led to /ana and has also opened /bluepier, and how it stands in the tables. */
async function chooser() {
  const ours = testBrowser(site)
  const { body } = await ours.open('/ana')
  const enrollment_id = /name="enrollment" content="([^"]+)"/.exec(body)?.[1] ?? ''
  await ours.open('/bluepier')
  const choose = (sponsor_site: string) => {
    site.pass(1)
    return ours.post('enrollment/choose-sponsor', { sponsor_site })
  }
  const record = async () => (await findTouches(site.db, enrollment_id)).map((row) => `${row.site} ${row.why}`)
  const isKept = async () => {
    const found = site.db.selectFrom('enrollment').select('id').where('id', '=', enrollment_id)
    return (await found.executeTakeFirst()) !== undefined
  }
  return { ...ours, enrollment_id, choose, record, isKept }
}

describe('the record', () => {
  it('16.2 breaks with any changed, missing, added or swapped row', async () => {
    const ours = testBrowser(site)
    await ours.open('/ana')
    await ours.open('/bluepier')
    await ours.open('/master')
    const form = await filledForm(site)
    await ours.post('enrollment/add-enrollment', form)
    const { rows } = await sponsorOf(site, String(form.username))
    expect(rows.length).toBeGreaterThan(2)
    expect(firstTamperedRow(rows)).toBeUndefined()
    const [first, second, ...rest] = rows
    if (!first || !second) throw new Error('too few rows')
    const later = new Date(first.touched_at.getTime() + 1)
    const elsewhere = '00000000-0000-4000-8000-000000000000'
    const spoilt = [
      [{ ...first, site: 'anb' }, second, ...rest],
      [{ ...first, why: 'chosen' as const }, second, ...rest],
      [{ ...first, touched_at: later }, second, ...rest],
      [{ ...first, enrollment_id: elsewhere }, second, ...rest],
      [{ ...first, hash: `${first.hash.slice(0, -1)}${first.hash.endsWith('0') ? '1' : '0'}` }, second, ...rest],
      [second, ...rest],
      [second, first, ...rest],
      [first, { ...second, position: 3 }, ...rest],
      [first, second, second, ...rest],
    ]
    for (const rows of spoilt) expect(firstTamperedRow(rows)).toBeDefined()

    const credit = await creditRecord(site.db, String(form.username))
    expect(credit?.text).toMatch(
      /\/ana +opened[\s\S]+joined with Ana's Paper Lantern Studio[\s\S]+The record is intact\. Its seal is [0-9a-f]{64}\.$/,
    )
    await sql`update sponsor_touch set site = 'anb' where enrollment_id = ${first.enrollment_id} and position = 1`.execute(
      site.db,
    )
    expect(await creditRecord(site.db, String(form.username))).toMatchObject({
      isIntact: false,
      text: expect.stringContaining('Row 1 was changed.'),
    })
    await sql`update sponsor_touch set site = 'ana' where enrollment_id = ${first.enrollment_id} and position = 1`.execute(
      site.db,
    )
    await sql`delete from sponsor_touch where enrollment_id = ${first.enrollment_id} and position > 1`.execute(site.db)
    expect(await creditRecord(site.db, String(form.username))).toMatchObject({
      isIntact: false,
      text: expect.stringContaining('Rows were added or removed'),
    })
    expect(await creditRecord(site.db, 'nobody')).toBeUndefined()
  })

  it('3.2 16.2 of a member is found by their name whatever its case', async () => {
    const { username } = await joinedMember(site)
    expect(await creditRecord(site.db, username.toUpperCase())).toMatchObject({
      isIntact: true,
      text: expect.stringContaining(`\n${username} joined with `),
    })
  })

  it('16.2 of one enrollment is written once, however many write it at once', async () => {
    const { open, post, enrollment_id, record } = await chooser()
    await open('/juniper')
    const choose = async (...sites: string[]) => {
      const asked = [...sites, ...sites, ...sites, ...sites].map((sponsor_site) =>
        post('enrollment/choose-sponsor', { sponsor_site }),
      )
      expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual(asked.map(() => 200))
      expect(firstTamperedRow(await findTouches(site.db, enrollment_id))).toBeUndefined()
      return record()
    }
    const once = ['ana opened', 'bluepier opened', 'juniper opened', 'bluepier chosen']
    expect(await choose('bluepier', 'bluepier')).toEqual(once)
    site.pass(1)
    const both = await choose('ana', 'juniper')
    expect(both.slice(0, 4)).toEqual(once)
    expect(both.slice(4).sort()).toEqual(['ana chosen', 'juniper chosen'])
  })

  it('16.2 does not grow by the same choice again, nor by links that were opened since', async () => {
    const { open, choose, record } = await chooser()
    await choose('bluepier')
    const once = ['ana opened', 'bluepier opened', 'bluepier chosen']
    expect(await record()).toEqual(once)
    await open('/juniper')
    for (let n = 0; n < 3; n++) expect((await choose('bluepier')).json().site).toBe('bluepier')
    expect(await record()).toEqual(once)
    await choose('ana')
    expect(await record()).toEqual([...once, 'juniper opened', 'ana chosen'])
  })

  it('16.3 can be chosen twenty times, and stays as it was then', async () => {
    const { open, choose, record } = await chooser()
    for (let n = 0; n < 20; n++) expect((await choose(n % 2 ? 'ana' : 'bluepier')).statusCode).toBe(200)
    const refused = await choose('bluepier')
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      'The sponsor was changed very often and now stays as it is.',
    ])
    expect((await choose('ana')).statusCode, 'what stands already').toBe(200)
    expect(await record()).toHaveLength(22)
    expect((await open('/bluepier')).address).toBe('/ana')
  })

  it('16.2 is forgotten thirty days after the last choice of who never tried to pay; the cookie still knows', async () => {
    const { post, choose, record, isKept } = await chooser()
    await choose('bluepier')
    site.pass(29 * DAY)
    await choose('ana')
    site.pass(29 * DAY)
    await deleteExpired(site.world)
    expect([await isKept(), (await record()).length]).toEqual([true, 4])
    site.pass(2 * DAY)
    await deleteExpired(site.world)
    expect([await isKept(), await record()]).toEqual([false, []])
    const form = await filledForm(site, { sponsor_site_name: 'ana' })
    expect((await post('enrollment/add-enrollment', form)).json().payment).toBe('Approved')
    const { rows } = await sponsorOf(site, String(form.username))
    expect([firstTamperedRow(rows), rows.map((row) => row.why)]).toEqual([undefined, ['opened', 'opened', 'chosen']])
  })

  it.each([
    ['declined', '4000000000000002', 'Declined'],
    ['approved', '4242424242424242', 'Approved'],
  ])('16.2 stays for good with an attempt to pay: %s', async (_how, cc_number, payment) => {
    const { post, enrollment_id, choose, record, isKept } = await chooser()
    await choose('bluepier')
    const form = await filledForm(site, { sponsor_site_name: 'bluepier', cc_number })
    expect((await post('enrollment/add-enrollment', form)).json().payment).toBe(payment)
    if (payment === 'Declined') expect((await choose('ana')).statusCode, 'after the attempt').toBe(200)
    const whole = await record()
    site.pass(61 * DAY)
    await deleteExpired(site.world)
    expect([await isKept(), await record()]).toEqual([true, whole])
    const ours = site.db.selectFrom('enrollment').select('expires_at').where('id', '=', enrollment_id)
    expect(await ours.execute(), 'it is not looked at again').toEqual([{ expires_at: null }])
    const expires_at = new Date(site.world.now().getTime() - 1) // as an older version leaves it, while both are running
    await site.db.updateTable('enrollment').set({ expires_at }).where('id', '=', enrollment_id).execute()
    await deleteExpired(site.world)
    expect([await isKept(), await record()]).toEqual([true, whole])
  })
})
