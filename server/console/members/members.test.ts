import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TimelineEntry } from '#contract/console/member-page.ts'
import type { MemberList } from '#contract/console/members.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { countScans, isPostgres } from '#server/test/database.ts'
import { emailsTo, memberInOffice } from '#server/test/member.ts'
import { addMemberCopies } from '#server/test/member-copies.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let owner: TestStaff
const people = {
  mara: {
    first_name: 'Mara',
    last_name: 'Lindqvist',
    username: 'maralind',
    mobile_phone: '+12025550143',
    business_name: 'Lindqvist & Sons',
  },
  joy: {
    first_name: 'Joy',
    last_name: 'Okafor',
    username: 'joyok',
    sponsor_site_name: 'bluepier',
    city: 'Port Townsend',
    post_code: '98368',
  },
  tom: {
    first_name: 'Tomás',
    last_name: 'Ibarra',
    username: 'tomas',
    cc_number: '5555 5555 5555 4444',
    email: 'tomas.quill@rare.example',
  },
  percent: { first_name: '100%', last_name: '_Under', username: 'percent' },
}
beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'America/New_York' })
  owner = await staffMember(site, 'owner')
  for (const person of Object.values(people)) {
    await memberInOffice(site, { email: `${person.username}@mail.example`, ...person })
    site.advance(1200)
  }
  while (await runJobs(site.world));
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

type Row = { id: string; username: string; state: string }
type List = Pick<MemberList, 'attempts' | 'total'> & { members: Row[]; next?: string; is_capped: boolean }
const list = async (filter: Record<string, string>): Promise<List> =>
  (await owner.get(`members?${new URLSearchParams(filter)}`)).json()
const names = async (filter: Record<string, string>) => (await list(filter)).members.map(({ username }) => username)
const idOf = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const paymentOf = async (username: string) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['reference', 'payment.state', 'refunded_cents'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow()

describe('the list of members', () => {
  it.each([
    ['the last name', 'lindq', ['maralind']],
    ['the first name, in any case', 'TOMÁS', ['tomas']],
    ['both names', 'mara lind', ['maralind']],
    ['both names the other way round', 'okafor joy', ['joyok']],
    ['the username', 'joyo', ['joyok']],
    ['the email address', 'maralind@mail', ['maralind']],
    ['the phone as it is written', '(202) 555-0143', ['maralind']],
    ['the phone with its country', '+1 202 555 0143', ['maralind']],
    ['the last four digits of the card', '4444', ['tomas']],
    ['the company', 'lindqvist & s', ['maralind']],
    ['the city', 'port tow', ['joyok']],
    ['the ZIP code', '98368', ['joyok']],
    ['the domain of the email address', 'rare.example', ['tomas']],
    ['the second word of the email address', 'quil', ['tomas']],
    ['the link as the console prints it', '/joyok', ['joyok']],
    ['a full link', 'https://foyer.example/joyok?utm_source=x', ['joyok']],
    ['signs that mean something in SQL', '_u', ['percent']],
    ['a sign that would match all', '%', []],
    ['a link without a name', '/', []],
    ['nobody', 'nobody', []],
  ])('19.20 is searched by %s', async (_what, search, expected) => {
    expect(await names({ search })).toEqual(expected)
  })

  it('19.20 is searched by a username of digits', async () => {
    const rename = (from: string, username: string) =>
      site.db.updateTable('member').set({ username }).where('username', '=', from).execute()
    await rename('percent', '20061')
    expect([await names({ search: '/20061' }), await names({ search: '20061' })]).toEqual([['20061'], ['20061']])
    await rename('20061', 'percent')
  })

  it('19.20 is searched by the reference of a payment', async () => {
    const { reference } = await paymentOf('joyok')
    expect(await names({ search: reference })).toEqual(['joyok'])
  })

  it('19.20 finds people who never became members, as far as we know them', async () => {
    const form = await filledForm(site, { first_name: 'Wanda', email: 'wanda@mail.example', cc_number: cards.review })
    await site.post('enrollment/add-enrollment', form)
    const declined = await filledForm(site, { first_name: 'Dora', cc_number: cards.declined })
    await site.post('enrollment/add-enrollment', declined)
    const attempts = async (search: string) => (await list({ search })).attempts
    expect(await attempts('wand')).toMatchObject([{ state: 'review', person: { email: 'wanda@mail.example' } }])
    expect(await attempts('dora')).toEqual([])
    expect(await attempts('/'), 'a link without a name').toEqual([])
    const filters = { state: 'past_due', sponsor: 'bluepier', package: '35', joined_to: '2020-01-01' }
    for (const [name, value] of Object.entries(filters))
      expect((await list({ search: 'wand', [name]: value })).attempts, `with the filter ${name}`).toEqual([])
    expect((await list({ search: 'wand', sort: 'name' })).attempts).toHaveLength(1)
    const { reference } = await site.db
      .selectFrom('payment')
      .select('reference')
      .where('state', '=', 'declined')
      .executeTakeFirstOrThrow()
    const found = await attempts(reference)
    expect(found).toMatchObject([{ state: 'declined', amount: '99.00', decline: 'bank gave no reason' }])
    expect(JSON.stringify(found)).not.toContain('Dora')
  })

  it('19.21 says how many members match, and what each pays next', async () => {
    expect(await list({})).toMatchObject({ total: { count: 4, is_more: false } })
    expect(await list({ state: 'past_due' })).toMatchObject({ total: { count: 0, is_more: false } })
    expect(await list({ sponsor: 'https://foyer.example/bluepier' })).toMatchObject({
      total: { count: 1, is_more: false },
      members: [{ username: 'joyok', price: '99.00', interval: 'month', next_charge_on: '2026-12-15' }],
    })
  })

  it('19.21 is filtered by state, sponsor, package and day, and ordered', async () => {
    expect(await names({})).toEqual(['percent', 'tomas', 'joyok', 'maralind'])
    expect(await names({ sort: 'oldest' })).toEqual(['maralind', 'joyok', 'tomas', 'percent'])
    expect(await names({ sort: 'name' })).toEqual(['percent', 'tomas', 'maralind', 'joyok'])
    expect(await names({ sponsor: 'bluepier' })).toEqual(['joyok'])
    expect(await names({ sponsor: 'nobody' })).toEqual([])
    expect(await names({ package: '34' })).toHaveLength(4)
    expect(await names({ package: '35' })).toEqual([])
    expect(await names({ joined_from: '2026-11-15', joined_to: '2026-11-15', state: 'active' })).toHaveLength(4)
    expect(await names({ joined_from: '2026-11-16' })).toEqual([])
    expect(await names({ search: 'joy', sponsor: 'bluepier', state: 'active', sort: 'name' })).toEqual(['joyok'])
    expect(await names({ state: 'ended' })).toEqual([])
  })

  it('19.21 refuses a page that cannot exist', async () => {
    for (const after of ['x', 'W10', Buffer.from('["x","y"]').toString('base64url')])
      expect((await owner.get(`members?after=${after}`)).statusCode).toBe(422)
  })

  it.each(['newest', 'oldest', 'name'])('19.21 has every member once over all pages, by %s', async (sort) => {
    await addCopies(260)
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await list({ sort, ...(after ? { after } : {}) })
      seen.push(...page.members.map(({ username }) => username))
      after = page.next
    } while (after)
    expect(new Set(seen).size).toBe(264)
    expect(seen).toHaveLength(264)
    const { next, members } = await list({ search: 'copy', sort })
    expect([members.length, Boolean(next)]).toEqual([50, true])
    const second = await list({ search: 'copy', sort, after: next ?? '' })
    expect(second.members.some(({ id }) => members.some((member) => member.id === id))).toBe(false)
    await removeCopies()
  })

  it('19.21 finds a rare state among many members', async () => {
    await addCopies(1200)
    const id = await idOf('maralind')
    await site.db.updateTable('membership').set({ state: 'past_due' }).where('member_id', '=', id).execute()
    expect(await names({ state: 'past_due' })).toEqual(['maralind'])
    expect(await names({ state: 'past_due', sort: 'name' })).toEqual(['maralind'])
    await site.db.updateTable('membership').set({ state: 'active' }).where('member_id', '=', id).execute()
    await removeCopies()
  })
})

const addCopies = (count: number, last_name = 'Copy') =>
  addMemberCopies(site.db, { username: 'joyok', last_name, count })

async function removeCopies() {
  await sql`delete from membership using member where member.id = member_id and last_name = 'Copy'`.execute(site.db)
  await sql`delete from member where last_name = 'Copy'`.execute(site.db)
  await sql`delete from enrollment where created_at = cast('2026-01-01' as timestamptz)`.execute(site.db)
}

describe('a member’s page', () => {
  it('19.23 shows details, membership, money, accepted texts and one timeline', async () => {
    const page = (await owner.get(`members/${await idOf('maralind')}`)).json()
    expect(page).toMatchObject({
      first_name: 'Mara',
      email: 'maralind@mail.example',
      sponsor: { site: 'ana' },
      sessions: 1,
      membership: { state: 'active', price: '99.00', next_charge_on: '2026-12-15', card: { last_four: '4242' } },
      payments: [{ amount: '99.00', state: 'captured', refundable: '99.00', may_void: true }],
    })
    expect(page.accepted.length).toBeGreaterThan(1)
    const texts = await Promise.all(
      page.accepted.map(async ({ sha256 }: { sha256: string }) =>
        (await owner.get(`members/${page.id}/texts/${sha256}`)).json(),
      ),
    )
    expect(texts.map(({ is_html }) => is_html).sort()).toEqual([false, ...page.accepted.slice(1).map(() => true)])
    for (const [index, { content }] of texts.entries())
      expect(createHash('sha256').update(content).digest('hex')).toBe(page.accepted[index].sha256)
    expect((await owner.get(`members/${await idOf('tomas')}/texts/${'0'.repeat(64)}`)).statusCode).toBe(404)
    const whats = page.timeline.map(({ what }: { what: string }) => what)
    for (const what of [
      'Joined',
      'Payment collected',
      'Welcome email sent',
      'Signed in to the office',
      'Ordered through the link',
    ])
      expect(whats).toContain(what)
    expect(JSON.stringify(page)).not.toMatch(/password|4242424242424242|vault/)
  })

  it('19.23 keeps the history of the membership however much happened since', async () => {
    const member_id = await idOf('tomas')
    const history = async () => {
      const { timeline }: { timeline: TimelineEntry[] } = (await owner.get(`members/${member_id}`)).json()
      return timeline.filter(({ kind }) => kind === 'membership').map(({ what }) => what)
    }
    await cancel(site.world, member_id)
    site.advance(60)
    await resume(site.world, member_id)
    const before = await history()
    expect(before).toEqual(['Undid the cancellation', 'Canceled the membership', 'Joined'])
    await sql`insert into member_event (member_id, at, kind, what)
      select ${member_id}, ${site.world.now()}::timestamptz + n * interval '1 second', 'sign_in', '' from generate_series(1, 200) n`.execute(
      site.db,
    )
    expect(await history()).toEqual(before)
    await site.db.deleteFrom('member_event').where('member_id', '=', member_id).where('what', '=', '').execute()
  })

  it('19.23 is not found for an id that no member has', async () => {
    expect((await owner.get(`members/${crypto.randomUUID()}`)).statusCode).toBe(404)
  })
})

describe('actions', () => {
  it('19.24 a refund needs a reason, goes through the journal once, and never exceeds what was paid', async () => {
    const member_id = await idOf('joyok')
    const { reference } = await paymentOf('joyok')
    const refund = (more: object) => owner.post('payments/refund', { member_id, reference, ...more })
    expect((await refund({ amount: '99.00' })).json().fields).toEqual({ reason: ['Please say why.'] })
    expect((await refund({ amount: '99.01', reason: 'too much' })).statusCode).toBe(409)
    expect((await refund({ amount: '0.00', reason: 'nothing' })).statusCode).toBe(422)
    const elsewhere = await owner.post('payments/refund', {
      member_id: await idOf('tomas'),
      reference,
      amount: '1.00',
      reason: 'of another member',
    })
    expect(elsewhere.statusCode).toBe(404)
    const both = await Promise.all([1, 2].map((n) => refund({ amount: '99', reason: `try ${n}` })))
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    expect(await paymentOf('joyok')).toMatchObject({ state: 'refunded', refunded_cents: 9900 })
    expect(await emailsTo(site, 'joyok@mail.example', 'Your charge of $99.00 was canceled')).toHaveLength(1)
    const rows = await site.db.selectFrom('audit').select('details').where('act', '=', 'refund_payment').execute()
    expect(rows.map(({ details }) => JSON.parse(details ?? ''))).toMatchObject([
      { after: { payment: reference, amount: '99.00' }, reason: expect.stringMatching(/^try \d$/) },
    ])
  })

  it('19.25 cancel, take back, hold and release change the membership once each, with before and after', async () => {
    const member_id = await idOf('tomas')
    const act = async (path: string) => {
      const reply = await owner.post(`members/${path}`, { member_id, reason: 'asked by phone' })
      return [reply.statusCode, reply.json().membership?.state]
    }
    expect(await act('cancel')).toEqual([200, 'canceled'])
    expect((await act('cancel'))[0]).toBe(409)
    expect(await names({ state: 'canceled' })).toEqual(['tomas'])
    expect(await act('resume')).toEqual([200, 'active'])
    expect(await act('hold')).toEqual([200, 'on_hold'])
    expect(await names({ state: 'on_hold' })).toEqual(['tomas'])
    expect((await act('hold'))[0]).toBe(409)
    expect(await act('release')).toEqual([200, 'active'])
    const rows = await site.db
      .selectFrom('audit')
      .select(['act', 'details'])
      .where('subject', '=', member_id)
      .orderBy('position')
      .execute()
    expect(
      rows.map(({ act, details }) => [
        act,
        JSON.parse(details ?? '').before.state,
        JSON.parse(details ?? '').after.state,
      ]),
    ).toEqual([
      ['cancel_membership', 'active', 'canceled'],
      ['resume_membership', 'canceled', 'active'],
      ['hold_membership', 'active', 'on_hold'],
      ['release_membership', 'on_hold', 'active'],
    ])
  })

  it('19.23 the timeline keeps what was undone later, in its order, and shows a void once', async () => {
    const { username } = await memberInOffice(site, { username: 'undone' })
    while (await runJobs(site.world));
    site.advance(60)
    const member_id = await idOf(username)
    const { reference } = await paymentOf(username)
    const steps: (() => Promise<unknown>)[] = [
      () => cancel(site.world, member_id),
      () => resume(site.world, member_id),
      () => owner.post('members/hold', { member_id, reason: 'asked by phone' }),
      () => owner.post('members/release', { member_id, reason: 'asked by phone' }),
      () => owner.post('payments/void', { member_id, reference, reason: 'joined twice' }),
    ]
    for (const step of steps) {
      await step()
      site.advance(60)
    }
    const { timeline } = (await owner.get(`members/${member_id}`)).json()
    const shown = (timeline as TimelineEntry[]).filter(({ kind }) => ['money', 'membership', 'staff'].includes(kind))
    const isRelated = ({ what }: TimelineEntry) => what !== 'Joined'
    expect(
      shown
        .filter(isRelated)
        .map(({ what }) => what)
        .reverse(),
    ).toEqual([
      'Payment authorized',
      'Canceled the membership',
      'Undid the cancellation',
      'Put the membership on hold',
      'Released the hold',
      'Payment voided before it was collected',
    ])
    expect(shown[0]).toMatchObject({ reason: 'joined twice', who: expect.stringContaining(', owner') })
  })

  it('19.23 the timeline shows the later of two things that happened at the same instant above the earlier', async () => {
    const { username } = await memberInOffice(site, { username: 'instant' })
    const member_id = await idOf(username)
    const { reference } = await paymentOf(username)
    while (await runJobs(site.world));
    await owner.post('members/hold', { member_id, reason: 'asked by phone' })
    await owner.post('members/release', { member_id, reason: 'asked by phone' })
    await owner.post('payments/refund', { member_id, reference, amount: '9.00', reason: 'asked by phone' })
    const { timeline }: { timeline: TimelineEntry[] } = (await owner.get(`members/${member_id}`)).json()
    expect(new Set(timeline.map(({ at }) => at)).size).toBe(1)
    const shown = timeline.filter(({ kind }) => kind !== 'email' && kind !== 'sign_in')
    expect(shown.map(({ what }) => what)).toEqual([
      'Refunded a payment',
      'Released the hold',
      'Put the membership on hold',
      'Payment collected',
      'Joined',
      'Ordered through the link',
    ])
  })

  it('19.26 ends sessions, sends a password link and the welcome email, and writes each down', async () => {
    const member = await memberInOffice(site, { username: 'helped' })
    const member_id = await idOf('helped')
    const isIn = async () => (await site.get('/api/office/view', { cookie: member.cookie })).statusCode
    expect(await isIn()).toBe(200)
    expect((await owner.post('members/end-sessions', { member_id })).json().sessions).toBe(0)
    expect(await isIn()).toBe(401)
    await owner.post('members/reset-link', { member_id })
    await owner.post('members/email', { member_id, email_id: 'welcome' })
    const subjects = (await emailsTo(site, member.email)).map(({ subject }) => subject)
    expect(subjects.filter((subject) => /password/i.test(subject))).toHaveLength(1)
    expect(subjects.filter((subject) => /welcome/i.test(subject))).toHaveLength(2)
    const { timeline } = (await owner.get(`members/${member_id}`)).json()
    const actions = timeline.filter(({ kind }: { kind: string }) => kind === 'staff')
    expect(actions.map(({ what }: { what: string }) => what).sort()).toEqual([
      'Sent a link to set a new password',
      'Sent an email again',
      'Signed the member out everywhere',
    ])
    expect((await verifyAudit(site.world)).problem).toBe(undefined)
  })
})

describe('settings', () => {
  it('19.15 are shown, and secrets are not', async () => {
    const secrets = {
      SECRET: 'a secret of this test site',
      CAPTCHA: 'turnstile',
      CAPTCHA_SITE_KEY: 'site-key-xyz',
      CAPTCHA_SECRET: 'captcha-secret-xyz',
      MAIL: 'smtp://user:mailpass@localhost',
      MAIL_FROM: 'a@b.example',
    }
    const other = await testSite(secrets)
    const reply = await (await staffMember(other, 'owner')).get('settings')
    expect(reply.statusCode).toBe(200)
    for (const text of [secrets.SECRET, 'site-key-xyz', 'captcha-secret-xyz', 'mailpass'])
      expect(reply.body).not.toContain(text)
    const all = reply.json().groups.flatMap(({ settings }: { settings: object[] }) => settings)
    expect(all).toContainEqual({ name: 'SECRET', value: 'set', is_secret: true })
    expect(all).toContainEqual({ name: 'LIMIT_SIGN_INS', value: '20/900', is_secret: false })
    expect(reply.body).not.toMatch(/postgres(ql)?:\/\//)
    await other.close()
  })
})

/** The last test: removing so many members takes much longer than adding them. */
describe('no list or search reads a growing table whole', () => {
  it.runIf(isPostgres)('19.22 with many members, every statement follows an index', async () => {
    // With fewer, reading a whole table is cheaper. In parts, because a statement may take only so long.
    for (let part = 1; part <= 4; part++) await addCopies(10_000, `Copy${part}`)
    await sql`vacuum analyze`.execute(site.db)
    const tomas = await site.db
      .selectFrom('member')
      .select(['city', 'post_code'])
      .where('username', '=', 'tomas')
      .executeTakeFirstOrThrow()
    const scans = () => countScans(site.db, ['member', 'membership', 'enrollment'])
    const before = await scans()
    for (const filter of [
      ...[{}, { sort: 'oldest' }, { sort: 'name' }, { state: 'past_due' }, { state: 'ended' }, { state: 'on_hold' }],
      ...[
        { state: 'canceled' },
        { sponsor: 'bluepier' },
        { resumed_on: '2026-11-15' },
        { search: 'mara' },
        { search: '4444' },
        { search: '2025550143' },
      ],
      ...[
        { state: 'active' },
        { search: 'lindqvist &' },
        { search: '@rare' },
        { search: 'quil' },
        { search: '/joyok' },
      ],
      ...[{ search: tomas.city }, { search: tomas.post_code }, { search: 'joyok', sponsor: '/bluepier' }],
      ...[{ search: 'mara lind' }, { search: 'x@y.zz' }, { search: (await paymentOf('joyok')).reference }],
    ])
      await list(filter as Record<string, string>)
    await owner.get(`members/${await idOf('maralind')}`)
    expect(await scans()).toEqual(before)
  })
})
