import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestPayments } from '#contract/pages.ts'
import { cards, testCards } from '#server/gateways/payment/cards.ts'
import { startSandbox } from '#server/gateways/payment/sandbox/process.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { testPagesCookie } from '#server/test/generous-settings.ts'
import { filledForm, plainShell, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import type { World } from '#server/world/world.ts'
import { freePort } from '../../scripts/port.mjs'
import { createApp } from './app.ts'

let folder: string
let running: Awaited<ReturnType<typeof startSandbox>>
const sites: Partial<Record<'inside' | 'apart', Site>> = {}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-sandbox-'))
  running = await startSandbox({ port: await freePort(), ledgerFile: join(folder, 'ledger.jsonl') })
  sites.inside = await testSite()
  sites.apart = await testSite({ PAYMENT_SANDBOX_URL: running.url })
})
afterAll(async () => {
  await Promise.all(Object.values(sites).map((site) => site.close()))
  await running.close()
  await rm(folder, { recursive: true, force: true })
})

/** What the page shows. */
async function showPage(world: World) {
  let shown: TestPayments | undefined
  const testPayments = (payments: TestPayments) => {
    shown = payments
    return '<h1>Payments</h1>'
  }
  const app = await createApp({ world, shell: { ...plainShell, pages: { ...plainShell.pages, testPayments } } })
  const { statusCode } = await app.inject({ url: '/__payments', headers: { cookie: testPagesCookie } })
  await app.close()
  return { statusCode, transactions: shown?.transactions, cards: shown?.cards }
}

const decide = (site: Site, transaction_id: string, verdict: string, headers: Record<string, string> = {}) =>
  site.ask({
    method: 'POST',
    url: '/__payments/review',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ transaction_id, verdict }).toString(),
  })

describe.each(['inside', 'apart'] as const)('with the sandbox %s the server', (place) => {
  const site = () => sites[place] as Site
  const stateOf = async (transaction_id: string) =>
    (await showPage(site().world)).transactions?.find((transaction) => transaction.transaction_id === transaction_id)
      ?.state

  const payInReview = async () => {
    const form = await filledForm(site(), { cc_number: cards.review })
    expect((await site().post('enrollment/add-enrollment', form)).json()).toMatchObject({ payment: 'Pending' })
    const newest = (await showPage(site().world)).transactions?.[0]
    return { form, transaction_id: newest?.transaction_id ?? '' }
  }

  it('the page lists payments, newest first, and every test card', async () => {
    const good = await filledForm(site())
    await site().post('enrollment/add-enrollment', good)
    await site().post('enrollment/add-enrollment', await filledForm(site(), { cc_number: cards.declined }))
    const page = await showPage(site().world)
    expect(page.statusCode).toBe(200)
    expect(page.transactions?.slice(0, 2)).toMatchObject([
      { state: 'declined', amount: '99.00' },
      { state: 'held', amount: '99.00' },
    ])
    expect(page.cards?.map(({ number }) => number)).toEqual(Object.values(testCards).map(({ number }) => number))
  })

  it('Approve makes the waiting visitor a member', async () => {
    const { form, transaction_id } = await payInReview()
    const reply = await decide(site(), transaction_id, 'approve', { 'sec-fetch-site': 'same-origin' })
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/__payments'])
    expect(await stateOf(transaction_id)).toBe('held')
    site().advance(61)
    while (await settleAttempts(site().world));
    const username = (await site().post('enrollment/validate_username', { username: form.username ?? '' })).json()
    expect(username).toMatchObject({ username: ['This username is already taken.'] })
  })

  it('Decline releases the payment', async () => {
    const { transaction_id } = await payInReview()
    expect((await decide(site(), transaction_id, 'decline')).statusCode).toBe(303)
    expect(await stateOf(transaction_id)).toBe('declined')
  })

  it.each([
    ['a cross-site form', { 'sec-fetch-site': 'cross-site' }],
    ['a form of another subdomain', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
    ['a form with another origin', { origin: 'https://elsewhere.example' }],
    ['a form with an opaque origin', { origin: 'null' }],
  ])('%s is refused', async (_what, headers) => {
    const { transaction_id } = await payInReview()
    expect((await decide(site(), transaction_id, 'approve', headers)).statusCode).toBe(403)
    expect(await stateOf(transaction_id)).toBe('review')
  })

  it('an invalid verdict and a verdict in JSON are refused', async () => {
    expect((await decide(site(), 'x', 'maybe')).statusCode).toBe(404)
    const json = {
      method: 'POST' as const,
      url: '/__payments/review',
      payload: { transaction_id: 'x', verdict: 'approve' },
    }
    expect((await site().ask(json)).statusCode).toBe(404)
  })
})

it('the page says so when the sandbox does not answer', async () => {
  const { world } = sites.inside as Site
  const payment = { ...world.payment, transactions: () => Promise.reject(new Error('down')) }
  expect(await showPage({ ...world, payment })).toMatchObject({ statusCode: 200, transactions: undefined })
})

it('7.7 the page does not exist in production or with a real gateway', async () => {
  const { world } = sites.inside as Site
  const { review: _ofTheSandbox, ...real } = world.payment as SandboxGateway
  expect((await showPage({ ...world, payment: real })).statusCode).toBe(404)
  expect((await showPage({ ...world, config: { ...world.config, production: true } })).statusCode).toBe(404)
})
