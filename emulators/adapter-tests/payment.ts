import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import type { Hold, PaymentGateway } from '#server/gateways/payment/port.ts'
import { testRenewals } from './renewal.ts'
import {
  beforeTests,
  cardChange,
  hold,
  newReference,
  noDeadline,
  refundOf,
  renewal,
  type TestSetup,
} from './requests.ts'

/** Tests that every payment adapter must pass, because Foyer relies on them. */
export const testPaymentAdapter = (name: string, open: () => Promise<TestSetup>) =>
  describe(`the payment gateway ${name}`, () => {
    let setup: TestSetup
    let gateway: PaymentGateway
    beforeAll(async () => {
      setup = await open()
      gateway = setup.gateway
    })
    afterAll(() => setup.close())

    const approved = async (request: Hold) => {
      const reply = await gateway.authorize(request, noDeadline())
      if (reply.outcome !== 'approved') throw new Error(`not approved: ${reply.outcome}`)
      return reply
    }

    it('20.7 accepts our account', async () =>
      expect(await gateway.checkAccount(noDeadline())).toEqual({ state: 'ok' }))

    it('approves a good card and stores it for renewals', async () => {
      const reply = await approved(hold(cards.good))
      expect(reply.transaction_id).not.toBe('')
      expect(reply.vault_reference).not.toBe('')
    })

    it('holds only once for the same reference', async () => {
      const request = hold(cards.good)
      const [first, second] = await Promise.all([approved(request), approved(request)])
      expect(second.transaction_id).toBe(first.transaction_id)
    })

    it('returns the decline class of a declined card', async () => {
      const reply = await gateway.authorize(hold(cards.declined), noDeadline())
      expect(reply).toMatchObject({
        outcome: 'declined',
        decline_class: expect.stringMatching(/^(input|card|bank|fraud)$/),
      })
    })

    it('returns failed when it rejects a request, and then has no transaction', async () => {
      const request = hold(cards.failed)
      expect(await gateway.authorize(request, noDeadline())).toEqual({
        outcome: 'failed',
        why: expect.stringMatching(/\.$/),
      })
      expect(await gateway.lookup(request, noDeadline())).toEqual({ outcome: 'not_found' })
      const all = await gateway.transactions(beforeTests, noDeadline())
      expect(all.filter(({ reference }) => reference === request.reference)).toEqual([])
    })

    it('returns review when a person has to decide', async () => {
      expect((await gateway.authorize(hold(cards.review), noDeadline())).outcome).toBe('review')
    })

    it('returns unknown when the response is lost, and finds the transaction by its reference', async () => {
      const request = hold(cards.responseLost)
      expect(await gateway.authorize(request, noDeadline())).toEqual({ outcome: 'unknown' })
      expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
    })

    it('returns unknown after the timeout', async () => {
      const request = hold(cards.slow)
      expect((await gateway.authorize(request, AbortSignal.timeout(900))).outcome).toBe('unknown') // it takes a second
      expect((await gateway.lookup(request, noDeadline())).outcome).toBe('approved')
    })

    it('does not find an unknown reference', async () => {
      expect(await gateway.lookup({ reference: newReference() }, noDeadline())).toEqual({ outcome: 'not_found' })
      expect(await gateway.capture('never', noDeadline())).not.toBe('done')
    })

    it('captures once, then refunds; voids only a held amount', async () => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await gateway.capture(transaction_id, noDeadline())).toBe('done')
      expect(await gateway.capture(transaction_id, noDeadline())).toBe('done')
      expect(await gateway.void(transaction_id, noDeadline())).toBe('refused')
      expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('voided')
      const other = await approved(hold(cards.good))
      expect(await gateway.void(other.transaction_id, noDeadline())).toBe('done')
      expect(await gateway.capture(other.transaction_id, noDeadline())).toBe('refused')
    })

    it('never refunds more than was captured', async () => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('refused')
      expect(await gateway.capture(transaction_id, noDeadline())).toBe('done')
      expect(await gateway.refund(refundOf(transaction_id, 9901), noDeadline())).toBe('refused')
      expect(await gateway.refund(refundOf(transaction_id, 9900), noDeadline())).toBe('voided')
    })

    it('lists its transactions with reference, amount and state', async () => {
      const held = hold(cards.good)
      const captured = { ...hold(cards.good), amount_cents: 2500 }
      const voided = hold(cards.good)
      const declined = hold(cards.declined)
      await approved(held)
      await gateway.capture((await approved(captured)).transaction_id, noDeadline())
      await gateway.void((await approved(voided)).transaction_id, noDeadline())
      await gateway.authorize(declined, noDeadline())
      const all = await gateway.transactions(beforeTests, noDeadline())
      const listed = ({ reference }: Hold) => all.filter((transaction) => transaction.reference === reference)
      expect(listed(held)).toMatchObject([{ amount_cents: 9900, state: 'held' }])
      expect(listed(captured)).toMatchObject([{ amount_cents: 2500, state: 'captured' }])
      expect(listed(voided)).toMatchObject([{ amount_cents: 9900, state: 'voided' }])
      expect(listed(declined)).toMatchObject([{ amount_cents: 9900, state: 'declined' }])
    })

    it.each([
      ['capture', 'captured'],
      ['void', 'voided'],
    ] as const)('can repeat a %s whose response was lost, and does it once', async (settle, state) => {
      const request = hold(cards.good)
      const { transaction_id } = await approved(request)
      expect(['done', 'unknown']).toContain(await gateway[settle](transaction_id, AbortSignal.timeout(1)))
      expect(await gateway[settle](transaction_id, noDeadline())).toBe('done')
      expect(await gateway[settle](transaction_id, noDeadline())).toBe('done')
      const all = await gateway.transactions(beforeTests, noDeadline())
      expect(all.filter(({ reference }) => reference === request.reference)).toMatchObject([{ transaction_id, state }])
    })

    /** Calls everything on an adapter that gets no response. */
    const returnsUnknown = async (cutOff: PaymentGateway, signal: () => AbortSignal) => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await cutOff.authorize(hold(cards.good), signal())).toEqual({ outcome: 'unknown' })
      expect(await cutOff.lookup({ reference: newReference() }, signal())).toEqual({ outcome: 'unknown' })
      expect(await cutOff.capture(transaction_id, signal())).toBe('unknown')
      expect(await cutOff.void(transaction_id, signal())).toBe('unknown')
      expect(await cutOff.refund(refundOf(transaction_id, 9900), signal())).toBe('unknown')
      const { vault_reference } = await approved(hold(cards.good))
      expect(await cutOff.charge(renewal(vault_reference), signal())).toEqual({ outcome: 'unknown' })
      expect(await cutOff.replaceCard(cardChange(vault_reference), signal())).toEqual({ outcome: 'unknown' })
      await expect(cutOff.transactions(beforeTests, signal())).rejects.toThrow()
    }

    it('returns unknown without throwing when the time is already up', () =>
      returnsUnknown(gateway, () => AbortSignal.abort()))

    it('returns unknown, never "not found", when it cannot be reached', async () => {
      if (setup.unreachable) await returnsUnknown(setup.unreachable, noDeadline) // an embedded gateway is always reachable
    })

    testRenewals(() => setup)

    it('remembers its transactions after a restart', async () => {
      const request = hold(cards.good)
      const { transaction_id } = await approved(request)
      const again = await setup.reopen()
      expect(await again.lookup(request, noDeadline())).toMatchObject({ outcome: 'approved', transaction_id })
    })
  })
