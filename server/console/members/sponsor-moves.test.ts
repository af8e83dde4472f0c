import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditRecord } from '#server/cli/listings.ts'
import { consentBundle } from '#server/members/consent.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

let site: Site
let owner: TestStaff
const members: Record<string, Awaited<ReturnType<typeof memberInOffice>>> = {}
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
  const under = { anna: 'ana', below: 'anna', lowest: 'below', other: 'bluepier' }
  for (const [username, sponsor_site_name] of Object.entries(under)) {
    members[username] = await memberInOffice(site, { username, sponsor_site_name, first_name: username })
    site.advance(60)
  }
})
afterAll(() => site.close())

const idOf = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const move = async (username: string, sponsor_site: string, by = owner) =>
  by.post('members/sponsor', { member_id: await idOf(username), sponsor_site, reason: 'signed up at her table' })
const downline = async (username: string): Promise<string[]> => {
  const view = (await site.get('/api/office/view', { cookie: members[username]?.cookie ?? '' })).json()
  return view.brought.map(({ name }: { name: string }) => name.split(' ')[0])
}
const listed = async (sponsor: string) =>
  (await owner.get(`members?sponsor=${sponsor}`)).json().members.map(({ username }: { username: string }) => username)

describe('moving a member to another sponsor', () => {
  it.each([
    ['an unknown sponsor', 'below', 'nobodyhere', 'There is no sponsor with this link.'],
    ['an inactive sponsor', 'below', 'oldmill', 'The sponsor /oldmill is not active.'],
    ['the same sponsor', 'below', 'anna', 'This is the sponsor already.'],
    ['oneself', 'below', 'below', 'Members can’t be their own sponsor.'],
    ['one’s own downline', 'anna', 'lowest', 'This sponsor joined below this member, which would make a circle.'],
  ])('19.33 is refused: to %s', async (_what, username, sponsor, message) => {
    const reply = await move(username, sponsor)
    expect([reply.statusCode, reply.json().fields]).toEqual([422, { sponsor_site: [message] }])
  })

  it('19.33 two moves at the same time make no circle', async () => {
    await move('lowest', 'master')
    const replies = await Promise.all([move('lowest', 'other'), move('other', 'lowest')])
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422])
    await move('lowest', 'below')
    await move('other', 'bluepier')
  })

  it('19.32 needs a reason, and keeps both credits: the sealed record and the move', async () => {
    const member_id = await idOf('below')
    const unreasoned = await owner.post('members/sponsor', { member_id, sponsor_site: 'other' })
    expect(unreasoned.json().fields).toEqual({ reason: ['Please say why.'] })
    const consentBefore = await signedSponsor(member_id)
    const page = (await move('below', 'other')).json()
    expect(page.sponsor).toMatchObject({ site: 'other' })
    expect(page.credit).toMatchObject({
      joined: { site: 'anna' },
      moves: [{ from: { site: 'anna' }, to: { site: 'other' }, reason: 'signed up at her table', who: owner.name }],
    })
    expect(page.credit.problem).toBe(undefined)
    const entries = page.timeline.filter(({ kind }: { kind: string }) => ['staff', 'membership'].includes(kind))
    expect(entries.map(({ what, detail }: { what: string; detail: string }) => [what, detail])).toEqual([
      ['Moved the member to another sponsor', '/anna to /other'],
      ['Joined', expect.stringContaining('anna')],
    ])
    expect(await signedSponsor(member_id)).toEqual(consentBefore)
  })

  it('19.32 from then on the downline, the list and the office follow the move', async () => {
    expect(await downline('anna')).toEqual([])
    expect(await downline('other')).toEqual(['below'])
    expect([await listed('anna'), await listed('other')]).toEqual([[], ['below']])
  })

  it('19.32 `npm run db -- credit` reports a move as a move, and a change by hand as tampering', async () => {
    const credit = await creditRecord(site.db, 'below')
    expect(credit).toMatchObject({ isIntact: true })
    expect(credit?.text).toMatch(/Moved from \/anna to \/other on [\d-]+ [\d:]+ by owner \d+: signed up at her table/)
    const member_id = await idOf('below')
    const bluepier = await site.db
      .selectFrom('sponsor')
      .select('id')
      .where('site', '=', 'bluepier')
      .executeTakeFirstOrThrow()
    const change = (values: { sponsor_id?: string; joined_sponsor_id?: string }) =>
      site.db.updateTable('member').set(values).where('id', '=', member_id).execute()
    const { sponsor_id, joined_sponsor_id } = await site.db
      .selectFrom('member')
      .select(['sponsor_id', 'joined_sponsor_id'])
      .where('id', '=', member_id)
      .executeTakeFirstOrThrow()
    await change({ sponsor_id: bluepier.id })
    expect(await creditRecord(site.db, 'below')).toMatchObject({
      isIntact: false,
      text: expect.stringContaining('the sponsor was changed by other means'),
    })
    await change({ sponsor_id, joined_sponsor_id: bluepier.id })
    expect((await owner.get(`members/${member_id}`)).json().credit.problem).toContain('The record says /anna')
    await change({ joined_sponsor_id: joined_sponsor_id ?? '' })
    await site.db.updateTable('audit').set({ act: 'sign_in' }).where('subject', '=', member_id).execute()
    expect(await creditRecord(site.db, 'below')).toMatchObject({
      isIntact: false,
      text: expect.stringContaining('The audit log does not have all moves.'),
    })
  })

  async function signedSponsor(member_id: string) {
    const { payload } = JSON.parse(await consentBundle(site.world, member_id))
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).sponsor
  }
})
