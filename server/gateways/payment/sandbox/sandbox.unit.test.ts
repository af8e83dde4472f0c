import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isCardNumber } from '#contract/card.ts'
import { testPaymentAdapter } from '#server/gateways/payment/adapter-tests.ts'
import { cards, testCards } from '#server/gateways/payment/cards.ts'
import { hold, movingClock, playBank, tenSeconds } from '#server/gateways/payment/test-requests.ts'
import { openLedger } from './ledger.ts'
import { type SandboxGateway, sandboxPayments } from './sandbox.ts'

const clock = () => new Date()

let folder: string
let file: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-sandbox-'))
})
beforeEach(() => {
  file = join(folder, `ledger${++files}.jsonl`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

testPaymentAdapter('sandbox', async () => {
  const own = join(folder, 'adapter-tests.jsonl')
  const { now, advance } = movingClock()
  const gateway = sandboxPayments(own, now)
  return {
    gateway,
    reopen: async () => {
      await appendFile(own, '{"cut short') // as after a crash
      return sandboxPayments(own, now)
    },
    ...playBank(gateway, advance),
    close: async () => undefined,
  }
})

describe('the test cards', () => {
  it.each(Object.entries(testCards))('%s is accepted by the form', (_name, { number }) => {
    expect(isCardNumber(number)).toBe(true)
  })

  it('all have different numbers', () => {
    expect(new Set(Object.values(cards)).size).toBe(Object.keys(cards).length)
  })

  it('include one whose request is lost: nothing is held', async () => {
    const sandbox = sandboxPayments(file, clock)
    const request = hold(cards.requestLost)
    expect(await sandbox.authorize(request, tenSeconds())).toEqual({ outcome: 'unknown' })
    expect(await sandbox.lookup(request, tenSeconds())).toEqual({ outcome: 'not_found' })
  })
})

describe('a transaction under review', () => {
  const inReview = async (sandbox: SandboxGateway) => {
    const request = hold(cards.review)
    const answer = await sandbox.authorize(request, tenSeconds())
    return { request, transaction_id: answer.outcome === 'review' ? answer.transaction_id : '' }
  }

  it('can be captured once it is approved', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { request, transaction_id } = await inReview(sandbox)
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('refused')
    expect(await sandbox.review(transaction_id, 'approve')).toBe(true)
    const { outcome, vault_reference } = (await sandbox.lookup(request, tenSeconds())) as Record<string, string>
    expect([outcome, vault_reference]).toEqual(['approved', expect.stringMatching(/^vault_/)])
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('done')
    expect(await sandbox.review(transaction_id, 'decline')).toBe(false)
  })

  it('costs nothing if it is declined', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { request, transaction_id } = await inReview(sandbox)
    expect(await sandbox.review(transaction_id, 'decline')).toBe(true)
    expect(await sandbox.lookup(request, tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'fraud' })
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('refused')
  })

  it('is the only one that accepts a verdict', async () => {
    const sandbox = sandboxPayments(file, clock)
    const answer = await sandbox.authorize(hold(cards.good), tenSeconds())
    expect(await sandbox.review('transaction_id' in answer ? answer.transaction_id : '', 'decline')).toBe(false)
    expect(await sandbox.review('never', 'approve')).toBe(false)
  })
})

describe('the ledger', () => {
  const heldEntry = (reference: string) => ({ reference, amount_cents: 9900, state: 'held' as const })
  /** A clock that is read just before we write: it lets another process write its lines first. */
  const racingClock = (...theirs: object[]) => {
    return () => {
      for (const line of theirs.splice(0)) appendFileSync(file, `\n${JSON.stringify(line)}\n`)
      return clock()
    }
  }

  it('9.3 is readable only by its owner', () => {
    const own = join(folder, 'new', 'ledger.jsonl')
    openLedger(own, clock).add(heldEntry('one'))
    const modes = [own, join(folder, 'new')].map((path) => (statSync(path).mode & 0o777).toString(8))
    expect(modes).toEqual(['600', '700'])
  })

  it('lets the first line win when two processes decide for one reference at once', () => {
    const first = { at: '2026-11-15T12:00:00.000Z', transaction_id: 'theirs', ...heldEntry('one') }
    const ours = openLedger(file, racingClock(first))
    expect(ours.add(heldEntry('one')).transaction_id).toBe('theirs')
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    expect(lines).toHaveLength(2)
    expect(openLedger(file, clock).entries()).toMatchObject([{ transaction_id: 'theirs' }])
  })

  it('lets the first line win when one captures what another voids', () => {
    const entry = openLedger(file, clock).add(heldEntry('one'))
    const ours = openLedger(file, racingClock({ ...entry, state: 'voided' }))
    expect(ours.move(entry.transaction_id, 'captured')?.state).toBe('voided')
    expect(openLedger(file, clock).find('one')?.state).toBe('voided')
  })

  it('sees at once what another process has written', () => {
    const [one, other] = [openLedger(file, clock), openLedger(file, clock)]
    const { transaction_id } = one.add(heldEntry('one'))
    expect(other.move(transaction_id, 'captured')?.state).toBe('captured')
    expect(one.find('one')?.state).toBe('captured')
  })

  it('keeps the times of the first and last change', async () => {
    let time = '2026-11-15T12:00:00.000Z'
    const ledger = openLedger(file, () => new Date(time))
    const { transaction_id } = ledger.add(heldEntry('one'))
    time = '2026-11-16T12:00:00.000Z'
    ledger.move(transaction_id, 'captured')
    ledger.add(heldEntry('two'))
    expect(ledger.entries()).toMatchObject([
      { reference: 'one', at: '2026-11-15T12:00:00.000Z', updated_at: '2026-11-16T12:00:00.000Z' },
      { reference: 'two' },
    ])
    const sandbox = sandboxPayments(file, clock)
    expect(await sandbox.transactions(new Date('2026-11-16'), tenSeconds())).toHaveLength(2)
    expect(await sandbox.transactions(new Date('2026-11-17'), tenSeconds())).toHaveLength(0)
  })

  it('skips lines that a crash cut short', async () => {
    openLedger(file, clock).add(heldEntry('one'))
    await appendFile(file, '{"at":"2026-11-15T12:00:00.000Z","transaction_id":"cut')
    openLedger(file, clock).add(heldEntry('two'))
    await appendFile(file, '\nnull\n{}\n')
    expect(openLedger(file, clock).entries()).toMatchObject([{ reference: 'one' }, { reference: 'two' }])
  })

  it('never contains card data', async () => {
    const sandbox = sandboxPayments(file, clock)
    for (const { number } of Object.values(testCards)) await sandbox.authorize(hold(number), AbortSignal.timeout(50))
    const text = readFileSync(file, 'utf8')
    for (const { number } of Object.values(testCards)) expect(text).not.toContain(number)
    expect(text).not.toMatch(/cc_|Example|Main St/)
  })
})
