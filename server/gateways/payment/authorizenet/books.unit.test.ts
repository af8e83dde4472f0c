import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../scripts/port.mjs'
import { cards } from '../cards.ts'
import { hold, newReference, tenSeconds } from '../adapter-tests.ts'
import { startEmulatedGateway } from './emulator/emulated-gateway.ts'

let clock = new Date()
const now = () => clock
const emulation = await startEmulatedGateway(await freePort(), now)
const { emulator, gateway, approved, captured, statusOf } = emulation
const pass = (milliseconds: number) => {
  clock = new Date(clock.getTime() + milliseconds)
}
beforeEach(() => {
  clock = new Date('2026-03-01T12:00:00.500Z')
  emulation.begin()
})
afterAll(emulator.close)

describe('a lookup', () => {
  it.each([
    ['authorizedPendingCapture', 'approved'],
    ['capturedPendingSettlement', 'approved'],
    ['settledSuccessfully', 'approved'],
    ['settlementError', 'approved'],
    ['FDSPendingReview', 'review'],
    ['FDSAuthorizedPendingReview', 'review'],
    ['underReview', 'review'],
    ['declined', 'declined'],
    ['failedReview', 'declined'],
    ['communicationError', 'declined'],
    ['voided', 'declined'],
    ['expired', 'declined'],
    ['generalError', 'unknown'],
    ['couldNotVoid', 'unknown'],
    ['authorizedPendingRelease', 'unknown'],
    ['somethingNew', 'unknown'],
    ['refundSettledSuccessfully', 'not_found'],
  ])('of %s is %s', async (transactionStatus, outcome) => {
    const asked = hold()
    emulator.add({ invoiceNumber: asked.reference, transactionStatus })
    expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe(outcome)
  })

  it('of a known transaction that is gone is not "never heard of"', async () => {
    const asked = { reference: newReference(), transaction_id: '1234567' }
    expect(await gateway.lookup(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
  })

  it.each([
    ['declined', 'authorizedPendingCapture'],
    ['authorizedPendingCapture', 'declined'],
  ])('prefers the one that has the money (%s, then %s)', async (one, other) => {
    const asked = hold()
    for (const transactionStatus of [one, other]) emulator.add({ invoiceNumber: asked.reference, transactionStatus })
    expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe('approved')
  })

  it('turns pages', async () => {
    const asked = hold()
    emulator.add({ invoiceNumber: asked.reference, submitted: new Date(now().getTime() - 3_600_000) })
    for (let each = 0; each < 2000; each++) emulator.add({ invoiceNumber: 'another' })
    expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe('approved')
    expect(emulator.received.filter((text) => text.includes('getUnsettled'))).toHaveLength(3)
  })

  it('finds what is settled, for a week', async () => {
    const asked = hold()
    const transaction_id = await captured(asked)
    emulator.settle()
    expect(statusOf(transaction_id)).toBe('settledSuccessfully')
    pass(6 * 86_400_000)
    expect(await gateway.lookup(asked, tenSeconds())).toMatchObject({ outcome: 'approved', transaction_id })
    expect(await gateway.lookup({ reference: newReference() }, tenSeconds())).toEqual({ outcome: 'not_found' })
  })

  it('reads no batch that was settled before it was asked for', async () => {
    const asked = hold()
    for (let day = 0; day < 7; day++) {
      emulator.add({ transactionStatus: 'capturedPendingSettlement', submitted: now() })
      emulator.settle()
      pass(86_400_000)
    }
    const since = new Date(now().getTime() - 3_600_000)
    emulator.received.length = 0
    expect(await gateway.lookup({ reference: asked.reference, since }, tenSeconds())).toEqual({ outcome: 'not_found' })
    expect(emulator.received.length).toBeLessThanOrEqual(3) // unsettled, the batches, at most one of them
    await captured(asked)
    emulator.settle()
    pass(5 * 86_400_000)
    expect((await gateway.lookup({ reference: asked.reference, since }, tenSeconds())).outcome).toBe('approved')
  })
})

describe('capture and void', () => {
  it('a capture that was refused because it is settled is done', async () => {
    const transaction_id = await captured()
    emulator.settle()
    expect(await gateway.capture(transaction_id, tenSeconds())).toBe('done')
  })

  it.each([
    ['voided', 'refused', 'done'],
    ['expired', 'refused', 'done'],
    ['declined', 'refused', 'refused'],
    ['generalError', 'refused', 'refused'],
    ['settledSuccessfully', 'done', 'refused'],
    ['couldNotVoid', 'unknown', 'unknown'],
  ])('of %s: capture %s, void %s', async (transactionStatus, capture, letGo) => {
    const { transId } = emulator.add({ transactionStatus, batchId: '1' })
    expect(await gateway.capture(transId, tenSeconds())).toBe(capture)
    expect(await gateway.void(transId, tenSeconds())).toBe(letGo)
    expect(statusOf(transId)).toBe(transactionStatus)
  })

  it('a captured transaction is never voided by mistake, though the vendor would', async () => {
    const transaction_id = await captured()
    expect(await gateway.void(transaction_id, tenSeconds())).toBe('refused')
    expect(statusOf(transaction_id)).toBe('capturedPendingSettlement')
  })

  it('what is held for review can be let go', async () => {
    const held = await gateway.authorize(hold(cards.review), tenSeconds())
    if (held.outcome !== 'review') throw new Error(held.outcome)
    expect(await gateway.capture(held.transaction_id, tenSeconds())).toBe('unknown')
    expect(await gateway.void(held.transaction_id, tenSeconds())).toBe('done')
    expect(await gateway.void(held.transaction_id, tenSeconds())).toBe('done')
  })

  it('does not give up a capture because its books are slower than we are', async () => {
    expect(await gateway.capture('99999', tenSeconds())).toBe('unknown')
  })

  it.each(['never', '', '0', 'sb_1', '99999'])(
    'does nothing to a transaction that is not there (%s)',
    async (transId) => {
      expect(await gateway.capture(transId, tenSeconds())).not.toBe('done')
      expect(await gateway.void(transId, tenSeconds())).toBe('refused')
      expect(await gateway.refund(transId, 9900, tenSeconds())).toBe('refused')
    },
  )
})

describe('a refund', () => {
  it('of what is not settled yet is a void', async () => {
    const transaction_id = await captured()
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
    expect(statusOf(transaction_id)).toBe('voided')
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
  })

  it('of a part waits for the settlement', async () => {
    const transaction_id = await captured()
    expect(await gateway.refund(transaction_id, 500, tenSeconds())).toBe('unknown')
    expect(statusOf(transaction_id)).toBe('capturedPendingSettlement')
    emulator.settle()
    expect(await gateway.refund(transaction_id, 500, tenSeconds())).toBe('done')
  })

  it('of what is settled names the last four digits and is made once, within the window and after it', async () => {
    const asked = hold()
    const transaction_id = await captured(asked)
    emulator.settle()
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
    expect(emulator.received.at(-1)).toContain('"cardNumber":"4242","expirationDate":"XXXX"')
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
    pass(9 * 3_600_000)
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
    expect([...emulator.entries.values()].filter(({ refTransId }) => refTransId)).toHaveLength(1)
    expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe('approved')
  })

  it('of more than is left is refused', async () => {
    const transaction_id = await captured()
    emulator.settle()
    expect(await gateway.refund(transaction_id, 5000, tenSeconds())).toBe('done')
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('refused')
  })

  it('of what is only held, or declined, is refused', async () => {
    const { transaction_id } = await approved()
    expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('refused')
  })
})

describe('the books', () => {
  it('show every transaction once with its state, settled or not, over more than a month', async () => {
    const since = now()
    const early = hold()
    const transaction_id = await captured(early)
    emulator.settle()
    pass(40 * 86_400_000)
    const late = await captured()
    emulator.settle()
    const back = await captured()
    emulator.settle()
    await gateway.refund(back, 9900, tenSeconds())
    const gone = (await approved()).transaction_id
    await gateway.void(gone, tenSeconds())
    const held = (await approved()).transaction_id
    await gateway.authorize(hold(cards.declined), tenSeconds())
    await gateway.authorize(hold(cards.review), tenSeconds())

    const books = await gateway.transactions(since, tenSeconds())
    const states = new Map(books.map((line) => [line.transaction_id, line.state]))
    expect(books).toHaveLength(7)
    expect(books).toContainEqual({
      transaction_id,
      reference: early.reference,
      amount_cents: 9900,
      state: 'captured',
    })
    expect([late, back, gone, held].map((each) => states.get(each))).toEqual(['captured', 'refunded', 'voided', 'held'])
    expect([...states.values()].filter((state) => state === 'declined' || state === 'review')).toHaveLength(2)

    const [latest] = await gateway.transactions(new Date(now().getTime() + 1000), tenSeconds())
    expect(latest).toBeUndefined()
  })

  it('are all there on several pages', async () => {
    for (let each = 0; each < 1001; each++) emulator.add({ invoiceNumber: `number${each}` })
    expect(await gateway.transactions(now(), tenSeconds())).toHaveLength(1001)
    for (const entry of emulator.entries.values()) entry.transactionStatus = 'capturedPendingSettlement'
    emulator.settle()
    expect(await gateway.transactions(now(), tenSeconds())).toHaveLength(1001)
  })

  it('keep a refund of an older transaction, and count cents exactly', async () => {
    emulator.add({ invoiceNumber: 'older', transactionStatus: 'refundPendingSettlement', amount: 19.99 })
    expect(await gateway.transactions(now(), tenSeconds())).toMatchObject([{ state: 'refunded', amount_cents: 1999 }])
  })
})
