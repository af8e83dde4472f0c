import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFolder } from '#server/cli/load.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { cookieOf, emailsTo, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600', LIMIT_SIGN_INS: '1000/900' })
})
afterAll(() => site.close())

type SignedInMember = Awaited<ReturnType<typeof memberInOffice>>
const call = (what: 'cancel' | 'keep', { cookie, username }: { cookie: string; username: string }) =>
  site.post(`office/${what}`, { username }, { cookie })
const isCancellation = ({ subject }: { subject: string }) => subject.startsWith('Your membership ends on ')
const cancellationEmails = async ({ email }: SignedInMember) => (await emailsTo(site, email)).filter(isCancellation)
const isActive = async ({ username }: SignedInMember) =>
  (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${username}`)).json().active
const joinUnder = async ({ username }: SignedInMember) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { sponsor_site_name: username }))
const signInAgain = async ({ username, password }: SignedInMember) => ({
  username,
  cookie: cookieOf(await site.post('office/sign-in', { name: username, password })),
})
const DAY = 86_400
const daysUntil = (day: string) => (new Date(day).getTime() - site.world.now().getTime()) / 1000 / DAY
const daysUntilEndOf = (day: string) => daysUntil(day) + 1

/** Loads a sponsors.csv, as an operator does. */
async function loadSponsors(...lines: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-rename-'))
  await writeFile(join(folder, 'sponsors.csv'), ['site,name,active,renamed_to', ...lines].join('\n'))
  await loadFolder(site.db, folder, site.world.now()).finally(() => rm(folder, { recursive: true }))
}

describe('a membership', () => {
  it('15.9 is canceled in one step and confirmed by email; canceling again changes nothing', async () => {
    const member = await memberInOffice(site)
    const first = await call('cancel', member)
    expect([first.statusCode, first.json().membership]).toEqual([
      200,
      expect.objectContaining({ price: '99.00', renews_on: '2026-12-15', cancelled_on: '2026-11-15', is_over: false }),
    ])
    site.advance(60)
    const again = await Promise.all([call('cancel', member), call('cancel', member)])
    for (const reply of again) expect(reply.json()).toEqual({ ...first.json(), proof_seconds: 540 })
    expect(await cancellationEmails(member)).toHaveLength(1)
  })

  it('15.9 is canceled once, even by many requests at the same time', async () => {
    const member = await memberInOffice(site)
    const replies = await Promise.all(Array.from({ length: 20 }, () => call('cancel', member)))
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect(await cancellationEmails(member)).toHaveLength(1)
  })

  it('15.9 ends with the paid month, like the site; the member can still sign in', async () => {
    const member = await memberInOffice(site)
    const { renews_on } = (await call('cancel', member)).json().membership
    site.advance(daysUntilEndOf(renews_on) * DAY - 1)
    expect([await isActive(member), (await joinUnder(member)).json().payment]).toEqual(['Yes', 'Approved'])
    const before = await signInAgain(member)
    expect((await site.get('/api/office/view', { cookie: before.cookie })).json().membership.is_over).toBe(false)
    site.advance(1)
    expect(await isActive(member)).toBe('No')
    expect(Object.keys((await joinUnder(member)).json().fields)).toEqual(['sponsor_site_name'])
    const after = await signInAgain(member)
    const view = (await site.get('/api/office/view', { cookie: after.cookie })).json()
    expect(view.membership).toMatchObject({ renews_on, is_over: true })
    expect([view.receipt.total, view.accepted.length > 0]).toEqual(['99.00', true])
    expect((await call('cancel', after)).json().membership).toEqual(view.membership)
    const reply = await call('keep', after)
    expect([reply.statusCode, reply.json()]).toEqual([
      409,
      { message: 'Your membership has ended. You can come back with one payment.' },
    ])
    expect(await isActive(member)).toBe('No')
  })

  it('15.9 is not canceled if another member has signed in since, in another tab', async () => {
    const [displayed, signedIn] = [await memberInOffice(site), await memberInOffice(site)]
    const reply = await call('cancel', { username: displayed.username, cookie: signedIn.cookie })
    expect([reply.statusCode, reply.json().message.includes(signedIn.username)]).toEqual([409, true])
    for (const { cookie } of [displayed, signedIn])
      expect((await site.get('/api/office/view', { cookie })).json().membership.cancelled_on).toBeUndefined()
  })

  it('15.9 keeps its visits, joins and end date when the operator renames the site', async () => {
    const member = await memberInOffice(site)
    await joinUnder(member)
    for (const _twice of [1, 2]) await loadSponsors(`${member.username},Old,Yes,newpier`, 'newpier,New Pier,Yes,')
    await joinUnder(member)
    const { link, totals } = (await site.get('/api/office/view', { cookie: member.cookie })).json()
    expect([link, totals.joins]).toEqual(['http://foyer.test/newpier', 2])
    const { renews_on } = (await call('cancel', member)).json().membership
    site.advance(daysUntilEndOf(renews_on) * DAY + 1)
    expect(await isActive(member)).toBe('No')
  })

  it('1.4 does not take over another site: renaming onto an existing site is refused', async () => {
    const member = await memberInOffice(site)
    await loadSponsors('ownpier,Own Pier,Yes,')
    const ownPier = () => site.db.selectFrom('sponsor').selectAll().where('site', '=', 'ownpier').execute()
    const before = await ownPier()
    await expect(loadSponsors(`${member.username},Old,Yes,ownpier`)).rejects.toThrow(
      `sponsors.csv:2: '${member.username}' is a member's site, and 'ownpier' belongs to another sponsor: use a new one`,
    )
    await loadSponsors(`${member.username},Old,Yes,master`) // renaming to master is allowed
    expect(await ownPier()).toEqual(before)
    const main = site.db.selectFrom('sponsor').select('member_id').where('site', '=', 'master')
    expect(await main.executeTakeFirst()).toEqual({ member_id: null })
  })

  it('15.9 continues when the cancellation is undone in time', async () => {
    const member = await memberInOffice(site)
    const { renews_on } = (await call('cancel', member)).json().membership
    expect(await cancellationEmails(member)).toHaveLength(1)
    const reply = await call('keep', member)
    expect([reply.statusCode, reply.json().membership]).toEqual([
      200,
      expect.objectContaining({ price: '99.00', renews_on, is_over: false }),
    ])
    expect((await call('keep', member)).statusCode, 'undoing again changes nothing').toBe(200)
    expect(await emailsTo(site, member.email, 'Your membership continues')).toHaveLength(1)
    site.advance(daysUntilEndOf(renews_on) * DAY + 1)
    expect(await isActive(member)).toBe('Yes')
  })

  it('15.9 sends only the last confirmation if it is canceled and resumed before any email was sent', async () => {
    const member = await memberInOffice(site)
    await call('cancel', member)
    await call('keep', member)
    const emails = await emailsTo(site, member.email)
    expect(emails.map(({ subject }) => subject)).toContain('Your membership continues')
    expect(emails.filter(isCancellation)).toEqual([])
  })

  it('15.9 lasts until the end of the current month when it is canceled in a later month', async () => {
    const member = await memberInOffice(site)
    const joined = site.world.now()
    site.advance(DAY / 2) // renewals are due in the first hours of a day
    for (let day = 0; day < 70; day++) {
      site.advance(DAY)
      while (await renewMemberships(site.world));
    }
    const { renews_on } = (await call('cancel', await signInAgain(member))).json().membership
    expect(daysUntil(renews_on)).toBeGreaterThan(0)
    expect(daysUntil(renews_on)).toBeLessThanOrEqual(31)
    expect(new Date(renews_on).getUTCDate()).toBe(joined.getUTCDate())
  })
})
