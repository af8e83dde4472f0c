import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '#server/gateways/payment/sandbox/process.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { startVendors } from '#server/test/vendors.ts'
import { freePort } from '../../scripts/port.mjs'
import { checkAccounts } from './accounts.ts'

const now = () => new Date('2026-11-15T12:00:00Z')
let vendors: Awaited<ReturnType<typeof startVendors>>
let settings: Record<string, string>
beforeAll(async () => {
  vendors = await startVendors(now)
  settings = vendors.settings
})
afterAll(() => vendors.close())

/** What /readyz, /metrics and the log say after the check. */
async function checked(site: Site) {
  await checkAccounts(site.world)
  const reply = await site.get('/readyz')
  const { parts } = reply.json()
  const metrics = (await site.get('/metrics')).body
  return {
    status: reply.statusCode,
    accounts: [parts.payment.account, parts.phone.account, parts.mail.account],
    wrong: [...metrics.matchAll(/^foyer_account_wrong\{part="(\w+)"\} 1$/gm)].map(([, part]) => part).sort(),
    log: site.log(),
  }
}

const withSite = async (env: Record<string, string>, work: (site: Site) => Promise<void>) => {
  const site = await testSite(env)
  await work(site).finally(() => site.close())
}

describe('credentials', () => {
  it('20.7 that the vendors accept are said to be ok, and nothing was charged or sent', () =>
    withSite(settings, async (site) => {
      vendors.payments.received.length = 0
      vendors.codes.received.length = 0
      expect(await checked(site)).toMatchObject({ status: 200, accounts: ['ok', 'ok', 'ok'], wrong: [] })
      expect(vendors.payments.received.map((text) => Object.keys(JSON.parse(text))[0])).toEqual([
        'authenticateTestRequest',
      ])
      expect(vendors.codes.received).toEqual([{ path: `/v2/Services/${settings.TWILIO_SERVICE_SID}`, body: '' }])
    }))

  it('20.7 that are wrong are told in a sentence, and the process stays ready', () =>
    withSite(
      { ...settings, AUTHORIZENET_TRANSACTION_KEY: 'anotherkey', TWILIO_AUTH_TOKEN: 'another' },
      async (site) => {
        const { log, ...answer } = await checked(site)
        const [payment, sms] = [
          'Authorize.Net refused with E00007: AUTHORIZENET_LOGIN_ID or AUTHORIZENET_TRANSACTION_KEY is wrong.',
          'Twilio refused: TWILIO_ACCOUNT_SID or TWILIO_AUTH_TOKEN is wrong.',
        ]
        expect(answer).toEqual({ status: 200, accounts: [payment, sms, 'ok'], wrong: ['payment', 'phone'] })
        expect(log).toContain(payment)
        expect(log).toContain(sms)
        expect(log).not.toContain('anotherkey')
      },
    ))

  it('20.7 a service that does not exist is told as well', () =>
    withSite({ ...settings, TWILIO_SERVICE_SID: `VA${'0'.repeat(32)}` }, async (site) =>
      expect((await checked(site)).accounts).toEqual(['ok', 'Twilio refused: TWILIO_SERVICE_SID is wrong.', 'ok']),
    ))

  it('20.7 of a vendor that is away are not called wrong, and are asked for again', () =>
    withSite(settings, async (site) => {
      vendors.payments.failNext('authenticateTestRequest', 'status_500')
      vendors.codes.fail('dropped_before')
      const away = await checked(site)
      expect(away).toMatchObject({ status: 200, wrong: [] })
      expect(away.accounts).toEqual([
        'Authorize.Net did not respond: status 500.',
        expect.stringMatching(/^Twilio did not answer: /),
        'ok',
      ])
      vendors.codes.fail(undefined)
      expect((await checked(site)).accounts).toEqual(['ok', 'ok', 'ok'])
    }))
})

it('20.7 the sandbox can refuse credentials, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-sandbox-'))
  const sandbox = await startSandbox({ port: await freePort(), ledgerFile: join(folder, 'ledger.jsonl'), now })
  const put = (rules: object[]) =>
    fetch(`${sandbox.url}/faults`, { method: 'PUT', body: JSON.stringify(rules) }).then(({ status }) => status)
  expect(await put([{ on: 'account', fault: 'wrong_account', share: 1 }])).toBe(200)
  await withSite({ PAYMENT_SANDBOX_URL: sandbox.url }, async (site) =>
    expect(await checked(site)).toMatchObject({
      accounts: ['The sandbox was told to refuse our credentials.', 'ok', 'ok'],
      wrong: ['payment'],
    }),
  )
  await sandbox.close()
  await withSite({ PAYMENT_SANDBOX_URL: sandbox.url }, async (site) =>
    expect((await checked(site)).accounts[0]).toBe('The payment sandbox does not answer.'),
  )
  rmSync(folder, { recursive: true })
})

describe('OPS_PORT', () => {
  it('20.9 has /readyz with every part and /metrics; the port of the visitors only says whether it is ready', async () => {
    const port = await freePort()
    const ops = `http://127.0.0.1:${port}`
    const site = await testSite({ OPS_PORT: String(port) })
    await site.app.ready()
    expect((await site.get('/readyz')).json()).toEqual({ ready: true })
    expect((await site.get('/livez')).body).toBe('alive\n')
    expect((await site.get('/metrics')).statusCode).toBe(404)
    const ready = await fetch(`${ops}/readyz`)
    expect(ready.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await ready.json()).toMatchObject({ ready: true, parts: { payment: { name: 'sandbox' } } })
    const metrics = await (await fetch(`${ops}/metrics`)).text()
    expect(metrics).toContain('foyer_requests_total{method="GET",route="/livez",status="200"} 1')
    for (const path of ['/ana', '/__outbox', '/api/enrollment/orders', '/console'])
      expect((await fetch(`${ops}${path}`)).status, path).toBe(404)
    await site.close()
    await expect(fetch(`${ops}/livez`)).rejects.toThrow()
  })

  it('20.9 that is taken stops the start with a sentence', async () => {
    const port = await freePort()
    const first = await testSite({ OPS_PORT: String(port) })
    await first.app.ready()
    const second = await testSite({ OPS_PORT: String(port) })
    await expect(second.app.ready()).rejects.toThrow(
      `OPS_PORT=${port} cannot be opened on OPS_HOST=127.0.0.1 (EADDRINUSE).`,
    )
    await second.close()
    await first.close()
  })
})
