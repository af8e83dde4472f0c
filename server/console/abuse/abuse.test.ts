import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AbuseView } from '#contract/console/abuse.ts'
import { recordDecline, secondsOpen } from '#server/abuse/breaker.ts'
import { parseNetwork } from '#server/abuse/restrictions.ts'
import { createApp } from '#server/site/app.ts'
import { ageValues } from '#server/test/age-values.ts'
import { filledForm, plainShell, type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite({ BREAKER_DECLINES: '20/600/50', PHONE_VERIFICATION: 'on', LIMIT_LETTERS: '1/3600' })
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

const view = async (): Promise<AbuseView> => (await owner.get('abuse')).json()
const act = async (path: string, body: object = {}): Promise<AbuseView> => {
  const reply = await owner.post(`abuse/${path}`, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
/** What the frame of every screen shows. */
const restrictions = async () => (await owner.get('status')).json().restrictions
const lastAct = async () => {
  const row = await site.db
    .selectFrom('audit')
    .select(['act', 'details'])
    .orderBy('position', 'desc')
    .executeTakeFirst()
  return { act: row?.act, ...JSON.parse(row?.details ?? '{}') }
}

describe('a pause of joining', () => {
  it('19.63 19.89 leaves the page readable, says that joining is closed, and refuses new enrollments with the sentence', async () => {
    const before = (await site.get('/master')).body
    expect(await restrictions()).toEqual([])
    await act('pause', { message: 'We move house until <Monday>.', hours: 'open' })
    expect(await lastAct()).toMatchObject({ act: 'pause_joining', after: { until: null } })
    expect(await restrictions()).toEqual([{ kind: 'joining' }])
    const page = await site.get('/master')
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('Joining is closed for now.</strong> We move house until &#60;Monday&#62;.')
    const refused = await site.post('enrollment/add-enrollment', await filledForm(site))
    expect(refused.statusCode).toBe(403)
    expect(refused.json().message).toBe('Joining is closed for now. We move house until <Monday>.')
    const code = { phone_number: '+12025550123', captcha: await site.captcha() }
    expect((await site.post('twilio/send-verification-code', code)).json().message).toContain('We move house')
    await act('resume')
    expect(withoutId((await site.get('/master')).body)).toBe(withoutId(before))
  })

  const withoutId = (html: string) => html.replace(/name="enrollment" content="[^"]+"/, '')

  it('19.63 lets a payment that was already sent end as always', async () => {
    const open = await testSite()
    const staff = await staffMember(open, 'manager')
    const form = await filledForm(open)
    const first = await open.post('enrollment/add-enrollment', form, { 'idempotency-key': `${ID}.1` })
    expect(first.json().payment).toBe('Approved')
    await staff.post('abuse/pause', { message: 'Please come back soon.', hours: '1' })
    const repeated = await open.post('enrollment/add-enrollment', form, { 'idempotency-key': `${ID}.1` })
    expect(repeated.json().payment).toBe('Approved')
    open.advance(3601)
    expect((await open.post('enrollment/add-enrollment', await filledForm(open))).json().payment).toBe('Approved')
    await open.close()
  })
})

const ID = '11111111-2222-4333-8444-555555555555'

describe('a blocked network', () => {
  const fromNetwork = (remoteAddress: string, url: string, payload?: object) =>
    site.ask({
      method: payload ? ('POST' as const) : ('GET' as const),
      url,
      remoteAddress,
      ...(payload ? { payload, headers: { 'content-type': 'application/json' } } : {}),
    })
  const lookup = (address: string) =>
    fromNetwork(address, '/api/enrollment/validate_username', { username: 'somebody' })

  it('19.64 reads the pages and cannot use the form, for as long as staff said', async () => {
    expect((await lookup('203.0.113.9')).statusCode).toBe(200)
    const { blocks } = await act('block', { network: '203.0.113.77/24', hours: '1', note: 'card testing' })
    expect(blocks).toMatchObject([{ network: '203.0.113.0/24', note: 'card testing' }])
    expect(await lastAct()).toMatchObject({ act: 'block_network', after: { network: '203.0.113.0/24' } })
    expect((await fromNetwork('203.0.113.9', '/master')).statusCode).toBe(200)
    const reply = await lookup('203.0.113.9')
    expect([reply.statusCode, reply.json().message]).toEqual([403, expect.stringContaining('from your network')])
    const form = await filledForm(site)
    expect((await fromNetwork('203.0.113.9', '/api/enrollment/add-enrollment', form)).statusCode).toBe(403)
    expect((await lookup('203.0.114.9')).statusCode).toBe(200)
    expect((await owner.post('abuse/block', { network: '203.0.113.0/24', hours: '1', note: 'x' })).statusCode).toBe(422)
    site.advance(3601)
    owner = await staffMember(site, 'owner') // the session has ended, too
    expect((await lookup('203.0.113.9')).statusCode).toBe(200)
    expect((await view()).blocks).toEqual([])
  })

  it('19.64 is lifted by hand, also of IPv6', async () => {
    const { blocks } = await act('block', { network: '2001:db8:7::1', hours: '24', note: 'a robot' })
    expect(blocks.map(({ network }) => network)).toEqual(['2001:db8:7::/64'])
    expect((await lookup('2001:db8:7::abcd')).statusCode).toBe(403)
    expect((await lookup('2001:db8:8::abcd')).statusCode).toBe(200)
    await act('lift', { id: blocks[0]?.id })
    expect((await lookup('2001:db8:7::abcd')).statusCode).toBe(200)
    expect((await owner.post('abuse/lift', { id: blocks[0]?.id })).statusCode).toBe(404)
  })

  it.each([
    ['203.0.113.9', '203.0.113.9/32'],
    [' 203.0.113.9/24 ', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.9/32'],
    ['::ffff:203.0.113.9/120', '203.0.113.0/24'],
    ['2001:db8::1/128', '2001:db8::/64'],
    ['2001:db8:1234::/44', '2001:db8:1230::/44'],
  ])('19.64 %s is the network %s', (text, network) => expect(parseNetwork(text)).toEqual({ network }))

  it.each(['', 'everyone', '203.0.113', '10.0.0.0/4', '203.0.113.9/33', '1.2.3.4/24/1', '::/0', 'fe80::1%eth0'])(
    '19.64 “%s” is not a network that can be blocked',
    (text) => expect(parseNetwork(text)).toEqual({ problem: expect.stringMatching(/\.$/) }),
  )
})

describe('breakers', () => {
  it('19.65 are opened and closed by hand; a closed one starts counting again', async () => {
    const opened = await act('breaker/open', { breaker: 'declines', hours: '6' })
    expect(opened.breakers[0]).toMatchObject({ name: 'declines', state: 'open' })
    expect(await secondsOpen(site.world, 'declines')).toBe(6 * 3600)
    expect(await lastAct()).toMatchObject({ act: 'open_breaker' })
    expect(await restrictions()).toEqual([{ kind: 'declines', until: expect.any(String) }])
    await act('breaker/close', { breaker: 'declines' })
    expect(await secondsOpen(site.world, 'declines')).toBe(undefined)
    expect((await owner.post('abuse/breaker/close', { breaker: 'declines' })).statusCode).toBe(409)

    site.advance(200) // into the next bucket
    for (let n = 0; n < 20; n++) await recordDecline(site.world, `198.51.100.${n}`)
    expect(await secondsOpen(site.world, 'declines')).toBeGreaterThan(0)
    await act('breaker/close', { breaker: 'declines' })
    site.advance(200)
    await recordDecline(site.world, '198.51.100.99')
    expect(await secondsOpen(site.world, 'declines')).toBe(undefined)
    const kinds = async () => (await view()).history.map(({ kind }) => kind)
    expect(await kinds()).toEqual(['closed', 'tripped', 'closed', 'opened'])
    for (const [days, left] of [
      [89, 4],
      [2, 0],
    ] as const) {
      site.advance(days * 86_400)
      await deleteExpired(site.world)
      owner = await staffMember(site, 'owner') // the session has ended, too
      expect(await kinds()).toHaveLength(left)
    }
  })

  it('19.65 that the settings turn off cannot be opened', async () => {
    const other = await testSite({ BREAKER_CODES: 'off' })
    const staff = await staffMember(other, 'owner')
    expect((await staff.post('abuse/breaker/open', { breaker: 'codes', hours: '1' })).statusCode).toBe(409)
    expect((await staff.get('abuse')).json().breakers[1]).toMatchObject({ name: 'codes', state: 'off' })
    await other.close()
  })
})

it('19.66 limits are shown with what they refused lately, and declines by class', async () => {
  const ask = () => site.post('office/forgotten-password', { name: 'nobody@example.com' })
  await ask()
  for (let n = 0; n < 3; n++) await ask()
  await owner.post('abuse/resume') // this process reads the shared state again, and writes what it has refused
  await site.get('/master')
  await expect
    .poll(async () => (await view()).limits.find(({ name }) => name === 'LIMIT_LETTERS')?.refused.day)
    .toBeGreaterThan(0)
  const { limits, declines } = await view()
  expect(limits.find(({ name }) => name === 'LIMIT_LETTERS')).toMatchObject({ max: 1, seconds: 3600 })
  expect(declines.classes.map(({ name }) => name)).toEqual(['input', 'card', 'bank', 'fraud'])

  const declining = await testSite()
  const staff = await staffMember(declining, 'viewer')
  const form = await filledForm(declining, { cc_number: '4000 0000 0000 0002' })
  expect((await declining.post('enrollment/add-enrollment', form)).json().payment).toBe('Declined')
  const sum = (name: 'day' | 'week', rows: AbuseView['declines']['classes']) =>
    rows.reduce((total, row) => total + row[name], 0)
  const { classes } = (await staff.get('abuse')).json().declines
  expect([sum('day', classes), sum('week', classes)]).toEqual([1, 1])
  declining.advance(2 * 86_400)
  const later = (await (await staffMember(declining, 'viewer')).get('abuse')).json().declines.classes
  expect([sum('day', later), sum('week', later)]).toEqual([0, 1])
  await declining.close()
})

it('19.67 what one process changes, another follows within five seconds', async () => {
  const world = { ...site.world, keys: { ...site.world.keys } } // a process has keys of its own
  const other = await createApp({ world, shell: plainShell })
  const isClosed = async () => (await other.inject('/master')).body.includes('Joining is closed for now.')
  expect(await isClosed()).toBe(false)
  await act('pause', { message: 'Please come back soon.', hours: 'open' })
  ageValues(5)
  expect(await isClosed()).toBe(true)
  await act('resume')
  ageValues(10)
  expect(await isClosed()).toBe(false)
  await other.close()
})
