import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFolder } from '#server/db/load.ts'
import { cookieOf, emailsTo, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600', LIMIT_SIGN_INS: '1000/900' })
})
afterAll(() => site.close())

type InOffice = Awaited<ReturnType<typeof memberInOffice>>
const press = (what: 'cancel' | 'keep', { cookie, username }: { cookie: string; username: string }) =>
  site.post(`office/${what}`, { username }, { cookie })
const cancellations = ({ email }: InOffice) => emailsTo(site, email, 'Your membership is cancelled')
const isActive = async ({ username }: InOffice) =>
  (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${username}`)).json().active
const joinUnder = async ({ username }: InOffice) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { sponsor_site_name: username }))
const backIn = async ({ username, password }: InOffice) => ({
  username,
  cookie: cookieOf(await site.post('office/sign-in', { name: username, password })),
})
const DAY = 86_400
const daysUntil = (day: string) => (new Date(day).getTime() - site.world.now().getTime()) / 1000 / DAY
/** The named day lasts until it is over everywhere. */
const daysUntilEndOf = (day: string) => daysUntil(day) + 1.5

/** What an operator loads, line by line. */
async function loadSponsors(...lines: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-rename-'))
  await writeFile(join(folder, 'sponsors.csv'), ['site,name,active,renamed_to', ...lines].join('\n'))
  await loadFolder(site.db, folder, site.world.now()).finally(() => rm(folder, { recursive: true }))
}

describe('a membership', () => {
  it('15.9 is cancelled in one step, confirmed by letter, and a second press changes nothing', async () => {
    const member = await memberInOffice(site)
    const first = await press('cancel', member)
    expect([first.statusCode, first.json().membership]).toEqual([
      200,
      { price: '99.00', renews_on: '2026-12-15', cancelled_on: '2026-11-15', is_over: false },
    ])
    site.pass(60)
    const again = await Promise.all([press('cancel', member), press('cancel', member)])
    for (const reply of again) expect(reply.json()).toEqual(first.json())
    expect(await cancellations(member)).toHaveLength(1)
  })

  it('15.9 many presses at once are one cancellation', async () => {
    const member = await memberInOffice(site)
    const replies = await Promise.all(Array.from({ length: 20 }, () => press('cancel', member)))
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect(await cancellations(member)).toHaveLength(1)
  })

  it('15.9 ends with the paid month, and the site with it; the member may still look', async () => {
    const member = await memberInOffice(site)
    const { renews_on } = (await press('cancel', member)).json().membership
    site.pass(daysUntilEndOf(renews_on) * DAY - 1)
    expect([await isActive(member), (await joinUnder(member)).json().payment]).toEqual(['Yes', 'Approved'])
    const last = await backIn(member)
    expect((await site.get('/api/office/view', { cookie: last.cookie })).json().membership.is_over).toBe(false)
    site.pass(1)
    expect(await isActive(member)).toBe('No')
    expect(Object.keys((await joinUnder(member)).json().fields)).toEqual(['sponsor_site_name'])
    const back = await backIn(member)
    const shown = (await site.get('/api/office/view', { cookie: back.cookie })).json()
    expect(shown.membership).toMatchObject({ renews_on, is_over: true })
    expect([shown.receipt.total, shown.accepted.length > 0]).toEqual(['99.00', true])
    expect((await press('cancel', back)).json().membership).toEqual(shown.membership)
    const kept = await press('keep', back)
    expect([kept.statusCode, kept.json()]).toEqual([
      409,
      { message: 'Your membership has ended. Please write to us if you would like it back.' },
    ])
    expect(await isActive(member)).toBe('No')
  })

  it('15.9 of somebody else, who signed in in another tab, is not cancelled', async () => {
    const [shown, signedIn] = [await memberInOffice(site), await memberInOffice(site)]
    const reply = await press('cancel', { username: shown.username, cookie: signedIn.cookie })
    expect([reply.statusCode, reply.json().message.includes(signedIn.username)]).toEqual([409, true])
    for (const { cookie } of [shown, signedIn])
      expect((await site.get('/api/office/view', { cookie })).json().membership.cancelled_on).toBeUndefined()
  })

  it('15.9 whose site the operator renames keeps its visits, joins and end', async () => {
    const member = await memberInOffice(site)
    await joinUnder(member)
    for (const _twice of [1, 2]) await loadSponsors(`${member.username},Old,Yes,newpier`, 'newpier,New Pier,Yes,')
    await joinUnder(member)
    const { link, totals } = (await site.get('/api/office/view', { cookie: member.cookie })).json()
    expect([link, totals.joins]).toEqual(['http://foyer.test/newpier', 2])
    const { renews_on } = (await press('cancel', member)).json().membership
    site.pass(daysUntilEndOf(renews_on) * DAY + 1)
    expect(await isActive(member)).toBe('No')
  })

  it('1.4 whose site the operator renames onto another does not get that one, and the operator hears so', async () => {
    const member = await memberInOffice(site)
    await loadSponsors('ownpier,Own Pier,Yes,')
    const places = () => site.db.selectFrom('sponsor').selectAll().where('site', '=', 'ownpier').execute()
    const before = await places()
    await expect(loadSponsors(`${member.username},Old,Yes,ownpier`)).rejects.toThrow(
      `sponsors.csv:2: '${member.username}' is a member's site, and 'ownpier' is somebody else's: name a new one`,
    )
    await loadSponsors(`${member.username},Old,Yes,master`) // it may lead home
    expect(await places()).toEqual(before)
    const main = site.db.selectFrom('sponsor').select('member_id').where('site', '=', 'master')
    expect(await main.executeTakeFirst()).toEqual({ member_id: null })
  })

  it('15.9 goes on when the cancellation is taken back in time', async () => {
    const member = await memberInOffice(site)
    const { renews_on } = (await press('cancel', member)).json().membership
    expect(await cancellations(member)).toHaveLength(1)
    const kept = await press('keep', member)
    expect([kept.statusCode, kept.json().membership]).toEqual([200, { price: '99.00', renews_on, is_over: false }])
    expect((await press('keep', member)).statusCode, 'a second press changes nothing').toBe(200)
    expect(await emailsTo(site, member.email, 'Your membership goes on')).toHaveLength(1)
    site.pass(daysUntilEndOf(renews_on) * DAY + 1)
    expect(await isActive(member)).toBe('Yes')
  })

  it('15.9 cancelled and kept before any letter went out, only the last word is sent', async () => {
    const member = await memberInOffice(site)
    await press('cancel', member)
    await press('keep', member)
    const subjects = (await emailsTo(site, member.email)).map(({ subject }) => subject)
    expect(subjects).toContain('Your membership goes on')
    expect(subjects).not.toContain('Your membership is cancelled')
  })

  it('15.9 cancelled in a later month lasts until that month is over', async () => {
    const member = await memberInOffice(site)
    const joined = site.world.now()
    site.pass(70 * DAY)
    const { renews_on } = (await press('cancel', await backIn(member))).json().membership
    expect(daysUntil(renews_on)).toBeGreaterThan(0)
    expect(daysUntil(renews_on)).toBeLessThanOrEqual(31)
    expect(new Date(renews_on).getUTCDate()).toBe(joined.getUTCDate())
  })
})
