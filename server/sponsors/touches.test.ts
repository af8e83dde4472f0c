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

/** A browser that has opened /ana and then /bluepier, and what the database has recorded of it. */
async function browserWithTwoLinks() {
  const browser = testBrowser(site)
  const { body } = await browser.open('/ana')
  const enrollment_id = /name="enrollment" content="([^"]+)"/.exec(body)?.[1] ?? ''
  await browser.open('/bluepier')
  const choose = (sponsor_site: string) => {
    site.advance(1)
    return browser.post('enrollment/choose-sponsor', { sponsor_site })
  }
  const record = async () => (await findTouches(site.db, enrollment_id)).map((row) => `${row.site} ${row.why}`)
  const isStored = async () => {
    const query = site.db.selectFrom('enrollment').select('id').where('id', '=', enrollment_id)
    return (await query.executeTakeFirst()) !== undefined
  }
  return { ...browser, enrollment_id, choose, record, isStored }
}

describe('the record of touches', () => {
  it('16.2 reveals any changed, missing, added or swapped row', async () => {
    const browser = testBrowser(site)
    await browser.open('/ana')
    await browser.open('/bluepier')
    await browser.open('/master')
    const form = await filledForm(site)
    await browser.post('enrollment/add-enrollment', form)
    const { rows } = await sponsorOf(site, String(form.username))
    expect(rows.length).toBeGreaterThan(2)
    expect(firstTamperedRow(rows)).toBeUndefined()
    const [first, second, ...rest] = rows
    if (!first || !second) throw new Error('too few rows')
    const later = new Date(first.touched_at.getTime() + 1)
    const elsewhere = '00000000-0000-4000-8000-000000000000'
    const tampered = [
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
    for (const rows of tampered) expect(firstTamperedRow(rows)).toBeDefined()

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

  it('3.2 16.2 is found by the member’s username in upper or lower case', async () => {
    const { username } = await joinedMember(site)
    expect(await creditRecord(site.db, username.toUpperCase())).toMatchObject({
      isIntact: true,
      text: expect.stringContaining(`\n${username} joined with `),
    })
  })

  it('16.2 is written once, however many requests write it at once', async () => {
    const { open, post, enrollment_id, record } = await browserWithTwoLinks()
    await open('/juniper')
    const choose = async (...sites: string[]) => {
      const requests = [...sites, ...sites, ...sites, ...sites].map((sponsor_site) =>
        post('enrollment/choose-sponsor', { sponsor_site }),
      )
      expect((await Promise.all(requests)).map(({ statusCode }) => statusCode)).toEqual(requests.map(() => 200))
      expect(firstTamperedRow(await findTouches(site.db, enrollment_id))).toBeUndefined()
      return record()
    }
    const once = ['ana opened', 'bluepier opened', 'juniper opened', 'bluepier chosen']
    expect(await choose('bluepier', 'bluepier')).toEqual(once)
    site.advance(1)
    const both = await choose('ana', 'juniper')
    expect(both.slice(0, 4)).toEqual(once)
    expect(both.slice(4).sort()).toEqual(['ana chosen', 'juniper chosen'])
  })

  it('16.2 does not grow when the same sponsor is chosen again, even if more links were opened', async () => {
    const { open, choose, record } = await browserWithTwoLinks()
    await choose('bluepier')
    const once = ['ana opened', 'bluepier opened', 'bluepier chosen']
    expect(await record()).toEqual(once)
    await open('/juniper')
    for (let n = 0; n < 3; n++) expect((await choose('bluepier')).json().site).toBe('bluepier')
    expect(await record()).toEqual(once)
    await choose('ana')
    expect(await record()).toEqual([...once, 'juniper opened', 'ana chosen'])
  })

  it('16.3 holds at most twenty choices', async () => {
    const { open, choose, record } = await browserWithTwoLinks()
    for (let n = 0; n < 20; n++) expect((await choose(n % 2 ? 'ana' : 'bluepier')).statusCode).toBe(200)
    const refused = await choose('bluepier')
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      'You have changed your sponsor too many times. You can no longer change it.',
    ])
    expect((await choose('ana')).statusCode, 'the current choice again').toBe(200)
    expect(await record()).toHaveLength(22)
    expect((await open('/bluepier')).address).toBe('/ana')
  })

  it('16.2 is deleted thirty days after the last choice if the visitor never tried to pay; the cookie still has it', async () => {
    const { post, choose, record, isStored } = await browserWithTwoLinks()
    await choose('bluepier')
    site.advance(29 * DAY)
    await choose('ana')
    site.advance(29 * DAY)
    await deleteExpired(site.world)
    expect([await isStored(), (await record()).length]).toEqual([true, 4])
    site.advance(2 * DAY)
    await deleteExpired(site.world)
    expect([await isStored(), await record()]).toEqual([false, []])
    const form = await filledForm(site, { sponsor_site_name: 'ana' })
    expect((await post('enrollment/add-enrollment', form)).json().payment).toBe('Approved')
    const { rows } = await sponsorOf(site, String(form.username))
    expect([firstTamperedRow(rows), rows.map((row) => row.why)]).toEqual([undefined, ['opened', 'opened', 'chosen']])
  })

  it.each([
    ['declined', '4000000000000002', 'Declined'],
    ['approved', '4242424242424242', 'Approved'],
  ])('16.2 is never deleted after an attempt to pay: %s', async (_how, cc_number, payment) => {
    const { post, enrollment_id, choose, record, isStored } = await browserWithTwoLinks()
    await choose('bluepier')
    const form = await filledForm(site, { sponsor_site_name: 'bluepier', cc_number })
    expect((await post('enrollment/add-enrollment', form)).json().payment).toBe(payment)
    if (payment === 'Declined') expect((await choose('ana')).statusCode, 'after the attempt').toBe(200)
    const recorded = await record()
    site.advance(61 * DAY)
    await deleteExpired(site.world)
    expect([await isStored(), await record()]).toEqual([true, recorded])
    const browser = site.db.selectFrom('enrollment').select('expires_at').where('id', '=', enrollment_id)
    expect(await browser.execute(), 'it no longer expires').toEqual([{ expires_at: null }])
    const expires_at = new Date(site.world.now().getTime() - 1) // as a process of an older version would write it
    await site.db.updateTable('enrollment').set({ expires_at }).where('id', '=', enrollment_id).execute()
    await deleteExpired(site.world)
    expect([await isStored(), await record()]).toEqual([true, recorded])
  })
})
