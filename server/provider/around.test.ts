import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consoleCalls } from '#contract/console/console.ts'
import { isAboutMembers, type Permission, permissions } from '#contract/console/permissions.ts'
import { main as doctor } from '#server/cli/doctor.ts'
import { flushFunnel } from '#server/funnel/funnel.ts'
import { callCommand } from '#server/test/command.ts'
import { allRows } from '#server/test/database-rows.ts'
import { type ProviderSite, providerSite } from '#server/test/provider.ts'
import { staffMember } from '#server/test/staff.ts'

let site: ProviderSite
beforeAll(async () => {
  site = await providerSite()
})
afterAll(() => site.close())

const sentence = () => `This site runs in front of ${new URL(site.host.url).host}. Members and payments are kept there.`
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const visitor = { host: 'foyer.test', 'user-agent': BROWSER, referer: 'http://foyer.test/ana' }
/** Waits until the host has been told, which no visitor does. */
const until = async (isDone: () => boolean) => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5))
}

it('26.18 a visit counts here and at the host, once for each visitor and day', async () => {
  const hit = (name: string, headers = visitor) => site.get(`/api/replicated-sites/page-hits/${name}`, headers)
  for (let visit = 0; visit < 3; visit++) expect((await hit('ana')).statusCode).toBe(200)
  await hit('nobody')
  await hit('ana', { ...visitor, 'user-agent': 'Googlebot/2.1' })
  await hit('sam')
  await until(() => site.host.seen.hits.sam === 1)
  expect(site.host.seen.hits).toEqual({ ana: 1, sam: 1 })
  expect(await site.db.selectFrom('page_hit').select('site').orderBy('site').execute()).toEqual([
    { site: 'ana' },
    { site: 'sam' },
  ])
})

it('26.18 the funnel is ours, without the host’s sponsors', async () => {
  await site.post('enrollment/validate_email', { email: 'zoe@mail.example' }, visitor)
  await flushFunnel(site.world)
  const days = await site.db.selectFrom('funnel_day').select(['step', 'site']).orderBy('step').execute()
  expect(days).toContainEqual({ step: 'details', site: 'master' })
  expect(JSON.stringify((await allRows(site.db)).funnel_day)).not.toContain('ana')
})

it('26.19 names are looked up at the host, except those that can’t be a link here', async () => {
  const username = async (text: string) => (await site.post('enrollment/validate_username', { username: text })).json()
  expect(await username('zoe')).toEqual({ username: 'Available' })
  expect(await username('ana')).toEqual({ username: ['This username is taken.'] })
  const asked = site.host.seen.requests.length
  expect(await username('office')).toEqual({ username: ['This username is already taken.'] })
  expect(await username('no spaces')).toEqual({
    username: ['Username must contain only letters (A-Z) and numbers.'],
  })
  expect(site.host.seen.requests).toHaveLength(asked)
})

it('26.19 an order that the host refuses has the host’s message', async () => {
  const reply = await site.post('enrollment/orders', { product_ids: '99' })
  expect([reply.statusCode, reply.json()]).toEqual([
    422,
    { message: 'This package does not exist.', fields: { product_ids: ['This package does not exist.'] } },
  ])
  expect((await site.post('enrollment/orders', { product_ids: '' })).json()).toEqual({ grand_total: '0.00' })
})

it('26.20 who looks for members, money or the office reads where they are kept', async () => {
  for (const path of ['/office', '/office/security']) {
    const page = await site.get(path)
    expect([page.statusCode, page.body.includes(sentence())]).toEqual([404, true])
  }
  expect((await site.get('/api/office/view')).statusCode).toBe(404)
  const owner = await staffMember(site, 'owner')
  expect((await owner.get('session')).json()).toMatchObject({ elsewhere: sentence() })
  const about = (name: Permission) => isAboutMembers(name)
  expect(Object.keys(permissions).filter((name) => !about(name as Permission))).toEqual([
    ...['see_audit', 'acknowledge_reports', 'see_staff', 'manage_staff', 'see_abuse', 'manage_abuse'],
    ...['see_brand', 'manage_brand', 'see_funnel', 'see_settings'],
  ])
  const reads = Object.values(consoleCalls).filter(
    ({ method, path, permission }) =>
      method === 'GET' && !path.includes(':') && !path.endsWith('-effect') && permission in permissions,
  )
  for (const { path, permission } of reads) {
    const { statusCode, body } = await site.get(`/api${path}`, { cookie: owner.cookie })
    if (statusCode === 422) continue // the call needs input
    const isRefused = statusCode === 404 && body.includes(sentence())
    expect([path, isRefused]).toEqual([path, about(permission as Permission)])
  }
})

it('26.20 /readyz names the host, and there are no test payments', async () => {
  const { parts } = (await site.get('/readyz')).json()
  expect(Object.keys(parts)).toEqual(['database', 'provider', 'captcha', 'mail'])
  expect((await site.get('/__payments')).statusCode).toBe(404)
})

it('26.21 the doctor asks the host for what a page shows, and writes nothing there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-doctor-'))
  const env = { DATA_DIR: folder, PROVIDER_API_URL: site.host.url, PROVIDER_OFFICE_HOSTS: 'office.host.example' }
  const run = async () =>
    (await callCommand(doctor, [], env)).output.split('\n').filter((line) => /^.{7}provider/.test(line))
  const { orders } = site.host.seen
  const before = orders.length
  expect(await run()).toEqual([
    `ok     provider  ${new URL(site.host.url).host} answers: 2 packages from $99.00, 3 documents.`,
  ])
  site.host.fail('sponsor_without_active')
  expect(await run()).toEqual([
    `WRONG  provider  PROVIDER_API_URL=${site.host.url}: /enrollment/get_enrollment_sponsor: active is missing.`,
  ])
  site.host.fail(undefined)
  expect(orders).toHaveLength(before)
  rmSync(folder, { recursive: true, force: true })
})
