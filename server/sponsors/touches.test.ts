import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditRecord } from '#server/cli/listings.ts'
import { sponsorOf, testBrowser } from '#server/test/browser.ts'
import { joinedMember } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { recordProblem } from './credit.ts'
import { firstTamperedRow, rowsToAppend } from './touches.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

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
      /\/ana +opened[\s\S]+the sponsor is Ana's Paper Lantern Studio[\s\S]+The record is intact\. Its seal is [0-9a-f]{64}\.$/,
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
      text: expect.stringContaining(`\n${username} joined on `),
    })
  })

  it.each([
    ['another sponsor', 'bluepier', 'The record says /ana: the sponsor was changed after the member joined.'],
    ['the same sponsor', 'ana', undefined],
  ])('16.2 is not called intact when the member’s sponsor was changed by hand: %s', async (_how, sponsor, problem) => {
    const { username } = await joinedMember(site)
    const { id } = await site.db
      .selectFrom('sponsor')
      .select('id')
      .where('site', '=', sponsor)
      .executeTakeFirstOrThrow()
    await site.db.updateTable('member').set({ sponsor_id: id }).where('username', '=', username).execute()
    expect(await creditRecord(site.db, username)).toMatchObject({
      isIntact: !problem,
      text: expect.stringContaining(problem ?? 'The record is intact.'),
    })
  })

  it('16.2 of an earlier version, without an address, must name the sponsor among its links', async () => {
    const opened = { touched_at: new Date('2026-11-01T12:00:00Z'), why: 'opened' as const }
    const links = ['master', 'harbor'].map((site) => ({ ...opened, site }))
    const rows = rowsToAppend('00000000-0000-4000-8000-000000000000', [], links)
    const seal = { touches: rows.length, touch_seal: rows.at(-1)?.hash ?? null }
    const problemFor = (sponsor_site: string) => recordProblem(site.db, { ...seal, sponsor_site }, rows)
    expect(await problemFor('bluepier')).toBeUndefined()
    const chosen = rowsToAppend(
      '00000000-0000-4000-8000-000000000000',
      [],
      [...links, { ...opened, site: 'ana', why: 'chosen' }],
    )
    const chosenSeal = { touches: chosen.length, touch_seal: chosen.at(-1)?.hash ?? null }
    expect(await recordProblem(site.db, { ...chosenSeal, sponsor_site: 'ana' }, chosen)).toBeUndefined()
    expect(await recordProblem(site.db, { ...chosenSeal, sponsor_site: 'bluepier' }, chosen)).toContain('says /ana')
    expect(await problemFor('ana')).toContain('The record says /master or /harbor')
  })
})
