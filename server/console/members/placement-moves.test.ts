import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
  const under = { top: 'master', left: 'top', right: 'top', low: 'left' }
  for (const [username, sponsor_site_name] of Object.entries(under))
    await memberInOffice(site, { username, sponsor_site_name })
})
afterAll(() => site.close())

const idOf = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const reason = 'agreed on the phone'
const place = async (username: string, side: string, parent_site = '') =>
  owner.post('members/placement', { member_id: await idOf(username), side, parent_site, reason })
const move = async (username: string, sponsor_site: string) =>
  owner.post('members/sponsor', { member_id: await idOf(username), sponsor_site, reason })

describe('placing a member', () => {
  it('31.1 a member is placed automatically under the sponsor until staff change it, with a reason', async () => {
    const member_id = await idOf('low')
    expect((await owner.get(`members/${member_id}`)).json().placement).toEqual({ side: 'automatic', moves: [] })
    const unreasoned = await owner.post('members/placement', { member_id, side: 'left', parent_site: '' })
    expect(unreasoned.json().fields).toEqual({ reason: ['Please say why.'] })
    site.advance(60)
    const page = (await place('low', 'left', '/right')).json()
    expect(page.placement).toMatchObject({
      side: 'left',
      parent: { site: 'right' },
      moves: [{ side: 'left', parent: { site: 'right' }, reason, who: owner.name }],
    })
    expect(page.sponsor.site).toBe('left')
    const event = await site.db
      .selectFrom('new_event')
      .selectAll()
      .where('type', '=', 'placement.changed')
      .executeTakeFirst()
    expect(event).toMatchObject({ member_id, payload: { placement: 'left', parent_id: await idOf('right') } })
    expect(page.timeline[0]).toMatchObject({ what: 'Changed the placement', detail: 'automatic to left', reason })
  })

  it.each([
    ['an unknown member', 'low', 'right', 'nobodyhere', 'parent_site', 'There is no member with this link.'],
    ['a sponsor who isn’t a member', 'low', 'right', 'bluepier', 'parent_site', 'There is no member with this link.'],
    ['oneself', 'low', 'right', 'low', 'parent_site', 'Members can’t be placed under themselves.'],
    [
      'a member below',
      'right',
      'left',
      'low',
      'parent_site',
      'That member is placed below this one, which would make a circle.',
    ],
    ['the placement of now', 'low', 'left', 'right', 'side', 'Nothing to change: this is already the placement.'],
  ])('31.2 is refused: under %s', async (_what, username, side, parent, field, message) => {
    const reply = await place(username, side, parent)
    expect([reply.statusCode, reply.json().fields]).toEqual([422, { [field]: [message] }])
  })

  it('31.2 a new sponsor is refused if it would close a circle of placements', async () => {
    const reply = await move('right', 'low')
    expect(reply.json().fields).toEqual({
      sponsor_site: ['This sponsor is placed below this member, which would make a circle.'],
    })
  })

  it('31.3 a move and a placement at the same time make no circle, and a still clock keeps their order', async () => {
    const replies = await Promise.all([move('right', 'left'), place('left', 'hold', 'right')])
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422])
    await place('low', 'right')
    await place('low', 'hold')
    const rows = await site.db
      .selectFrom('placement_move')
      .selectAll()
      .where('member_id', '=', await idOf('low'))
      .orderBy('moved_at')
      .execute()
    expect(rows.map(({ side }) => side)).toEqual(['left', 'right', 'hold'])
  })

  it('31.4 an erased member keeps the place, without the reason', async () => {
    const member_id = await idOf('low')
    await runJobs(site.world)
    await owner.post('members/erase', { member_id, username: 'low', reason: 'asked for it' })
    const page = (await owner.get(`members/${member_id}`)).json()
    expect(page.placement.moves.map(({ reason }: { reason?: string }) => reason)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(page.placement.side).toBe('hold')
  })
})
