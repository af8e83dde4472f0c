import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SponsorPage, SponsorRow } from '#contract/console/sponsors.ts'
import { recordProblem } from '#server/sponsors/credit.ts'
import { findTouches } from '#server/sponsors/touches.ts'
import { countScans, isPostgres } from '#server/test/database.ts'
import { testJpeg } from '#server/test/jpeg.ts'
import { joinedMember } from '#server/test/member.ts'
import type { Site } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { siteWithTwin, type Twin } from '#server/test/twin.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
let twin: Twin
let owner: TestStaff
let close: () => Promise<void>
beforeAll(async () => {
  ;({ site, twin, owner, close } = await siteWithTwin({ TIME_ZONE: 'America/New_York' }))
})
afterAll(() => close())

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

type List = { sponsors: SponsorRow[]; next?: string; is_capped: boolean }
const list = async (query: Record<string, string> = {}): Promise<List> =>
  (await owner.get(`sponsors?${new URLSearchParams(query)}`)).json()
const sitesOf = ({ sponsors }: List) => sponsors.map(({ site }) => site)
const idOf = async (word: string) =>
  (await site.db.selectFrom('sponsor').select('id').where('site', '=', word).executeTakeFirstOrThrow()).id
const page = async (word: string): Promise<SponsorPage> => (await owner.get(`sponsors/${await idOf(word)}`)).json()
/** What another process tells visitors. */
const shown = async (word: string) =>
  (await twin.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${word}`)).json()
const act = async (path: string, word: string, input: object = {}) =>
  owner.post(`sponsors/${path}`, { sponsor_id: await idOf(word), version: (await page(word)).version, ...input })

describe('the list of sponsors', () => {
  it('19.42 is searched by the beginning of a link, also an earlier one, and of a name', async () => {
    expect(sitesOf(await list({ search: 'BLUEP' }))).toEqual(['bluepier'])
    expect(sitesOf(await list({ search: '/harbor' }))).toEqual(['bluepier'])
    expect(sitesOf(await list({ search: 'main off' }))).toEqual(['master'])
    expect(sitesOf(await list({ search: '%' }))).toEqual([])
    expect(sitesOf(await list({ search: 'nobodyhere' }))).toEqual([])
  })

  it('19.42 has every sponsor once over all pages, members too, and none that only leads on', async () => {
    const { username } = await joinedMember(site)
    expect(sitesOf(await list())).toContain(username)
    expect(sitesOf(await list({ kind: 'own' }))).not.toContain(username)
    expect(sitesOf(await list({ search: username }))).toEqual([username])
    expect(sitesOf(await list({ search: username, kind: 'own' }))).toEqual([])
    expect(sitesOf(await list())).not.toContain('harbor')
    await addCopies(120)
    const seen: string[] = []
    let after: string | undefined
    do {
      const part = await list({ kind: 'own', ...(after ? { after } : {}) })
      seen.push(...sitesOf(part))
      after = part.next
    } while (after)
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from sponsor where renamed_to is null and member_id is null`.execute(site.db)
    expect([seen.length, new Set(seen).size]).toEqual([Number(rows[0]?.count), seen.length])
    expect((await list({ search: 'copy' })).is_capped).toBe(true)
    expect((await owner.get('sponsors?after=x')).statusCode).toBe(422)
  })

  it.runIf(isPostgres)('19.42 follows an index, however many sponsors there are', async () => {
    await addCopies(20_000)
    await sql`vacuum analyze`.execute(site.db)
    const scans = async () => (await countScans(site.db, ['sponsor'])).sponsor ?? 0
    const scansOf = async (work: () => Promise<unknown>) => {
      const before = await scans()
      await work()
      return (await scans()) - before
    }
    const queries: Record<string, string>[] = [
      {},
      { kind: 'own' },
      { sort: 'visits' },
      { sort: 'visits', kind: 'own' },
      { search: 'ana' },
      { search: 'main' },
    ]
    for (const query of queries) expect(await scansOf(() => list(query)), JSON.stringify(query)).toBe(0)
    const sponsor_id = await idOf('ana')
    expect(await scansOf(() => owner.get(`sponsors/${sponsor_id}`)), 'the page').toBe(0)
  })
})

describe('a sponsor', () => {
  it('19.44 is added under a word that nobody has, and shown by every process at once', async () => {
    const { username } = await joinedMember(site)
    const messageFor = async (word: string) =>
      (await owner.post('sponsors/add', { site: word, name: 'New Pier' })).json().fields?.site
    for (const taken of [username, 'ana', 'harbor', 'api', 'master'])
      expect(await messageFor(taken), taken).toEqual(['This word is taken.'])
    expect(await messageFor('new pier')).toEqual([
      'Please use 1 to 60 letters, digits, hyphens, underscores and dots, with no dot at either end.',
    ])
    expect(await messageFor('pier.html')).toEqual(['Please choose a word that doesn’t end like a file name.'])
    const reply = await owner.post('sponsors/add', { site: ' /NewPier ', name: 'New Pier' })
    expect(reply.json(), reply.body).toMatchObject({ site: 'newpier', is_active: true, visits: 0, joins: 0 })
    expect(await shown('newpier')).toEqual({ site: 'newpier', name: 'New Pier', active: 'Yes' })
    await expect(joinedMember(site, { username: 'newpier' })).rejects.toThrow('already taken')
    expect((await owner.post('sponsors/add', { site: 'New-Pier.2', name: 'Newer Pier' })).json().site).toBe(
      'new-pier.2',
    )
    expect(await messageFor('NEW-pier.2')).toEqual(['This word is taken.'])
    expect((await owner.get('sponsors?search=/new-pier.2')).json().sponsors).toMatchObject([{ site: 'new-pier.2' }])
  })

  it('19.45 is switched off with a reason, at once or after a day, and on again', async () => {
    expect((await act('deactivate', 'newpier')).json().fields.reason).toEqual(['Please say why.'])
    const reason = 'moved away'
    expect((await act('deactivate', 'newpier', { reason, last_day: '2026-11-14' })).statusCode).toBe(422)
    const later = await act('deactivate', 'newpier', { reason, last_day: '2026-11-16' })
    expect(later.json()).toMatchObject({ is_active: true, active_until: '2026-11-17T05:00:00.000Z' })
    expect((await shown('newpier')).active).toBe('Yes')
    site.advance(2 * 86_400)
    owner = await staffMember(site, 'owner')
    expect((await shown('newpier')).active).toBe('No')
    expect((await act('activate', 'newpier')).json()).toMatchObject({ is_active: true })
    expect((await act('activate', 'newpier')).statusCode).toBe(409)
    await act('deactivate', 'newpier', { reason })
    expect((await shown('newpier')).active).toBe('No')
    expect((await act('deactivate', 'newpier', { reason })).statusCode).toBe(409)
    await act('activate', 'newpier')
    expect((await shown('newpier')).active).toBe('Yes')
    expect((await act('deactivate', 'master', { reason })).json().message).toMatch(/always active/)
    const { rows } = (await owner.get('audit')).json()
    expect(rows[0]).toMatchObject({ act: 'activate_sponsor', subject_name: '/newpier' })
  })

  it('19.46 is renamed: the old link leads on, everyone who joined stays, and the credit is still right', async () => {
    const { username } = await joinedMember(site, { sponsor_site_name: 'newpier' })
    const reason = 'new brand'
    expect((await act('rename', 'newpier', { site: 'ana', reason })).json().fields.site).toEqual([
      'This word is taken.',
    ])
    const renamed = await act('rename', 'newpier', { site: 'oldpier', reason })
    expect(renamed.json(), renamed.body).toMatchObject({ site: 'oldpier', earlier_sites: ['newpier'], joins: 1 })
    expect((await shown('newpier')).site).toBe('oldpier')
    const reply = await twin.get('/newpier')
    expect([reply.statusCode, reply.headers.location]).toEqual([302, '/oldpier'])
    const other = await joinedMember(site, { sponsor_site_name: 'newpier' })
    const { members } = (await owner.get('members?sponsor=oldpier')).json()
    const usernames = members.map((member: { username: string }) => member.username)
    expect(usernames.sort()).toEqual([username, other.username].sort())
    const member = await site.db
      .selectFrom('member')
      .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
      .select(['enrollment_id', 'touches', 'touch_seal', 'sponsor.site as sponsor_site'])
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect(await recordProblem(site.db, member, await findTouches(site.db, member.enrollment_id))).toBe(undefined)
  })

  it('19.46 can have an earlier word back, and no other link is lost', async () => {
    const reason = 'better before'
    await act('rename', 'oldpier', { site: 'thirdpier', reason })
    const back = await act('rename', 'thirdpier', { site: 'newpier', reason })
    expect(back.json(), back.body).toMatchObject({ site: 'newpier', earlier_sites: ['oldpier', 'thirdpier'], joins: 2 })
    for (const word of ['newpier', 'oldpier', 'thirdpier']) expect((await shown(word)).site, word).toBe('newpier')
    expect((await act('rename', 'oldpier', { site: 'x', reason })).json().message).toMatch(/leads to \/newpier/)
  })

  it('19.46 who is a member renames the page with the username, in the office', async () => {
    const { username } = await joinedMember(site)
    expect((await act('rename', username, { site: 'another', reason: 'x' })).json().message).toMatch(/only the member/)
    expect((await page(username)).member_id).toBeTruthy()
    const dated = await act('deactivate', username, { reason: 'x', last_day: '2026-12-01' })
    expect(Object.keys(dated.json().fields)).toEqual(['last_day'])
    expect((await act('deactivate', username, { reason: 'abuse' })).json().is_active).toBe(false)
    expect((await act('activate', username)).json().is_active).toBe(true)
  })

  it('19.47 has a picture, which every process serves', async () => {
    const { username } = await joinedMember(site)
    for (const word of ['newpier', username]) {
      const { picture_url } = (await act('picture', word, { picture: testJpeg(320, 320) })).json()
      expect((await twin.get(picture_url)).statusCode).toBe(200)
      expect((await shown(word)).picture_url).toBe(picture_url)
      expect((await act('picture', word, { picture: testJpeg(320, 100) })).json().fields.picture).toBeTruthy()
      expect((await act('picture/remove', word)).json().picture_url).toBe(undefined)
      expect((await twin.get(picture_url)).statusCode).toBe(404)
      expect((await act('picture/remove', word)).statusCode).toBe(409)
    }
  })

  it('19.48 has its visits and joins of the last 30 days, through earlier links too', async () => {
    await site.db
      .insertInto('page_day')
      .values([
        { site: 'newpier', day: '2026-11-10', visits: 5 },
        { site: 'oldpier', day: '2026-11-10', visits: 2 },
        { site: 'newpier', day: '2026-09-01', visits: 100 },
      ])
      .execute()
    const { visits, joins, days } = await page('newpier')
    expect([visits, joins, days.length]).toEqual([7, 2, 30])
    expect(days.find(({ day }) => day === '2026-11-10')?.visits).toBe(7)
    const [row] = (await list({ search: 'newpier' })).sponsors
    expect([row?.visits, row?.joins]).toEqual([7, 2])
  })
})

/** Sponsors who are not members, written directly. */
describe('the list of sponsors by visits', () => {
  it('19.43 has the most visited first, and then the others, newest first', async () => {
    const visit = (word: string, visitor: number) =>
      site.get(`/api/replicated-sites/page-hits/${word}`, { 'user-agent': `${BROWSER} ${visitor}`, host: 'foyer.test' })
    const add = (word: string) => owner.post('sponsors/add', { site: word, name: word })
    const day = site.world.now().toISOString().slice(0, 10)
    await Promise.all(['quiet', 'busy', 'some'].map(add))
    const renamed = await act('rename', 'busy', { site: 'busier', reason: 'new brand' })
    expect(renamed.statusCode, renamed.body).toBe(200)
    for (const visitor of [1, 2, 3]) await visit('some', visitor)
    for (const visitor of [1, 2]) await visit('busier', visitor)
    await site.db
      .insertInto('page_hit')
      .values(['a', 'b'].map((visitor) => ({ site: 'busy', day, visitor }))) // while the link had its old name
      .execute()
    site.advance(86_400)
    for (let n = 0; n < 2; n++) await deleteExpired(site.world)
    owner = await staffMember(site, 'owner')
    const byVisits = async (query = {}) => sitesOf(await list({ sort: 'visits', kind: 'own', ...query }))
    const first = await byVisits()
    expect(first.slice(0, 2)).toEqual(['busier', 'some'])
    expect(new Set(first).size).toBe(first.length)
    const { next = '' } = await list({ sort: 'visits', kind: 'own' })
    expect([first.length, first.includes('quiet')]).toEqual([50, true])
    const second = await byVisits({ after: next })
    expect(second.length > 0 && second.every((word) => !first.includes(word))).toBe(true)
    const visitsOf = async (word: string) =>
      (await site.db.selectFrom('sponsor').select('recent_visits').where('site', '=', word).executeTakeFirstOrThrow())
        .recent_visits
    expect([await visitsOf('busier'), await visitsOf('some'), await visitsOf('quiet')]).toEqual([4, 3, 0])
    site.advance(30 * 86_400)
    for (let n = 0; n < 2; n++) await deleteExpired(site.world)
    expect([await visitsOf('busier'), await visitsOf('some')]).toEqual([0, 0])
    owner = await staffMember(site, 'owner')
  })

  it('19.43 goes on with the visited ones only, when they are more than a page', async () => {
    await sql`
      update sponsor set recent_visits = 7 where site in (
        select site from sponsor where site like 'copy%' order by site limit 120)`.execute(site.db)
    const seen: string[] = []
    let after: string | undefined
    do {
      const part = await list({ sort: 'visits', ...(after ? { after } : {}) })
      seen.push(...sitesOf(part))
      after = part.next
    } while (after)
    await sql`update sponsor set recent_visits = 0 where recent_visits > 0`.execute(site.db)
    expect([seen.length, new Set(seen).size]).toEqual([120, 120])
  })
})

const addCopies = (count: number) =>
  sql`
    insert into sponsor (id, site, name, active, created_at)
    select gen_random_uuid(), 'copy' || gen_random_uuid(), 'Copy', true, cast('2026-01-02' as timestamptz)
    from generate_series(1, ${sql.lit(count)})`.execute(site.db)
