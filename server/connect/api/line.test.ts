import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OtherSystem, otherSystem } from '#server/test/api.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { cookieOf, joinedMember } from '#server/test/member.ts'
import { DAY } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { todayOf } from '#server/world/time-zone.ts'

let site: Site
let api: OtherSystem
let owner: TestStaff
const ids: Record<string, string> = {}
const days: Record<string, string> = {}

/** The tree of each day is written down as it was then: who is below whom. */
const trees = new Map<string, Record<string, string[]>>()

async function join(username: string, sponsor_site_name: string) {
  const member = await joinedMember(site, { username, email: `${username}@example.com`, sponsor_site_name })
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  ids[username] = id
  site.advance(1)
  return member
}

/** Ends a day and writes down what the tables say now, by walking up from each member. */
async function endDay(name: string) {
  const members = await site.db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['member.id', 'sponsor.member_id as above'])
    .execute()
  const above = new Map(members.map(({ id, above }) => [id, above]))
  const tree: Record<string, string[]> = Object.fromEntries(members.map(({ id }) => [id, []]))
  for (const { id } of members) for (let one = above.get(id); one; one = above.get(one)) tree[one]?.push(id)
  days[name] = todayOf(site.world)
  trees.set(todayOf(site.world), tree)
  site.advance(DAY)
}

const move = async (username: string, sponsor_site: string) => {
  const reply = await owner.post('members/sponsor', { member_id: ids[username], sponsor_site, reason: 'asked for it' })
  expect(reply.statusCode, reply.body).toBe(200)
}

async function rename({ username: name, password }: { username: string; password: string }, username: string) {
  const cookie = cookieOf(await site.post('office/sign-in', { name, password }))
  const reply = await site.post('office/username', { username, current_password: password }, { cookie })
  expect(reply.statusCode, reply.body).toBe(200)
}

beforeAll(async () => {
  site = await testSite({ ...generousLimits, TIME_ZONE: 'America/New_York' })
  api = await otherSystem(site)
  owner = await staffMember(site, 'owner')
  const top = await join('top', 'master')
  await join('left', 'top')
  await join('right', 'top')
  await endDay('first')
  await join('leaf', 'left')
  await rename(top, 'summit')
  ids.summit = ids.top ?? ''
  await join('late', 'summit')
  await endDay('renamed')
  owner = await staffMember(site, 'owner')
  await move('left', 'right')
  await endDay('moved')
  owner = await staffMember(site, 'owner')
  await move('left', 'summit')
  await move('leaf', 'late')
  await endDay('back')
})
afterAll(() => site.close())

type Entry = { member_id: string; username: string; depth: number; sponsor_member_id?: string }
const lineOf = async (username: string, query: string): Promise<Entry[]> => {
  const reply = await api.get(`/members/${ids[username]}/line?${query}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json().line
}
const namesOf = (line: Entry[]) => line.map(({ username, depth }) => `${depth} ${username}`)

describe('the line', () => {
  it('32.6 below a member has everyone under each link that they have had, each before those below them', async () => {
    expect(namesOf(await lineOf('top', 'direction=down'))).toEqual(['1 left', '1 right', '1 late', '2 leaf'])
    expect(namesOf(await lineOf('top', 'direction=down&depth=1'))).toEqual(['1 left', '1 right', '1 late'])
  })

  it('32.6 above a member ends with a link of the operator', async () => {
    const reply = (await api.get(`/members/${ids.leaf}/line?direction=up`)).json()
    expect([namesOf(reply.line), reply.top]).toEqual([['1 late', '2 summit'], { site: 'master' }])
    const near = (await api.get(`/members/${ids.leaf}/line?direction=up&depth=1`)).json()
    expect([namesOf(near.line), near.top]).toEqual([['1 late'], undefined])
    const down = '/line?direction=down&limit=1'
    const { next } = (await api.get(`/members/${ids.top}${down}`)).json()
    for (const other of [`${ids.left}${down}`, `${ids.top}${down}&on=${days.first}`, `${ids.top}${down}&depth=1`])
      expect((await api.get(`/members/${other}&after=${next}`)).json().fields, other).toHaveProperty('after')
    const [first] = reply.line
    expect(first.sponsor_member_id).toBe(ids.top)
  })

  it('32.6 is as of the day, without later moves and usernames', async () => {
    const on = (name: string) => `on=${days[name]}`
    expect(namesOf(await lineOf('top', `direction=down&${on('first')}`))).toEqual(['1 left', '1 right'])
    expect(namesOf(await lineOf('top', `direction=down&${on('renamed')}`))).toEqual([
      ...['1 left', '2 leaf', '1 right', '1 late'],
    ])
    expect(namesOf(await lineOf('top', `direction=down&${on('moved')}`))).toEqual([
      ...['1 right', '2 left', '3 leaf', '1 late'],
    ])
    expect(namesOf(await lineOf('left', `direction=up&${on('first')}`))).toEqual(['1 top'])
    expect(namesOf(await lineOf('left', `direction=up&${on('moved')}`))).toEqual(['1 right', '2 summit'])
    for (const [day, tree] of trees)
      for (const [id, below] of Object.entries(tree)) {
        const reply = await api.get(`/members/${id}/line?direction=down&on=${day}&limit=200`)
        const found = reply.json().line.map(({ member_id }: Entry) => member_id)
        expect([day, found.sort()]).toEqual([day, below.sort()])
      }
  })

  it('32.6 comes in consistent pages, even if members move meanwhile', async () => {
    const whole = namesOf(await lineOf('top', 'direction=down'))
    const found: Entry[] = []
    const path = `/members/${ids.top}/line?direction=down&limit=1`
    owner = await staffMember(site, 'owner')
    for (let after = ''; ; ) {
      const { line, next } = (await api.get(`${path}${after}`)).json()
      found.push(...line)
      site.advance(1)
      if (found.length === 1) await move('late', 'left')
      if (!next) break
      after = `&after=${next}`
    }
    expect(namesOf(found)).toEqual(whole)
    await move('late', 'summit')
  })

  it('32.6 refuses a future day, a day before the member joined, and too much depth', async () => {
    const sentence = async (query: string) => (await api.get(`/members/${ids.leaf}/line?${query}`)).json().message
    expect(await sentence('direction=up&on=2099-01-01')).toBe('This day is in the future.')
    expect(await sentence(`direction=up&on=${days.first}`)).toBe('This member joined after that day.')
    expect(await sentence('direction=up&depth=101')).toBe('depth must be a whole number from 1 to 100.')
    expect(await sentence('depth=1')).toBe('direction must be one of up, down.')
    expect((await api.get('/members/00000000-0000-4000-8000-000000000000/line?direction=up')).statusCode).toBe(404)
  })

  it('32.6 has the username of the day, even if a member took back earlier ones', async () => {
    const member = await join('here', 'master')
    await join('below', 'here')
    const usernames = ['here', 'there', 'here', 'there', 'elsewhere', 'here']
    const days: string[] = []
    for (const [index, username] of usernames.entries()) {
      if (index) await rename(member, username)
      days.push(todayOf(site.world))
      site.advance(31 * DAY)
    }
    const found = await Promise.all(days.map((day) => lineOf('below', `direction=up&on=${day}`)))
    expect(found.map(([above]) => above?.username)).toEqual(usernames)
  })
})
