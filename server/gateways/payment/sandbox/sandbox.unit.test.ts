import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isCardNumber } from '#contract/card.ts'
import { cards, testCards } from '#server/gateways/payment/cards.ts'
import { hold, testPaymentAdapter, tenSeconds } from '#server/gateways/payment/promise.ts'
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
  const own = join(folder, 'promise.jsonl')
  return {
    gateway: sandboxPayments(own, clock),
    reopen: async () => {
      await appendFile(own, '{"cut short') // as a crash leaves it
      return sandboxPayments(own, clock)
    },
    close: async () => undefined,
  }
})

describe('the test cards', () => {
  it.each(Object.entries(testCards))('%s is one that the form accepts', (_name, { number }) => {
    expect(isCardNumber(number)).toBe(true)
  })

  it('are each another number', () => {
    expect(new Set(Object.values(cards)).size).toBe(Object.keys(cards).length)
  })

  it('include one that is lost on the way: nothing is held', async () => {
    const sandbox = sandboxPayments(file, clock)
    const asked = hold(cards.neverHeard)
    expect(await sandbox.authorize(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
    expect(await sandbox.lookup(asked, tenSeconds())).toEqual({ outcome: 'not_found' })
  })
})

describe('what is held for review', () => {
  const inReview = async (sandbox: SandboxGateway) => {
    const asked = hold(cards.review)
    const answer = await sandbox.authorize(asked, tenSeconds())
    return { asked, transaction_id: answer.outcome === 'review' ? answer.transaction_id : '' }
  }

  it('is approved, and can then be captured', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { asked, transaction_id } = await inReview(sandbox)
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('refused')
    expect(await sandbox.review(transaction_id, 'approve')).toBe(true)
    const { outcome, vault_reference } = (await sandbox.lookup(asked, tenSeconds())) as Record<string, string>
    expect([outcome, vault_reference]).toEqual(['approved', expect.stringMatching(/^vault_/)])
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('done')
    expect(await sandbox.review(transaction_id, 'decline')).toBe(false)
  })

  it('is declined, and costs nothing', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { asked, transaction_id } = await inReview(sandbox)
    expect(await sandbox.review(transaction_id, 'decline')).toBe(true)
    expect(await sandbox.lookup(asked, tenSeconds())).toEqual({ outcome: 'declined', decline_class: 'fraud' })
    expect(await sandbox.capture(transaction_id, tenSeconds())).toBe('refused')
  })

  it('is nothing else: a held amount has no verdict', async () => {
    const sandbox = sandboxPayments(file, clock)
    const answer = await sandbox.authorize(hold(cards.good), tenSeconds())
    expect(await sandbox.review('transaction_id' in answer ? answer.transaction_id : '', 'decline')).toBe(false)
    expect(await sandbox.review('never', 'approve')).toBe(false)
  })
})

describe('the ledger', () => {
  const decided = (reference: string) => ({ reference, amount_cents: 9900, state: 'held' as const })
  /** A clock that is asked just before we write: the moment in which another process writes its own lines. */
  const racing = (...theirs: object[]) => {
    return () => {
      for (const line of theirs.splice(0)) appendFileSync(file, `\n${JSON.stringify(line)}\n`)
      return clock()
    }
  }

  it('9.3 is read by its owner only, in a folder of theirs', () => {
    const own = join(folder, 'made', 'ledger.jsonl')
    openLedger(own, clock).add(decided('one'))
    const modes = [own, join(folder, 'made')].map((path) => (statSync(path).mode & 0o777).toString(8))
    expect(modes).toEqual(['600', '700'])
  })

  it('lets the first line win when two processes decide for one reference at once', () => {
    const first = { at: '2026-11-15T12:00:00.000Z', transaction_id: 'theirs', ...decided('one') }
    const ours = openLedger(file, racing(first))
    expect(ours.add(decided('one')).transaction_id).toBe('theirs')
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    expect(lines).toHaveLength(2)
    expect(openLedger(file, clock).entries()).toMatchObject([{ transaction_id: 'theirs' }])
  })

  it('lets the first line win when one captures what another voids', () => {
    const entry = openLedger(file, clock).add(decided('one'))
    const ours = openLedger(file, racing({ ...entry, state: 'voided' }))
    expect(ours.move(entry.transaction_id, 'captured')?.state).toBe('voided')
    expect(openLedger(file, clock).find('one')?.state).toBe('voided')
  })

  it('learns at once what another process has written', () => {
    const [one, other] = [openLedger(file, clock), openLedger(file, clock)]
    const { transaction_id } = one.add(decided('one'))
    expect(other.move(transaction_id, 'captured')?.state).toBe('captured')
    expect(one.find('one')?.state).toBe('captured')
  })

  it('keeps when it first and last heard of something', async () => {
    let time = '2026-11-15T12:00:00.000Z'
    const ledger = openLedger(file, () => new Date(time))
    const { transaction_id } = ledger.add(decided('one'))
    time = '2026-11-16T12:00:00.000Z'
    ledger.move(transaction_id, 'captured')
    ledger.add(decided('two'))
    expect(ledger.entries()).toMatchObject([
      { reference: 'one', at: '2026-11-15T12:00:00.000Z', heard_at: '2026-11-16T12:00:00.000Z' },
      { reference: 'two' },
    ])
    const sandbox = sandboxPayments(file, clock)
    expect(await sandbox.transactions(new Date('2026-11-16'), tenSeconds())).toHaveLength(2)
    expect(await sandbox.transactions(new Date('2026-11-17'), tenSeconds())).toHaveLength(0)
  })

  it('reads around lines that a crash cut short', async () => {
    openLedger(file, clock).add(decided('one'))
    await appendFile(file, '{"at":"2026-11-15T12:00:00.000Z","transaction_id":"cut')
    openLedger(file, clock).add(decided('two'))
    await appendFile(file, '\nnull\n{}\n')
    expect(openLedger(file, clock).entries()).toMatchObject([{ reference: 'one' }, { reference: 'two' }])
  })

  it('never holds a card', async () => {
    const sandbox = sandboxPayments(file, clock)
    for (const { number } of Object.values(testCards)) await sandbox.authorize(hold(number), AbortSignal.timeout(50))
    const text = readFileSync(file, 'utf8')
    for (const { number } of Object.values(testCards)) expect(text).not.toContain(number)
    expect(text).not.toMatch(/cc_|Example|Main St/)
  })
})
