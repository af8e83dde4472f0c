import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testPaymentAdapter } from '#emulators/adapter-tests/payment.ts'
import {
  cardChange,
  hold,
  movingClock,
  noDeadline,
  playBank,
  refundOf,
  renewal,
} from '#emulators/adapter-tests/requests.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { runProgram } from '#server/test/process.ts'
import { freePort } from '../../../../scripts/port.mjs'
import type { Rule } from './faults.ts'
import { startSandbox } from './process.ts'
import { remoteSandbox } from './remote.ts'

const testStart = new Date(performance.timeOrigin)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-sandbox-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const newFile = () => join(folder, `${randomUUID()}.jsonl`)
const start = async (ledgerFile = newFile()) => startSandbox({ port: await freePort(), ledgerFile })

testPaymentAdapter('sandbox over HTTP', async () => {
  const ledgerFile = newFile()
  const { now, advance } = movingClock()
  const open = async () => startSandbox({ port: await freePort(), ledgerFile, now })
  let running = await open()
  const gateway = remoteSandbox(running.url)
  return {
    gateway,
    reopen: async () => {
      await running.close()
      running = await open()
      return remoteSandbox(running.url)
    },
    ...playBank(gateway, advance),
    unreachable: remoteSandbox(`http://127.0.0.1:${await freePort()}`),
    close: () => running.close(),
  }
})

describe('a sandbox with scripted faults', () => {
  let running: Awaited<ReturnType<typeof startSandbox>>
  let gateway: ReturnType<typeof remoteSandbox>
  beforeAll(async () => {
    running = await start()
    gateway = remoteSandbox(running.url)
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    expect((await put([])).status).toBe(200)
  })

  const post = (path: string, body: object) =>
    fetch(`${running.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  const put = (script: unknown) => fetch(`${running.url}/faults`, { method: 'PUT', body: JSON.stringify(script) })
  const script = (...rules: Partial<Rule>[]) =>
    put(rules.map((rule) => ({ on: 'any', fault: 'error', share: 1, times: 1, ...rule })))
  const listed = async (reference: string) =>
    (await gateway.transactions(testStart, noDeadline())).filter((transaction) => transaction.reference === reference)
  const holdAmount = async () => {
    const request = hold(cards.good)
    const answer = await gateway.authorize(request, noDeadline())
    return { ...request, transaction_id: answer.outcome === 'approved' ? answer.transaction_id : '' }
  }

  // [fault, whether the response arrives, whether the operation is done]
  const faults = [
    ['lost_before', false, false],
    ['lost_after', false, true],
    ['slow', true, true],
    ['reset', false, false],
    ['garbage', false, true],
    ['error', false, false],
    ['duplicate', true, true],
  ] as const

  it.each(faults)('%s on authorize', async (fault, responds, isDone) => {
    await script({ on: 'authorize', fault, ms: 100 })
    const request = hold(cards.good)
    expect((await gateway.authorize(request, noDeadline())).outcome).toBe(responds ? 'approved' : 'unknown')
    expect(await listed(request.reference)).toMatchObject(isDone ? [{ state: 'held' }] : [])
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe(isDone ? 'approved' : 'not_found')
  })

  it.each(faults)('%s on lookup', async (fault, responds) => {
    const request = await holdAmount()
    await script({ on: 'lookup', fault, ms: 100 })
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe(responds ? 'approved' : 'unknown')
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
  })

  it.each(
    faults.flatMap(([fault, responds, isDone]) =>
      (['capture', 'void'] as const).map((on) => [fault, on, responds, isDone] as const),
    ),
  )('%s on %s', async (fault, on, responds, isDone) => {
    const { reference, transaction_id } = await holdAmount()
    const state = on === 'capture' ? 'captured' : 'voided'
    await script({ on, fault, ms: 100 })
    expect(await gateway[on](transaction_id, noDeadline())).toBe(responds ? 'done' : 'unknown')
    expect(await listed(reference)).toMatchObject([{ state: isDone ? state : 'held' }])
    expect(await gateway[on](transaction_id, noDeadline())).toBe('done')
    expect(await listed(reference)).toMatchObject([{ state }])
  })

  it.each(faults)('%s on refund', async (fault, responds, isDone) => {
    const { reference, transaction_id } = await holdAmount()
    await gateway.capture(transaction_id, noDeadline())
    await post('/clock', { advance_seconds: 86_400 })
    await script({ on: 'refund', fault, ms: 100 })
    const refund = refundOf(transaction_id, 5000)
    expect(await gateway.refund(refund, noDeadline())).toBe(responds ? 'done' : 'unknown')
    expect((await listed(reference))[0]?.refunded_cents).toBe(isDone ? 5000 : undefined)
    expect(await gateway.refund(refund, noDeadline())).toBe('done')
    expect(await gateway.refund(refundOf(transaction_id, 4901), noDeadline())).toBe('refused')
    expect(await listed(reference)).toMatchObject([{ state: 'captured', refunded_cents: 5000 }])
  })

  const joined = async () => {
    const reply = await gateway.authorize(hold(cards.good), noDeadline())
    return reply.outcome === 'approved' ? reply.vault_reference : ''
  }

  it.each(faults)('%s on charge', async (fault, responds, isDone) => {
    const request = renewal(await joined())
    await script({ on: 'charge', fault, ms: 100 })
    expect((await gateway.charge(request, noDeadline())).outcome).toBe(responds ? 'approved' : 'unknown')
    expect(await listed(request.reference)).toMatchObject(isDone ? [{ state: 'captured' }] : [])
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe(isDone ? 'approved' : 'not_found')
    expect((await gateway.charge(request, noDeadline())).outcome).toBe('approved')
    expect(await listed(request.reference)).toHaveLength(1)
  })

  it.each(faults)('%s on replaceCard', async (fault, responds) => {
    const vault_reference = await joined()
    await script({ on: 'replaceCard', fault, ms: 100 })
    const reply = await gateway.replaceCard(cardChange(vault_reference), noDeadline())
    expect(reply.outcome).toBe(responds ? 'approved' : 'unknown')
    expect((await gateway.charge(renewal(vault_reference), noDeadline())).outcome).toBe('approved')
  })

  it('declines the next charges of a card as scripted', async () => {
    const [one, other] = [await joined(), await joined()]
    const outcomes = async (vault_reference: string, times: number) => {
      const answers = []
      for (let n = 0; n < times; n++) {
        const answer = await gateway.charge(renewal(vault_reference), noDeadline())
        answers.push(answer.outcome === 'declined' ? [answer.issuer_code, answer.never_retry] : answer.outcome)
      }
      return answers
    }
    await gateway.scriptDeclines([
      { vault_reference: one, issuer_code: '51', times: 2 },
      { vault_reference: one, issuer_code: '05', advice_code: '03', times: 1 },
    ])
    expect(await outcomes(other, 1)).toEqual(['approved'])
    expect(await outcomes(one, 4)).toEqual([['51', undefined], ['51', undefined], ['05', true], 'approved'])
    await gateway.scriptDeclines([{ issuer_code: '43', times: 1 }])
    expect(await outcomes(other, 2)).toEqual([['43', true], 'approved'])
    expect(await (await fetch(`${running.url}/declines`)).json()).toEqual([{ issuer_code: '43', times: 0 }])
  })

  it.each([
    ['not a list', {}],
    ['an issuer code that is none', [{ issuer_code: 'insufficient', times: 1 }]],
    ['no times', [{ issuer_code: '51' }]],
    ['a mistyped field', [{ issuer_code: '51', times: 1, vault: 'x' }]],
  ])('rejects declines with %s', async (_what, rules) => {
    const reply = await fetch(`${running.url}/declines`, { method: 'PUT', body: JSON.stringify(rules) })
    expect(reply.status).toBe(400)
  })

  it.each(faults)('%s on transactions', async (fault, responds) => {
    const { reference } = await holdAmount()
    await script({ on: 'transactions', fault, ms: 100 })
    const request = gateway.transactions(testStart, noDeadline())
    if (responds) expect((await request).map((transaction) => transaction.reference)).toContain(reference)
    else await expect(request).rejects.toThrow()
  })

  it('is not waited for longer than the timeout', async () => {
    await script({ on: 'authorize', fault: 'slow', ms: 600_000 })
    const request = hold(cards.good)
    const timeout = new AbortController()
    const answer = gateway.authorize(request, timeout.signal)
    await expect.poll(() => listed(request.reference)).toHaveLength(1)
    timeout.abort()
    expect(await answer).toEqual({ outcome: 'unknown' })
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
  })

  it('uses the first rule that applies, and reports the remaining times', async () => {
    await script({ on: 'void' }, { share: 0 }, { on: 'lookup', fault: 'error', times: 2 }, { fault: 'slow', ms: 1 })
    const reference = 'neverheardofthis0000'
    const answers = []
    for (let number = 0; number < 4; number++) answers.push((await gateway.lookup({ reference }, noDeadline())).outcome)
    expect(answers).toEqual(['unknown', 'unknown', 'not_found', 'not_found'])
    const remaining: Rule[] = await (await fetch(`${running.url}/faults`)).json()
    expect(remaining.map(({ times }) => times)).toEqual([1, 1, 0, 0])
  })

  it('fails about the requested share of the requests', async () => {
    await put([{ on: 'lookup', fault: 'error', share: 0.5 }])
    const request = Array.from({ length: 200 }, () => gateway.lookup({ reference: 'none' }, noDeadline()))
    const lost = (await Promise.all(request)).filter(({ outcome }) => outcome === 'unknown').length
    expect(lost).toBeGreaterThan(50)
    expect(lost).toBeLessThan(150)
  })

  const good = { on: 'any', fault: 'slow', share: 1 }
  it.each([
    ['not a list', good],
    ['an unknown operation', [{ ...good, on: 'review' }]],
    ['an unknown fault', [{ ...good, fault: 'fire' }]],
    ['no share', [{ on: 'any', fault: 'slow' }]],
    ['a share above one', [{ ...good, share: 10 }]],
    ['half a time', [{ ...good, times: 0.5 }]],
    ['a mistyped field', [{ ...good, time: 3 }]],
  ])('rejects a script with %s and keeps the current one', async (_what, bad) => {
    await put([good])
    const reply = await put(bad)
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringMatching(/^Invalid: .+\.\n$/)])
    expect(await (await fetch(`${running.url}/faults`)).json()).toEqual([good])
  })

  it('supports the test card whose request is lost', async () => {
    const request = hold(cards.requestLost)
    expect(await gateway.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
    expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'not_found' })
  })
})

describe('the sandbox process', () => {
  const open = async (ledgerFile: string) => {
    const port = await freePort()
    const program = runProgram(
      'server/gateways/payment/sandbox/main.ts',
      ['--port', String(port), '--ledger', ledgerFile],
      {},
    )
    const url = `http://127.0.0.1:${port}`
    while (!program.output().includes(`sandbox: open ${url}\n`)) await sleep(20)
    return { ...program, url, gateway: remoteSandbox(url) }
  }

  it('remembers its transactions after SIGKILL, and exits on SIGTERM', async () => {
    const file = newFile()
    const first = await open(file)
    const request = hold(cards.good)
    const answer = await first.gateway.authorize(request, noDeadline())
    first.child.kill('SIGKILL')
    await first.ended
    const second = await open(file)
    expect(await second.gateway.lookup(request, noDeadline())).toEqual(answer)
    second.child.kill('SIGTERM')
    expect(await second.ended).toEqual({ code: 0, signal: null })
  })

  it('agrees with another process on the same ledger, even about simultaneous requests', async () => {
    const file = newFile()
    const both = await Promise.all([open(file), open(file)])
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => hold(cards.good)).map(async (request) => {
        const [one, other] = await Promise.all(both.map(({ gateway }) => gateway.authorize(request, noDeadline())))
        expect(one).toMatchObject({ outcome: 'approved' })
        expect(other).toEqual(one)
        const id = one?.outcome === 'approved' ? one.transaction_id : ''
        const [captured, voided] = await Promise.all([
          both[0]?.gateway.capture(id, noDeadline()),
          both[1]?.gateway.void(id, noDeadline()),
        ])
        expect([captured, voided].toSorted()).toEqual(['done', 'refused'])
        return id
      }),
    )
    expect(new Set(answers).size).toBe(200)
    const [one, other] = await Promise.all(both.map(({ gateway }) => gateway.transactions(testStart, noDeadline())))
    expect(one).toHaveLength(200)
    expect(other).toEqual(one)
    for (const { child, ended } of both) {
      child.kill('SIGINT')
      await ended
    }
  })

  it('prints its usage when the arguments are wrong', async () => {
    const { ended, output } = runProgram('server/gateways/payment/sandbox/main.ts', ['--port', 'x'], {})
    expect((await ended).code).toBe(2)
    expect(output()).toContain('--port N --ledger FILE')
  })
})

describe('the sandbox page', () => {
  it('lists transactions, newest first, and accepts verdicts', async () => {
    const ledgerFile = newFile()
    const running = await start(ledgerFile)
    const gateway = remoteSandbox(running.url)
    const page = async () => (await fetch(running.url)).text()
    expect(await page()).toContain('No transactions yet.')

    const [first, second] = [hold(cards.good), { ...hold(cards.review), amount_cents: 2550 }]
    const answer = await gateway.authorize(first, noDeadline())
    if (answer.outcome === 'approved') await gateway.capture(answer.transaction_id, noDeadline())
    await gateway.authorize(second, noDeadline())
    const html = await page()
    expect(html.indexOf(second.reference)).toBeLessThan(html.indexOf(first.reference))
    expect(html.replace(/<[^>]+>/g, ' ')).toMatch(/Held\s+\$25\.50\s+Captured\s+\$99\.00\s+Refunded\s+\$0\.00/)
    expect(html.match(/<form/g)).toHaveLength(1)
    for (const secret of [cards.good, cards.review, first.billing.address]) expect(html).not.toContain(secret)

    const transaction_id = /name="transaction_id" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const decide = (headers: Record<string, string>) =>
      fetch(`${running.url}/review`, {
        method: 'POST',
        headers,
        redirect: 'manual',
        body: new URLSearchParams({ transaction_id, verdict: 'approve' }),
      })
    expect((await decide({ origin: 'https://elsewhere.example' })).status).toBe(403)
    expect((await gateway.lookup(second, noDeadline())).outcome).toBe('review')
    expect((await decide({ origin: running.url })).status).toBe(303)
    expect((await gateway.lookup(second, noDeadline())).outcome).toBe('approved')
    expect(await gateway.review(transaction_id, 'decline')).toBe(false)
    expect(await readFile(ledgerFile, 'utf8')).not.toContain(cards.good)
    await running.close()
  })
})

describe('an invalid request', () => {
  it.each([
    ['POST', '/authorize', '{"reference":', 400, 'The request is not JSON.'],
    ['POST', '/authorize', '{"reference":"x"}', 400, 'Invalid: amount_cents, card, billing.'],
    ['POST', '/charge', '{"reference":"x"}', 400, 'Invalid: amount_cents, vault_reference, is_retry.'],
    ['POST', '/replace-card', '{"reference":"x"}', 400, 'Invalid: vault_reference, card, billing.'],
    ['POST', '/refund', '{}', 400, 'Invalid: refund_reference, transaction_id, amount_cents.'],
    ['POST', '/dispute', '{"transaction_id":"x","change":"lost"}', 400, 'Invalid: change.'],
    ['POST', '/clock', '{"advance_seconds":-1}', 400, 'Invalid: advance_seconds.'],
    ['POST', '/capture', '{}', 400, 'Invalid: transaction_id.'],
    ['POST', '/review', '{"transaction_id":"x","verdict":"maybe"}', 400, 'Invalid: verdict.'],
    ['POST', '/lookup', `"${'x'.repeat(70_000)}"`, 413, 'The request is longer than 64 kB.'],
    ['GET', '/transactions', undefined, 400, 'Invalid: since.'],
    ['GET', '/transactions?since=yesterday', undefined, 400, 'Invalid: since.'],
    ['GET', '/elsewhere', undefined, 404, 'Not found.'],
    ['DELETE', '/faults', undefined, 404, 'Not found.'],
  ])('%s %s gets an error message', async (method, path, body, status, sentence) => {
    const running = await start()
    const reply = await fetch(`${running.url}${path}`, { method, ...(body ? { body } : {}) })
    expect([reply.status, await reply.text()]).toEqual([status, `${sentence}\n`])
    await running.close()
  })
})
