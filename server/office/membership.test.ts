import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cookieOf, lettersTo, memberInOffice } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600', LIMIT_SIGN_INS: '1000/900' })
})
afterAll(() => site.close())

type InOffice = Awaited<ReturnType<typeof memberInOffice>>
const press = (what: 'cancel' | 'keep', { cookie }: { cookie: string }) => site.post(`office/${what}`, {}, { cookie })
const cancellations = ({ email }: InOffice) => lettersTo(site, email, 'Your membership is cancelled')
const isActive = async ({ username }: InOffice) =>
  (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${username}`)).json().active
const joinUnder = async ({ username }: InOffice) =>
  site.post('enrollment/add-enrollment', await filledForm(site, { sponsor_site_name: username }))
const backIn = async ({ username, password }: InOffice) => ({
  cookie: cookieOf(await site.post('office/sign-in', { name: username, password })),
})
const DAY = 86_400
const daysUntil = (day: string) => (new Date(day).getTime() - site.world.now().getTime()) / 1000 / DAY

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
    site.pass(daysUntil(renews_on) * DAY - 1)
    expect([await isActive(member), (await joinUnder(member)).json().payment]).toEqual(['Yes', 'Approved'])
    const last = await backIn(member)
    expect((await site.get('/api/office/view', last)).json().membership.is_over).toBe(false)
    site.pass(1)
    expect(await isActive(member)).toBe('No')
    expect(Object.keys((await joinUnder(member)).json().fields)).toEqual(['sponsor_site_name'])
    const back = await backIn(member)
    const shown = (await site.get('/api/office/view', back)).json()
    expect(shown.membership).toMatchObject({ renews_on, is_over: true })
    expect([shown.receipt.total, shown.accepted.length > 0]).toEqual(['99.00', true])
    expect((await press('cancel', back)).json().membership).toEqual(shown.membership)
    const kept = await press('keep', back)
    expect([kept.statusCode, kept.json()]).toEqual([409, { message: 'Your membership has ended. Please join again.' }])
    expect(await isActive(member)).toBe('No')
  })

  it('15.9 goes on when the cancellation is taken back in time', async () => {
    const member = await memberInOffice(site)
    const { renews_on } = (await press('cancel', member)).json().membership
    expect(await cancellations(member)).toHaveLength(1)
    const kept = await press('keep', member)
    expect([kept.statusCode, kept.json().membership]).toEqual([200, { price: '99.00', renews_on, is_over: false }])
    expect((await press('keep', member)).statusCode, 'a second press changes nothing').toBe(200)
    expect(await lettersTo(site, member.email, 'Your membership goes on')).toHaveLength(1)
    site.pass(daysUntil(renews_on) * DAY + 1)
    expect(await isActive(member)).toBe('Yes')
  })

  it('15.9 cancelled and kept before any letter went out, only the last word is sent', async () => {
    const member = await memberInOffice(site)
    await press('cancel', member)
    await press('keep', member)
    const subjects = (await lettersTo(site, member.email)).map(({ subject }) => subject)
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
