import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClockPage } from '#contract/pages.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { testPagesCookie } from '#server/test/generous-settings.ts'
import { emailsTo, joinedMember, memberInOffice } from '#server/test/member.ts'
import { plainShell, type Site, testSite } from '#server/test/site.ts'
import { lifetimes } from '#server/worker/advance-clock.ts'
import { startWorker } from '#server/worker/worker.ts'
import { mayAdvanceClock, openTestClock } from '#server/world/test-clock.ts'
import type { World } from '#server/world/world.ts'
import { createApp } from './app.ts'

/** Without DATABASE_URL the site takes its database for the embedded one, also when these tests run on PostgreSQL. */
const embedded = { DATABASE_URL: '' }
let site: Site
beforeAll(async () => {
  site = await testSite(embedded)
})
afterAll(() => site.close())

const turn = async (payload: object, at = site) => {
  const reply = await at.ask({ method: 'POST', url: '/__clock', payload })
  return { status: reply.statusCode, ...reply.json() }
}

const press = (move: string, headers: Record<string, string> = {}) =>
  site.ask({
    method: 'POST',
    url: '/__clock/turn',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: `move=${move}`,
  })

const receiptsTo = async (email: string) =>
  (await emailsTo(site, email)).filter(({ subject }) => subject.startsWith('Your receipt'))

/** What the page shows. */
async function showPage(world: World): Promise<ClockPage> {
  let shown: ClockPage | undefined
  const clock = (page: ClockPage) => {
    shown = page
    return '<h1>Clock</h1>'
  }
  const app = await createApp({ world, shell: { ...plainShell, pages: { ...plainShell.pages, clock } } })
  await app.inject({ url: '/__clock', headers: { cookie: testPagesCookie } })
  await app.close()
  if (!shown) throw new Error('The page was not rendered.')
  return shown
}

const endAllMemberships = () => site.db.updateTable('membership').set({ due_at: null }).execute()

it('17.25 a turn by a month charges a member once, sends the receipt and answers when that is done', async () => {
  await endAllMemberships()
  const { username, email } = await joinedMember(site)
  const before = site.world.now()
  const answer = await turn({ days: 31 })
  expect(answer).toMatchObject({ status: 200, captured: 1, declined: 0, emails: 1 })
  expect(new Date(answer.now).getTime() - before.getTime()).toBe(31 * 86_400_000)
  expect(await receiptsTo(email)).toHaveLength(1)
  const payments: { kind: string; state: string; amount: string; created_at: string }[] = (
    await site.get('/__payments.json')
  ).json()
  expect(payments.slice(0, 2)).toMatchObject([
    { kind: 'renewal', state: 'captured', amount: '99.00' },
    { kind: 'first', state: 'captured', amount: '99.00', created_at: before.toISOString() },
  ])
  const { events, memberships } = await showPage(site.world)
  expect(events.find((event) => event.username === username)).toMatchObject({
    kind: 'charged',
    amount: '99.00',
    card: 'Visa 4242',
    emails: [expect.any(String)],
    is_new: true,
    day: payments[0]?.created_at.slice(0, 10),
  })
  expect(memberships.find((membership) => membership.username === username)).toMatchObject({ state: 'active' })
})

it('17.25 a turn by four months charges every month once, on its own day', async () => {
  await endAllMemberships()
  const { username, email } = await joinedMember(site)
  expect(await turn({ days: 124 })).toMatchObject({ captured: 4, declined: 0 })
  const periods = await site.db
    .selectFrom('period')
    .innerJoin('member', 'member.id', 'period.member_id')
    .innerJoin('payment', (join) =>
      join.onRef('payment.enrollment_id', '=', 'member.enrollment_id').onRef('payment.period', '=', 'n'),
    )
    .select(['n', 'starts_on', 'period.state', 'payment.created_at'])
    .where('username', '=', username)
    .orderBy('n')
    .execute()
  expect(periods.map(({ n, state }) => `${n} ${state}`)).toEqual(Array.from({ length: 5 }, (_, n) => `${n} paid`))
  for (const { starts_on, created_at } of periods) expect(created_at.toISOString().slice(0, 10)).toBe(starts_on)
  expect(await receiptsTo(email)).toHaveLength(4)
})

it('17.25 a card that is declined is tried again on its days, and the membership ends', async () => {
  await endAllMemberships()
  const { username } = await joinedMember(site, { cc_number: cards.renewalNoFunds })
  expect(await turn({ days: 50 })).toMatchObject({ captured: 0, declined: 4, emails: 4 })
  const { events, memberships } = await showPage(site.world)
  const own = events.filter((event) => event.username === username).map(({ kind }) => kind)
  const sent = events.filter(({ is_new }) => is_new).flatMap(({ emails }) => emails)
  expect([sent.length, new Set(sent).size]).toEqual([4, 4])
  expect(own).toEqual(expect.arrayContaining(['ended', 'declined', 'joined']))
  expect(memberships.find((membership) => membership.username === username)).toMatchObject({ state: 'ended' })
})

it('17.25 the worker rests while the clock advances, so nothing is charged twice', async () => {
  await endAllMemberships()
  await joinedMember(site)
  const worker = startWorker(site.world)
  const [first, second] = await Promise.all([turn({ days: 31 }), turn({ days: 31 }), sleep(50)])
  await worker.stop()
  expect(first.captured + second.captured).toBe(2 - (second.now === first.now ? 1 : 0))
})

describe('17.26 the page', () => {
  it('goes to the next renewal, and comes back to itself', async () => {
    await endAllMemberships()
    const { email } = await joinedMember(site)
    const reply = await press('renewal', { 'sec-fetch-site': 'same-origin' })
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/__clock'])
    expect(await receiptsTo(email)).toHaveLength(1)
  })

  it.each([
    ['day', 1],
    ['week', 7],
  ])('goes a %s forward', async (move, days) => {
    const before = site.world.now().getTime()
    await press(move)
    expect(site.world.now().getTime() - before).toBe(days * 86_400_000)
  })

  it('goes to the same day of the next month', async () => {
    const before = site.world.now()
    await press('month')
    expect((site.world.now().getUTCMonth() - before.getUTCMonth() + 12) % 12).toBe(1)
  })

  it('refuses forms of other sites', async () => {
    const before = site.world.now()
    expect((await press('day', { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403)
    expect(site.world.now()).toEqual(before)
  })
})

async function addConsoleSession(key_hash: string, until: Date) {
  const created_at = site.world.now()
  const staff_id = randomUUID()
  await site.db
    .insertInto('staff')
    .values({ id: staff_id, email: key_hash, name: 'Rosa', role: 'owner', created_at })
    .execute()
  await site.db
    .insertInto('console_session')
    .values({
      key_hash,
      staff_id,
      method: 'passkey',
      created_at,
      idle_until: until,
      proved_until: until,
      expires_at: until,
    })
    .execute()
}

describe('17.27 what people hold outlives a turn', () => {
  it('a session', async () => {
    const { cookie } = await memberInOffice(site)
    await turn({ days: 31 })
    expect((await site.get('/api/office/view', { cookie })).statusCode).toBe(200)
    site.advance(12 * 3600 + 1)
    expect((await site.get('/api/office/view', { cookie })).statusCode).toBe(401)
  })

  it.each(lifetimes.map(([table, column]) => `${table}.${column}`))('%s', async (name) => {
    const now = site.world.now()
    const expires_at = new Date(now.getTime() + 60_000)
    const member = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
    const rows: Record<string, () => Promise<unknown>> = {
      ...Object.fromEntries(
        ['expires_at', 'idle_until'].map((column) => [
          `office_session.${column}`,
          () =>
            site.db
              .insertInto('office_session')
              .values({ key_hash: name, member_id: member.id, created_at: now, expires_at, idle_until: expires_at })
              .execute(),
        ]),
      ),
      'pending_sign_in.expires_at': () =>
        site.db
          .insertInto('pending_sign_in')
          .values({ key_hash: name, member_id: member.id, access_version: 0, expires_at })
          .execute(),
      'email_link.expires_at': () =>
        site.db
          .insertInto('email_link')
          .values({
            key_hash: name,
            purpose: 'password',
            member_id: member.id,
            email: null,
            created_at: now,
            expires_at,
          })
          .execute(),
      'one_time_key.expires_at': () =>
        site.db.insertInto('one_time_key').values({ kind: 'letter', key: name, used_by: null, expires_at }).execute(),
      'sandbox_code.expires_at': () =>
        site.db
          .insertInto('sandbox_code')
          .values({ mobile_phone: '+12025550100', code_hash: name, tries: 0, expires_at })
          .execute(),
      'lease.expires_at': () => site.db.insertInto('lease').values({ name: 'code', key: name, expires_at }).execute(),
      'open_use.expires_at': () =>
        site.db
          .insertInto('open_use')
          .values({
            reference: name,
            id: '00000000-0000-4000-8000-000000000000',
            uses: '[]',
            expires_at,
          })
          .execute(),
      'staff_invitation.expires_at': () =>
        site.db
          .insertInto('staff_invitation')
          .values({
            id: randomUUID(),
            key_hash: name,
            email: null,
            role: 'owner',
            invited_by: null,
            created_at: now,
            expires_at,
          })
          .execute(),
      ...Object.fromEntries(
        ['idle_until', 'proved_until', 'expires_at'].map((column) => [
          `console_session.${column}`,
          () => addConsoleSession(name, expires_at),
        ]),
      ),
      'member.welcome_until': () =>
        site.db.updateTable('member').set({ welcome_until: expires_at }).where('id', '=', member.id).execute(),
    }
    await rows[name]?.()
    await turn({ days: 3 })
    const [table = '', column = ''] = name.split('.')
    const later = new Date(expires_at.getTime() + 3 * 86_400_000)
    const found = await site.db
      .selectFrom(table as 'lease')
      .select(column as 'expires_at')
      .where(column as 'expires_at', '=', later)
      .execute()
    expect(found.length).toBeGreaterThan(0)
  })

  it('the lease of a payment that is on its way', async () => {
    const { username } = await joinedMember(site)
    const now = site.world.now()
    const { enrollment_id } = await site.db
      .selectFrom('member')
      .select('enrollment_id')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    const leased_until = new Date(now.getTime() + 30_000)
    await site.db
      .updateTable('payment')
      .set({ state: 'authorizing', leased_until })
      .where('enrollment_id', '=', enrollment_id)
      .execute()
    await turn({ days: 2 })
    const payment = await site.db
      .selectFrom('payment')
      .select(['state', 'leased_until'])
      .where('enrollment_id', '=', enrollment_id)
      .executeTakeFirstOrThrow()
    expect(payment).toEqual({
      state: 'authorizing',
      leased_until: new Date(leased_until.getTime() + 2 * 86_400_000),
    })
    await site.db.updateTable('payment').set({ state: 'captured' }).where('enrollment_id', '=', enrollment_id).execute()
  })
})

describe('17.28 a request that makes no sense gets a sentence', () => {
  const past = '2020-01-01T00:00:00Z'
  it.each([
    ['nothing', {}, 422, 'Please send either days or to.'],
    ['both', { days: 1, to: '2030-01-01T00:00:00Z' }, 422, 'Please send either days or to.'],
    ['a day back', { days: -1 }, 422, /only goes forward/],
    ['half a day', { days: 0.5 }, 422, /whole number of days/],
    ['too many days', { days: 401 }, 422, /from 1 to 400/],
    ['a time in the past', { to: past }, 422, 'The clock only goes forward.'],
    ['a time too far away', { to: '2199-01-01T00:00:00Z' }, 422, /at most 400 days/],
    ['a time that is none', { to: 'tomorrow' }, 422, /2027-01-16T12:00:00Z/],
    ['a list', [1], 400, /could not be read/],
  ])('%s', async (_what, payload, status, message) => {
    const before = site.world.now()
    const answer = await turn(payload)
    expect(answer.status).toBe(status)
    expect(JSON.stringify(answer)).toMatch(message)
    expect(site.world.now()).toEqual(before)
  })
})

describe('17.29 the clock cannot be turned', () => {
  const without: [string, (world: World) => World][] = [
    ['in production', (world) => ({ ...world, config: { ...world.config, production: true } })],
    ...['database', 'payment', 'phone', 'mail'].map((part): [string, (world: World) => World] => [
      `with a real ${part}`,
      (world) => ({
        ...world,
        config: { ...world.config, embedded: world.config.embedded.filter((name) => name !== part) },
      }),
    ]),
    [
      'with the sandbox as its own process',
      (world) => ({ ...world, config: { ...world.config, PAYMENT_SANDBOX_URL: 'http://127.0.0.1:1' } }),
    ],
  ]
  it.each(without)('%s', async (_where, change) => {
    const world = change(site.world)
    expect(mayAdvanceClock(world.config)).toBe(false)
    const app = await createApp({ world, shell: plainShell })
    const now = site.world.now()
    const headers = { cookie: testPagesCookie }
    expect((await app.inject({ url: '/__clock', headers })).statusCode).toBe(404)
    const days = { method: 'POST', url: '/__clock', headers, payload: { days: 1 } } as const
    expect((await app.inject(days)).statusCode).toBe(404)
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const pressed = { method: 'POST', url: '/__clock/turn', headers: form, payload: 'move=day' } as const
    expect((await app.inject(pressed)).statusCode).toBe(404)
    expect(site.world.now()).toEqual(now)
    await app.close()
  })
})

it('17.30 the clock keeps its time over a restart, and says so when its file is damaged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-clock-'))
  const file = join(folder, 'data', 'clock.json')
  const system = () => new Date('2026-11-15T12:00:00Z')
  const clock = openTestClock(file, system)
  expect(clock.now()).toEqual(system())
  clock.moveTo(new Date('2027-01-01T00:00:00Z'))
  expect(openTestClock(file, system).now()).toEqual(new Date('2027-01-01T00:00:00Z'))
  clock.moveTo(system())
  expect(clock.now()).toEqual(new Date('2027-01-01T00:00:00Z'))
  await writeFile(file, 'not JSON')
  expect(() => openTestClock(file, system)).toThrow(/clock.json cannot be read/)
  await rm(folder, { recursive: true, force: true })
})
