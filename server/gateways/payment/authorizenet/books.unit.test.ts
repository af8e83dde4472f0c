import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { cardChange, hold, newReference, noDeadline, otherCard, refundOf } from '#emulators/adapter-tests/requests.ts'
import { startEmulatedGateway } from '#emulators/authorizenet/emulated-gateway.ts'
import { freePort } from '../../../../scripts/port.mjs'
import { cards } from '../cards.ts'

let clock = new Date()
const now = () => clock
const emulation = await startEmulatedGateway(await freePort(), now)
const { emulator, gateway, approved, captured, statusOf } = emulation
const advance = (milliseconds: number) => {
  clock = new Date(clock.getTime() + milliseconds)
}
beforeEach(() => {
  clock = new Date('2026-03-01T12:00:00.500Z')
  emulation.reset()
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
    const request = hold()
    emulator.add({ invoiceNumber: request.reference, transactionStatus })
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe(outcome)
  })

  it('of a known transaction that is missing is unknown, not "not found"', async () => {
    const request = { reference: newReference(), transaction_id: '1234567' }
    expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'unknown' })
  })

  it.each([
    ['declined', 'authorizedPendingCapture'],
    ['authorizedPendingCapture', 'declined'],
  ])('prefers the transaction with the money (%s, then %s)', async (first, second) => {
    const request = hold()
    for (const transactionStatus of [first, second])
      emulator.add({ invoiceNumber: request.reference, transactionStatus })
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
  })

  it('reads all pages', async () => {
    const request = hold()
    emulator.add({ invoiceNumber: request.reference, submitted: new Date(now().getTime() - 3_600_000) })
    for (let n = 0; n < 2000; n++) emulator.add({ invoiceNumber: 'another' })
    expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
    expect(emulator.received.filter((text) => text.includes('getUnsettled'))).toHaveLength(3)
  })

  it('finds settled transactions for a week', async () => {
    const request = hold()
    const transaction_id = await captured(request)
    emulator.settle()
    expect(statusOf(transaction_id)).toBe('settledSuccessfully')
    advance(6 * 86_400_000)
    expect(await gateway.lookup(request, noDeadline())).toMatchObject({ outcome: 'approved', transaction_id })
    expect(await gateway.lookup({ reference: newReference() }, noDeadline())).toEqual({ outcome: 'not_found' })
  })

  it('reads no batch that was settled before the attempt', async () => {
    const request = hold()
    for (let day = 0; day < 7; day++) {
      emulator.add({ transactionStatus: 'capturedPendingSettlement', submitted: now() })
      emulator.settle()
      advance(86_400_000)
    }
    const since = new Date(now().getTime() - 3_600_000)
    emulator.received.length = 0
    expect(await gateway.lookup({ reference: request.reference, since }, noDeadline())).toEqual({
      outcome: 'not_found',
    })
    expect(emulator.received.length).toBeLessThanOrEqual(3) // unsettled, the batches, at most one of them
    await captured(request)
    emulator.settle()
    advance(5 * 86_400_000)
    expect((await gateway.lookup({ reference: request.reference, since }, noDeadline())).outcome).toBe('approved')
  })
})

describe('capture and void', () => {
  it('a capture of a settled transaction is done', async () => {
    const transaction_id = await captured()
    emulator.settle()
    expect(await gateway.capture(transaction_id, noDeadline())).toBe('done')
  })

  it.each([
    ['voided', 'refused', 'done'],
    ['expired', 'refused', 'done'],
    ['declined', 'refused', 'refused'],
    ['generalError', 'refused', 'refused'],
    ['settledSuccessfully', 'done', 'refused'],
    ['couldNotVoid', 'unknown', 'unknown'],
  ])('of %s: capture %s, void %s', async (transactionStatus, capture, voidResult) => {
    const { transId } = emulator.add({ transactionStatus, batchId: '1' })
    expect(await gateway.capture(transId, noDeadline())).toBe(capture)
    expect(await gateway.void(transId, noDeadline())).toBe(voidResult)
    expect(statusOf(transId)).toBe(transactionStatus)
  })

  it('never voids a captured transaction, though the vendor would', async () => {
    const transaction_id = await captured()
    expect(await gateway.void(transaction_id, noDeadline())).toBe('refused')
    expect(statusOf(transaction_id)).toBe('capturedPendingSettlement')
  })

  it('a transaction under review can be voided', async () => {
    const held = await gateway.authorize(hold(cards.review), noDeadline())
    if (held.outcome !== 'review') throw new Error(held.outcome)
    expect(await gateway.capture(held.transaction_id, noDeadline())).toBe('unknown')
    expect(await gateway.void(held.transaction_id, noDeadline())).toBe('done')
    expect(await gateway.void(held.transaction_id, noDeadline())).toBe('done')
  })

  it('a capture is unknown while the vendor’s lists lag behind', async () => {
    expect(await gateway.capture('99999', noDeadline())).toBe('unknown')
  })

  it.each(['never', '', '0', 'sb_1', '99999'])('changes nothing for an unknown transaction (%s)', async (transId) => {
    expect(await gateway.capture(transId, noDeadline())).not.toBe('done')
    expect(await gateway.void(transId, noDeadline())).toBe('refused')
    expect(await gateway.refund(refundOf(transId, 9900), noDeadline())).toBe('refused')
  })
})

describe('a refund', () => {
  it('of an unsettled transaction is a void', async () => {
    const transaction_id = await captured()
    expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('voided')
    expect(statusOf(transaction_id)).toBe('voided')
    expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('voided')
  })

  it('of a partial amount waits for the settlement', async () => {
    const transaction_id = await captured()
    expect(await gateway.refund(refundOf(transaction_id, 500), noDeadline())).toBe('not_settled')
    expect(statusOf(transaction_id)).toBe('capturedPendingSettlement')
    emulator.settle()
    expect(await gateway.refund(refundOf(transaction_id, 500), noDeadline())).toBe('done')
  })

  it('of a settled transaction sends the last four digits and is made once, within the duplicate window and after it', async () => {
    const charge = hold()
    const refund = { ...refundOf(await captured(charge), 3000), since: now() }
    emulator.settle()
    expect(await gateway.refund(refund, noDeadline())).toBe('done')
    expect(emulator.received.at(-1)).toContain('"cardNumber":"4242","expirationDate":"XXXX"')
    expect(emulator.received.at(-1)).toContain(
      `"order":{"invoiceNumber":"${charge.reference}"},"customer":{"id":"${refund.refund_reference}"}`,
    )
    expect(await gateway.refund(refund, noDeadline())).toBe('done')
    advance(9 * 3_600_000)
    expect(await gateway.refund(refund, noDeadline())).toBe('done')
    emulator.settle()
    advance(20 * 86_400_000)
    expect(await gateway.refund(refund, noDeadline()), 'weeks later').toBe('done')
    expect([...emulator.entries.values()].filter(({ refTransId }) => refTransId)).toHaveLength(1)
  })

  it('that the vendor takes for a duplicate of another one is tried again later', async () => {
    const transaction_id = await captured()
    emulator.settle()
    expect(await gateway.refund(refundOf(transaction_id, 500), noDeadline())).toBe('done')
    emulator.decideNext({ responseCode: '3', reason: '11', transId: '0' })
    const second = refundOf(transaction_id, 500)
    expect(await gateway.refund(second, noDeadline())).toBe('unknown')
    expect(await gateway.refund(second, noDeadline())).toBe('done')
  })

  it('of more than the remaining amount is refused', async () => {
    const transaction_id = await captured()
    emulator.settle()
    expect(await gateway.refund(refundOf(transaction_id, 5000), noDeadline())).toBe('done')
    expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('refused')
  })

  it('of a held transaction is refused', async () => {
    const { transaction_id } = await approved()
    expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('refused')
  })
})

describe('the books', () => {
  it('list every transaction once with its state, settled or not, over more than a month', async () => {
    const since = now()
    const early = hold()
    const transaction_id = await captured(early)
    emulator.settle()
    advance(40 * 86_400_000)
    const late = await captured()
    emulator.settle()
    const refunded = await captured()
    emulator.settle()
    await gateway.refund(refundOf(refunded, 9900), noDeadline())
    const voided = (await approved()).transaction_id
    await gateway.void(voided, noDeadline())
    const held = (await approved()).transaction_id
    await gateway.authorize(hold(cards.declined), noDeadline())
    await gateway.authorize(hold(cards.review), noDeadline())

    const books = await gateway.transactions(since, noDeadline())
    const states = new Map(books.map((line) => [line.transaction_id, line.state]))
    expect(books).toHaveLength(7)
    expect(books).toContainEqual({
      transaction_id,
      reference: early.reference,
      amount_cents: 9900,
      state: 'captured',
    })
    expect([late, refunded, voided, held].map((id) => states.get(id))).toEqual([
      'captured',
      'refunded',
      'voided',
      'held',
    ])
    expect([...states.values()].filter((state) => state === 'declined' || state === 'review')).toHaveLength(2)

    const [latest] = await gateway.transactions(new Date(now().getTime() + 1000), noDeadline())
    expect(latest).toBeUndefined()
  })

  it('add up partial refunds', async () => {
    const charge = hold()
    const transaction_id = await captured(charge)
    emulator.settle()
    for (const cents of [1000, 2550]) await gateway.refund(refundOf(transaction_id, cents), noDeadline())
    expect(await gateway.transactions(new Date('2026-03-01'), noDeadline())).toEqual([
      { transaction_id, reference: charge.reference, amount_cents: 9900, state: 'captured', refunded_cents: 3550 },
    ])
  })

  it.each([
    ['chargeback', 'disputed'],
    ['returnedItem', 'disputed'],
    ['chargebackReversal', 'captured'],
  ])('show %s as %s, as a change of the charge or as a line of its own', async (transactionStatus, state) => {
    const charge = { invoiceNumber: 'first', transactionStatus: 'settledSuccessfully' }
    const charged = emulator.add(charge)
    emulator.add({ ...charge, transactionStatus })
    emulator.add({ invoiceNumber: 'second', transactionStatus })
    emulator.add({ invoiceNumber: '', transactionStatus: 'settledSuccessfully' })
    emulator.add({ invoiceNumber: '', transactionStatus: 'refundSettledSuccessfully' })
    const books = await gateway.transactions(now(), noDeadline())
    expect(books).toHaveLength(4)
    expect(books).toContainEqual(
      expect.objectContaining({ reference: 'first', transaction_id: charged.transId, state }),
    )
    expect(books).toContainEqual(expect.objectContaining({ reference: 'second', state }))
  })

  it('show the last word of a dispute', async () => {
    const transaction_id = await captured()
    emulator.settle()
    for (const [change, state] of [
      ['open', 'disputed'],
      ['won', 'captured'],
      ['open', 'disputed'],
    ] as const) {
      advance(1000)
      emulator.dispute(transaction_id, change)
      expect(await gateway.transactions(new Date('2026-03-01'), noDeadline())).toMatchObject([
        { transaction_id, state },
      ])
    }
  })

  it('leave out the verification of a card', async () => {
    const { vault_reference } = await approved()
    await gateway.replaceCard(cardChange(vault_reference, otherCard), noDeadline())
    expect(emulator.entries.size).toBe(2)
    expect(await gateway.transactions(now(), noDeadline())).toHaveLength(1)
  })

  it('include all pages', async () => {
    for (let n = 0; n < 1001; n++) emulator.add({ invoiceNumber: `number${n}` })
    expect(await gateway.transactions(now(), noDeadline())).toHaveLength(1001)
    for (const entry of emulator.entries.values()) entry.transactionStatus = 'capturedPendingSettlement'
    emulator.settle()
    expect(await gateway.transactions(now(), noDeadline())).toHaveLength(1001)
  })

  it('include a refund of an older transaction, with exact cents', async () => {
    emulator.add({ invoiceNumber: 'older', transactionStatus: 'refundPendingSettlement', amount: 19.99 })
    expect(await gateway.transactions(now(), noDeadline())).toMatchObject([{ state: 'refunded', amount_cents: 1999 }])
  })
})
