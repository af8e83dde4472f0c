import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { plainShell, type Site, testSite } from '#server/test/site.ts'
import { checkHost } from '../../conformance/conformance.ts'
import type { Encoding } from '../../conformance/host.ts'
import type { Group } from '../../conformance/row.ts'

const shell = { ...plainShell, files: `${process.cwd()}/web/public` } // the pictures of the packages
let site: Site
let strict: Site
beforeAll(async () => {
  site = await testSite({ CAPTCHA: 'off', AUTOSHIP: 'on' }, shell)
  strict = await testSite({ CAPTCHA: 'off', AUTOSHIP: 'on', PHONE_VERIFICATION: 'on' }, shell)
  for (const { app } of [site, strict]) await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await site.close()
  await strict.close()
})

let runs = 0
const check = ({ app, advance }: Site, groups: Group[], encoding: Encoding) =>
  checkHost({
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api`,
    headers: {},
    encoding,
    deadline_ms: 60_000,
    pause: async (ms) => advance(ms / 1000),
    groups: new Set(groups),
    sponsor: 'ana-maria',
    phone: `+1202555014${runs}`,
    cards: { approved: '4242424242424242', declined: '4000000000000002' },
    mark: `conformance${runs++}`,
  })

it.each<Encoding>(['json', 'form'])(
  '25.14 the site keeps every promise of the specification, asked in %s',
  async (as) => {
    const results = await check(site, ['read', 'phone', 'write'], as)
    expect(results.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
    expect(results.find(({ id }) => id === 'enroll.approved')?.seen).toBe("'Approved', token and vo_url")
  },
)

it('25.14 a site that verifies phones sends its codes as promised', async () => {
  const results = await check(strict, ['read', 'phone'], 'json')
  expect(results.filter(({ verdict, group }) => group !== 'write' && verdict !== 'holds')).toEqual([])
  expect(results.find(({ id }) => id === 'code.send')?.seen).toBe('status 1')
})
