import { execFileSync } from 'node:child_process'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { settingNames } from '#server/test/settings.ts'
import { type Site, testSite } from '#server/test/site.ts'

const productionSettings = {
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  PUBLIC_URL: 'https://join.example',
  SITE_HOSTS: 'join.example,www.join.example:8443',
  ALLOW_EMBEDDED: 'database,payment,phone,mail',
}

let development: Site
let production: Site
beforeAll(async () => {
  development = await testSite()
  production = await testSite(productionSettings)
})
afterAll(() => Promise.all([development.close(), production.close()]))

const everyKindOfRoute = ['/', '/ana', '/api/enrollment/orders', '/office', '/console', '/nothing/here', '/api/nothing']
const testPages = ['/__outbox', '/__outbox.json', '/__payments', '/__payments.json']

describe('a host name', () => {
  it.each([...everyKindOfRoute, ...testPages])('20.2 of another site gets 421 from %s', async (url) => {
    for (const host of [
      'evil.example',
      'evil.example:3000',
      'foyer.test.evil.example',
      'localhost.evil.example',
      '10.0.0.5',
    ]) {
      const reply = await development.get(url, { host })
      expect([host, reply.statusCode, reply.json()]).toEqual([
        host,
        421,
        { message: 'This site is not served under this host name.' },
      ])
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it.each(['foyer.test', 'FOYER.test:8080', 'localhost:3000', '127.0.0.1', '127.0.0.1:3000', '[::1]:3000'])(
    '20.2 of this site or this machine is answered: %s',
    async (host) => expect((await development.get('/ana', { host })).statusCode).toBe(200),
  )

  it('20.2 is checked in production as well', async () => {
    for (const host of ['join.example', 'www.join.example', 'join.example:443'])
      expect((await production.get('/ana', { host })).statusCode, host).toBe(200)
    expect((await production.get('/ana', { host: 'evil.example' })).statusCode).toBe(421)
    const order = await production.post('enrollment/add-enrollment', {}, { host: 'evil.example' })
    expect(order.statusCode).toBe(421)
  })

  it.each(['/livez', '/readyz', '/metrics'])(
    '20.2 does not matter to %s, which load balancers ask by address',
    async (url) => {
      for (const site of [development, production])
        expect((await site.get(url, { host: '172.28.0.11:3000' })).statusCode).toBe(200)
    },
  )
})

describe('the pages about the embedded parts', () => {
  it.each(testPages)('20.3 %s answers this machine only', async (url) => {
    const statusFor = async (remoteAddress: string) => (await development.ask({ url, remoteAddress })).statusCode
    expect(await statusFor('127.0.0.1')).toBe(200)
    expect(await statusFor('::1')).toBe(200)
    expect(await statusFor('::ffff:127.0.0.1')).toBe(200)
    expect(await statusFor('10.0.0.7')).toBe(404)
    expect(await statusFor('::ffff:10.0.0.7')).toBe(404)
  })

  it('20.3 open only with the token in the printed links, even on this machine: a plain proxy looks the same', async () => {
    const ask = async (url: string, cookie = '') =>
      development.app.inject({ url, headers: { host: '127.0.0.1:3000', ...(cookie ? { cookie } : {}) } })
    const token = development.world.config.TEST_PAGES_TOKEN
    const wrong = [
      '',
      '?token=',
      `?token=${token}x`,
      `?token=${token}&token=${token}`,
      `?token[]=${token}`,
      `#${token}`,
    ]
    for (const url of [...testPages, '/__clock', '/__outbox/1', '/__nothing'])
      for (const query of wrong) expect((await ask(url + query)).statusCode, url + query).toBe(404)
    expect((await ask('/__outbox', 'foyer_test_pages=')).statusCode).toBe(404)
    expect((await ask('/__outbox', `foyer_test_pages=${token}x`)).statusCode).toBe(404)
    const advance = { method: 'POST', url: '/__clock', payload: { days: 31 } } as const
    expect((await development.app.inject(advance)).statusCode).toBe(404)
    const opened = await ask(`/__outbox?token=${token}`)
    expect([opened.statusCode, String(opened.headers['set-cookie'])]).toEqual([
      200,
      `foyer_test_pages=${token}; Path=/; HttpOnly; SameSite=Strict`,
    ])
    for (const url of testPages) expect((await ask(url, `foyer_test_pages=${token}`)).statusCode).toBe(200)
  })

  it('20.3 have a random token, unless TEST_PAGES_TOKEN names one', () => {
    const script = `import('#server/config/config.ts').then((config) => console.log(config.readConfig({}).TEST_PAGES_TOKEN))`
    const token = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', env: {} }).trim()
    expect(token).toMatch(/^[\w-]{24}$/)
    expect(readConfig({}).TEST_PAGES_TOKEN).not.toBe(token)
    expect(readConfig({ TEST_PAGES_TOKEN: 'sixteen-letters-' }).TEST_PAGES_TOKEN).toBe('sixteen-letters-')
    expect(settingNames({ TEST_PAGES_TOKEN: 'short' })).toEqual(['TEST_PAGES_TOKEN'])
  })

  it('20.3 nor can their path be written in another way', async () => {
    for (const url of ['/%5F_outbox', '/__outbox/', '//__outbox', '/__outbox?to=+12025550123'])
      expect([200]).not.toContain((await development.ask({ url, remoteAddress: '10.0.0.7' })).statusCode)
  })

  it('20.3 do not answer other machines behind a proxy on this one, nor with UNSAFE_DEVELOPMENT_ON_NETWORK', async () => {
    const shown = await testSite({
      UNSAFE_DEVELOPMENT_ON_NETWORK: 'on',
      PUBLIC_URL: 'http://10.0.0.5:3000',
      TRUST_PROXY: 'loopback',
    })
    const host = '10.0.0.5:3000'
    const from = async (url: string, address: string) =>
      (await shown.get(url, { host, 'x-forwarded-for': address })).statusCode
    expect(await from('/ana', '10.0.0.7')).toBe(200)
    expect(await from('/__outbox', '10.0.0.7')).toBe(404)
    expect(await from('/__outbox', '127.0.0.1')).toBe(404)
    await shown.close()
  })

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    '20.3 do not answer through a tunnel that ends on this machine and adds %s',
    async (name) => {
      expect((await development.get('/ana', { [name]: 'for=203.0.113.7' })).statusCode).toBe(200)
      expect((await development.get('/__outbox.json', { [name]: 'for=203.0.113.7' })).statusCode).toBe(404)
    },
  )

  it('20.2 20.3 a page of another name that resolves to this machine cannot read a reset link', async () => {
    await development.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = development.app.server.address() as AddressInfo
    const answer = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const asked = request({
        port,
        host: '127.0.0.1',
        path: '/__outbox.json',
        headers: { host: `rebound.example:${port}` },
      })
      asked.on('response', async (reply) => {
        let body = ''
        for await (const part of reply) body += part
        resolve({ status: reply.statusCode, body })
      })
      asked.on('error', reject).end()
    })
    expect(answer).toEqual({ status: 421, body: '{"message":"This site is not served under this host name."}' })
  })
})
