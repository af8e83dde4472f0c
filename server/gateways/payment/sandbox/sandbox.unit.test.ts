import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { isCardNumber } from '#contract/card.ts'
import { testPaymentAdapter } from '#emulators/adapter-tests/payment.ts'
import { hold, movingClock, noDeadline, playBank, refundOf, renewal } from '#emulators/adapter-tests/requests.ts'
import { cards, testCards } from '#server/gateways/payment/cards.ts'
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
    expect(await sandbox.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
    expect(await sandbox.lookup(request, noDeadline())).toEqual({ outcome: 'not_found' })
  })
})

describe('a transaction under review', () => {
  const inReview = async (sandbox: SandboxGateway) => {
    const request = hold(cards.review)
    const answer = await sandbox.authorize(request, noDeadline())
    return { request, transaction_id: answer.outcome === 'review' ? answer.transaction_id : '' }
  }

  it('can be captured once it is approved', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { request, transaction_id } = await inReview(sandbox)
    expect(await sandbox.capture(transaction_id, noDeadline())).toBe('refused')
    expect(await sandbox.review(transaction_id, 'approve')).toBe(true)
    const { outcome, vault_reference } = (await sandbox.lookup(request, noDeadline())) as Record<string, string>
    expect([outcome, vault_reference]).toEqual(['approved', expect.stringMatching(/^vault_/)])
    expect(await sandbox.capture(transaction_id, noDeadline())).toBe('done')
    expect(await sandbox.review(transaction_id, 'decline')).toBe(false)
  })

  it('costs nothing if it is declined', async () => {
    const sandbox = sandboxPayments(file, clock)
    const { request, transaction_id } = await inReview(sandbox)
    expect(await sandbox.review(transaction_id, 'decline')).toBe(true)
    expect(await sandbox.lookup(request, noDeadline())).toEqual({ outcome: 'declined', decline_class: 'fraud' })
    expect(await sandbox.capture(transaction_id, noDeadline())).toBe('refused')
  })

  it('is the only one that accepts a verdict', async () => {
    const sandbox = sandboxPayments(file, clock)
    const answer = await sandbox.authorize(hold(cards.good), noDeadline())
    expect(await sandbox.review('transaction_id' in answer ? answer.transaction_id : '', 'decline')).toBe(false)
    expect(await sandbox.review('never', 'approve')).toBe(false)
  })
})

describe('a stored card', () => {
  it('is charged until the end of its month, wherever the cardholder is', async () => {
    let time = '2026-11-15T12:00:00.000Z'
    const sandbox = sandboxPayments(file, () => new Date(time))
    const request = hold(cards.good)
    request.card = { ...request.card, cc_year: '2027', cc_month: '01' }
    const joined = await sandbox.authorize(request, noDeadline())
    const charge = () =>
      sandbox.charge(renewal(joined.outcome === 'approved' ? joined.vault_reference : ''), noDeadline())
    time = '2027-02-01T11:59:00.000Z' // still January at UTC-12
    expect((await charge()).outcome).toBe('approved')
    time = '2027-02-01T12:00:00.000Z'
    expect(await charge()).toEqual({ outcome: 'declined', decline_class: 'card', issuer_code: '54' })
  })

  it('of an older ledger, which kept only its reference, can be charged', async () => {
    const old = {
      transaction_id: 'sb_old',
      reference: 'old',
      amount_cents: 9900,
      state: 'held',
      vault_reference: 'vault_old',
    }
    await appendFile(file, [old, { ...old, state: 'captured' }].map((line) => `\n${JSON.stringify(line)}\n`).join(''))
    const sandbox = sandboxPayments(file, clock)
    const approved = await sandbox.lookup({ reference: 'old' }, noDeadline())
    expect(approved).toMatchObject({ outcome: 'approved', vault_reference: 'vault_old' })
    expect(approved).not.toHaveProperty('card')
    expect((await sandbox.charge(renewal('vault_old'), noDeadline())).outcome).toBe('approved')
    expect(await sandbox.refund(refundOf('sb_old', 100), noDeadline())).toBe('done') // it settled long ago
  })
})

describe('the sandbox', () => {
  it('disputes only what is captured, and ends only a dispute', async () => {
    const sandbox = sandboxPayments(file, clock)
    const held = await sandbox.authorize(hold(cards.good), noDeadline())
    const id = held.outcome === 'approved' ? held.transaction_id : ''
    expect(await sandbox.dispute(id, 'open')).toBe(false)
    await sandbox.capture(id, noDeadline())
    expect(await sandbox.dispute(id, 'won')).toBe(false)
    expect(await sandbox.dispute(id, 'open')).toBe(true)
    expect(await sandbox.dispute(id, 'open')).toBe(false)
    expect(await sandbox.capture(id, noDeadline())).toBe('done')
    expect(await sandbox.transactions(new Date(0), noDeadline())).toMatchObject([{ state: 'disputed' }])
    expect(await sandbox.dispute('never', 'open')).toBe(false)
  })

  it('shows a dispute that is due as a change of that time, once', async () => {
    let time = '2026-11-15T12:00:00.000Z'
    const open = () => sandboxPayments(file, () => new Date(time))
    const joined = await open().authorize(hold(cards.renewalDisputed), noDeadline())
    await open().charge(renewal(joined.outcome === 'approved' ? joined.vault_reference : ''), noDeadline())
    time = '2026-11-16T11:59:59.000Z'
    expect(await open().transactions(new Date(time), noDeadline())).toEqual([])
    time = '2026-11-16T12:00:00.000Z'
    const [disputed] = await open().transactions(new Date(time), noDeadline())
    expect(disputed).toMatchObject({ state: 'disputed', is_renewal: true })
    expect(await open().dispute(disputed?.transaction_id ?? '', 'won')).toBe(true)
    expect(await open().transactions(new Date(time), noDeadline())).toMatchObject([{ state: 'captured' }])
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

  it('lets the first line win when two processes refund more than there is', () => {
    const entry = openLedger(file, clock).add({ ...heldEntry('one'), state: 'captured' })
    const { transaction_id } = entry
    const theirs = { transaction_id, refund_reference: 'theirs', refund_cents: 6000, at: entry.at }
    const ours = openLedger(file, racingClock(theirs))
    const after = ours.refund({ transaction_id, refund_reference: 'ours', refund_cents: 6000 })
    expect([...(after?.refunds ?? [])]).toEqual([['theirs', 6000]])
    expect(openLedger(file, clock).find('one')).toMatchObject({ state: 'captured', refunded_cents: 6000 })
  })

  it('reads each line once, and then only what is new', async () => {
    const lines: string[] = []
    for (let n = 0; n < 10_000; n++) {
      const vault_reference = `vault_${n}`
      const transaction = { transaction_id: `sb_${n}`, reference: `r${n}`, amount_cents: 9900, vault_reference }
      const at = '2026-11-15T12:00:00.000Z'
      lines.push(
        JSON.stringify({
          at,
          vault_reference,
          test_card: 'good',
          brand: 'visa',
          last_four: '4242',
          expires: '2030-07',
        }),
      )
      for (const state of ['held', 'captured']) lines.push(JSON.stringify({ at, ...transaction, state }))
    }
    await writeFile(file, `${lines.join('\n')}\n`)
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const linesRead = () => parse.mock.calls.filter(([text]) => text).length
    const ledger = openLedger(file, clock)
    expect([ledger.entries().length, linesRead()]).toEqual([10_000, 30_000])
    for (let n = 0; n < 100; n++) ledger.find(`r${n}`)
    expect(linesRead()).toBe(30_000)
    await appendFile(file, `${lines[0]}\n`)
    expect([ledger.entries().length, linesRead()]).toEqual([10_000, 30_001])
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
    expect(await sandbox.transactions(new Date('2026-11-16'), noDeadline())).toHaveLength(2)
    expect(await sandbox.transactions(new Date('2026-11-17'), noDeadline())).toHaveLength(0)
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
