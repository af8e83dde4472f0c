import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FunnelView } from '#contract/console/funnel.ts'
import { messageKey } from '#contract/field-messages.ts'
import { deviceOf, flushFunnel, sourceOf } from '#server/funnel/funnel.ts'
import { allRows } from '#server/test/database-rows.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
let viewer: TestStaff
beforeAll(async () => {
  site = await testSite()
  viewer = await staffMember(site, 'viewer')
})
afterAll(() => site.close())

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1'
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
const from = (page: string, agent = PHONE) => ({
  'user-agent': agent,
  host: 'foyer.test',
  referer: `http://foyer.test/${page}`,
})

const view = async (query = ''): Promise<FunnelView> => {
  await flushFunnel(site.world)
  return (await viewer.get(`funnel${query}`)).json()
}
const counts = ({ steps }: FunnelView) => Object.fromEntries(steps.map(({ step, count }) => [step, count]))

it('19.74 each visitor counts once for each step, by sponsor, device and source', async () => {
  const phone = from('ana?utm_source=Instagram')
  for (let n = 0; n < 3; n++) await site.get('/api/replicated-sites/page-hits/ana', phone)
  await site.get('/api/replicated-sites/page-hits/master', from('master', DESKTOP))
  for (const username of ['one', 'two']) await site.post('enrollment/validate_username', { username }, phone)
  await flushFunnel(site.world)
  await site.post('enrollment/validate_username', { username: 'three' }, phone)
  const form = await filledForm(site)
  expect((await site.post('enrollment/add-enrollment', form, phone)).json().payment).toBe('Approved')
  expect(counts(await view())).toEqual({ opened: 2, code: 0, details: 1, pay: 1, joined: 1 })
  expect(counts(await view('?device=phone&source=social&site=ana'))).toMatchObject({ opened: 1, joined: 1 })
  expect(counts(await view('?device=desktop'))).toMatchObject({ opened: 1, joined: 0 })
  const { sites, days } = await view('?days=28')
  expect(sites).toEqual([
    { name: 'ana', opened: 1, joined: 1 },
    { name: 'master', opened: 1, joined: 0 },
  ])
  expect([days.length, days.at(-1)]).toEqual([28, { name: '2026-11-15', opened: 2, joined: 1 }])
})

it('19.74 robots, other hosts and made-up sites do not count', async () => {
  const before = counts(await view())
  const send = (headers: Record<string, string>) =>
    site.post('enrollment/validate_username', { username: 'x' }, headers)
  await send(from('ana', 'Googlebot/2.1 (+http://www.google.com/bot.html)'))
  await send({ ...from('ana', `${DESKTOP} a`), referer: 'http://elsewhere.example/ana' })
  await send({ ...from('ana', `${DESKTOP} b`), 'sec-fetch-site': 'cross-site' })
  await send(from('madeup', `${DESKTOP} c`))
  await send({ ...from('ana', `${DESKTOP} d`), referer: '' })
  expect(counts(await view())).toEqual(before)
})

it('19.75 the hashes of a day are deleted when it is over, and the numbers stay', async () => {
  const hits = async () => (await site.db.selectFrom('funnel_hit').selectAll().execute()).length
  expect(await hits()).toBeGreaterThan(0)
  const before = counts(await view())
  site.advance(86_400)
  await deleteExpired(site.world)
  expect(await hits()).toBe(0)
  viewer = await staffMember(site, 'viewer')
  expect(counts(await view())).toEqual(before)
})

it('19.77 refused fields are counted', async () => {
  const form = await filledForm(site, { captcha: 'wrong' })
  expect((await site.post('enrollment/add-enrollment', form, from('ana'))).statusCode).toBe(422)
  expect((await view()).fields).toEqual([{ field: 'captcha', count: 1 }])
})

it.each([
  [PHONE, 'phone'],
  [DESKTOP, 'desktop'],
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140.0 Mobile Safari/537.36', 'phone'],
  ['Mozilla/5.0 (Linux; Android 15; SM-X910) Chrome/140.0 Safari/537.36', 'tablet'],
  ['Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1', 'tablet'],
])('19.74 %s is a %s', (agent, device) => expect(deviceOf(agent)).toBe(device))

it('19.74 a source is one of a few, whatever the link says', () =>
  expect(['', 'IG', 'Facebook_Ads', 'newsletter-7', 'qr', 'zzz'.repeat(99)].map(sourceOf)).toEqual([
    ...['none', 'social', 'social', 'email', 'print', 'other'],
  ]))

it('19.78 what the fields showed is counted once for each visitor, field and day, and nothing that was entered', async () => {
  const report = (messages: unknown, headers = from('ana')) => site.post('funnel/messages', { messages }, headers)
  const email = { field: 'email', message: messageKey('Invalid email format.') }
  for (let n = 0; n < 3; n++) expect((await report([email])).json()).toEqual({})
  await flushFunnel(site.world)
  await report([email, { field: 'username', message: messageKey('This username is already taken.') }])
  await report([email], from('ana', DESKTOP))
  await report([{ field: 'cc_number', message: 4242424242424242 }]) // not a sentence of the form
  await report([{ field: 'nowhere', message: email.message }])
  await report([email], from('ana', 'Googlebot/2.1 (+http://www.google.com/bot.html)'))
  expect((await view()).messages).toEqual([
    { field: 'email', message: 'Invalid email format.', count: 2 },
    { field: 'cc_number', message: '', count: 1 },
    { field: 'username', message: 'This username is already taken.', count: 1 },
  ])
  expect((await report('x')).statusCode).toBe(422)
  expect((await report([{ field: 'email', message: 'mara@mail.example' }])).statusCode).toBe(422)
  expect(JSON.stringify(await allRows(site.db))).not.toContain('4242424242424242')
})

it('19.78 reports beyond the limit are ignored', async () => {
  const strict = await testSite({ LIMIT_MESSAGES: '1/86400' })
  const report = (field: string) => strict.post('funnel/messages', { messages: [{ field, message: 1 }] }, from('ana'))
  expect([(await report('email')).statusCode, (await report('city')).statusCode]).toEqual([200, 200])
  await flushFunnel(strict.world)
  expect(await strict.db.selectFrom('funnel_message').select('field').execute()).toEqual([{ field: 'email' }])
  await strict.close()
})

it('19.74 a site that stops writes what it has counted, and waits for a write that has begun', async () => {
  const stopping = await testSite()
  const { world } = stopping
  await stopping.get('/api/replicated-sites/page-hits/ana', from('ana'))
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const db = world.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      begun.resolve()
      await held.promise
      return result
    },
  })
  const write = flushFunnel({ ...world, db }) // as by the timer
  await begun.promise
  await stopping.get('/api/replicated-sites/page-hits/ana', from('ana', DESKTOP))
  const ended: string[] = []
  const closing = stopping.app.close().then(() => ended.push('site'))
  void write.then(() => ended.push('write'))
  await sleep(100) // long enough for a site that does not wait
  held.resolve()
  await closing
  expect(ended).toEqual(['write', 'site'])
  const rows = await world.db.selectFrom('funnel_day').select(['device', 'count']).orderBy('device').execute()
  expect(rows).toEqual([
    { device: 'desktop', count: 1 },
    { device: 'phone', count: 1 },
  ])
  await world.close()
})
