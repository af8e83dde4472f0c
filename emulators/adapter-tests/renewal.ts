import { describe, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import type { Hold, Renewal } from '#server/gateways/payment/port.ts'
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

const DAY_MS = 86_400_000

/** Tests of stored cards, refunds and disputes that every payment adapter must pass. */
export function testRenewals(setup: () => TestSetup) {
  const gateway = () => setup().gateway

  const join = async (cc_number: string = cards.good, changes: Partial<Hold> = {}) => {
    const reply = await gateway().authorize({ ...hold(cc_number), ...changes }, noDeadline())
    if (reply.outcome !== 'approved') throw new Error(`not approved: ${reply.outcome}`)
    return reply
  }
  const charge = (vault_reference: string, changes: Partial<Renewal> = {}) =>
    gateway().charge(renewal(vault_reference, changes), noDeadline())
  const charged = async (request: Renewal) => {
    const reply = await gateway().charge(request, noDeadline())
    if (reply.outcome !== 'approved') throw new Error(`not approved: ${reply.outcome}`)
    return reply
  }
  const renewed = async (changes: Partial<Renewal> = {}) => {
    const request = renewal((await join()).vault_reference, changes)
    return { ...request, ...(await charged(request)) }
  }
  const listed = async ({ reference }: { reference: string }) =>
    (await gateway().transactions(beforeTests, noDeadline())).filter((line) => line.reference === reference)
  const lookup = ({ reference }: { reference: string }) => gateway().lookup({ reference }, noDeadline())

  describe('the first charge of a series', () => {
    it('tells the network’s id and what may be shown of the card, also in a lookup', async () => {
      const request = hold(cards.good)
      const details = {
        network_transaction_id: expect.stringMatching(/^\w{8,}$/),
        card: { brand: 'visa', last_four: '4242', expires: '2030-07' },
      }
      expect(await gateway().authorize(request, noDeadline())).toMatchObject(details)
      expect(await lookup(request)).toMatchObject(details)
      expect((await listed(request))[0]).not.toHaveProperty('is_renewal')
    })

    it('begins no series if nothing renews, and a lookup doesn’t keep the card either', async () => {
      const request = { ...hold(cards.good), is_once: true as const }
      expect(await gateway().authorize(request, noDeadline())).toMatchObject({ vault_reference: '' })
      const { reference, is_once } = request
      expect(await gateway().lookup({ reference, is_once }, noDeadline())).toMatchObject({ vault_reference: '' })
    })

    it('tells the issuer’s code when it is declined', async () => {
      const reply = await gateway().authorize(hold(cards.noFunds), noDeadline())
      expect(reply).toMatchObject({ outcome: 'declined', issuer_code: '51' })
      expect(reply).not.toHaveProperty('never_retry')
    })
  })

  describe('a renewal', () => {
    it('is captured at once, and is found by its reference', async () => {
      const { reference, transaction_id, vault_reference, network_transaction_id } = await renewed()
      expect(network_transaction_id).not.toBe('')
      expect(await lookup({ reference })).toMatchObject({ outcome: 'approved', transaction_id, vault_reference })
      expect(await listed({ reference })).toEqual([
        { transaction_id, reference, amount_cents: 9900, state: 'captured', is_renewal: true },
      ])
      expect(await gateway().capture(transaction_id, noDeadline())).toBe('done')
      expect(await gateway().void(transaction_id, noDeadline())).toBe('refused')
    })

    it('is charged once per reference, however often it is sent', async () => {
      const request = renewal((await join()).vault_reference)
      const [first, second] = await Promise.all([charged(request), charged(request)])
      expect(second.transaction_id).toBe(first.transaction_id)
      expect((await charged(request)).transaction_id).toBe(first.transaction_id)
      expect(await listed(request)).toHaveLength(1)
    })

    it('can be charged every month, without the network’s id too', async () => {
      const { vault_reference } = await join()
      const { series: _none, ...second } = renewal(vault_reference)
      expect((await charged(renewal(vault_reference))).vault_reference).toBe(vault_reference)
      expect((await charged(second)).vault_reference).toBe(vault_reference)
    })

    it('whose response is lost is unknown, and is found by its reference', async () => {
      const request = renewal((await join(cards.renewalResponseLost)).vault_reference)
      expect(await gateway().charge(request, noDeadline())).toEqual({ outcome: 'unknown' })
      expect((await lookup(request)).outcome).toBe('approved')
      expect(await listed(request)).toMatchObject([{ state: 'captured' }])
    })

    it('whose request is lost is unknown, and charges nothing', async () => {
      const request = renewal((await join(cards.renewalRequestLost)).vault_reference)
      expect(await gateway().charge(request, noDeadline())).toEqual({ outcome: 'unknown' })
      expect(await lookup(request)).toEqual({ outcome: 'not_found' })
    })

    it('that is declined tells the issuer’s code, and may be tried again', async () => {
      const { vault_reference } = await join(cards.renewalDeclinedOnce)
      const declined = await charge(vault_reference)
      expect(declined).toMatchObject({ outcome: 'declined', issuer_code: '51' })
      expect(declined).not.toHaveProperty('never_retry')
      expect((await charge(vault_reference, { is_retry: true })).outcome).toBe('approved')
    })

    it('is declined each time while there are no funds', async () => {
      const { vault_reference } = await join(cards.renewalNoFunds)
      for (const is_retry of [false, true, true])
        expect(await charge(vault_reference, { is_retry })).toMatchObject({ outcome: 'declined', issuer_code: '51' })
    })

    it('with a stolen card is declined, and must never be tried again', async () => {
      const request = renewal((await join(cards.renewalStolen)).vault_reference)
      const declined = { outcome: 'declined', never_retry: true }
      expect(await gateway().charge(request, noDeadline())).toMatchObject({ ...declined, issuer_code: '43' })
      expect(await lookup(request)).toMatchObject(declined)
      expect(await listed(request)).toMatchObject([{ state: 'declined' }])
    })

    it.each([
      ['approve', 'approved', 'captured'],
      ['decline', 'declined', expect.stringMatching(/declined|voided/)],
    ] as const)('under review can be decided: %s', async (verdict, outcome, state) => {
      const request = renewal((await join(cards.renewalReview)).vault_reference)
      const reply = await gateway().charge(request, noDeadline())
      if (reply.outcome !== 'review') throw new Error(reply.outcome)
      expect(await listed(request)).toMatchObject([{ state: 'review' }])
      await setup().review(reply.transaction_id, verdict)
      expect((await lookup(request)).outcome).toBe(outcome)
      expect(await listed(request)).toMatchObject([{ state }])
    })

    it.each(['', 'unknown', '11111111/22222222', 'vault_11111111'])(
      'fails without charging when the gateway does not have the card (%s)',
      async (vault_reference) => {
        const request = renewal(vault_reference)
        expect(await gateway().charge(request, noDeadline())).toMatchObject({
          outcome: 'failed',
          is_card_missing: true,
        })
        expect(await lookup(request)).toEqual({ outcome: 'not_found' })
      },
    )

    it('is declined once the card has expired', async () => {
      const expires = new Date(performance.timeOrigin + 60 * DAY_MS).toISOString()
      const card = { ...hold().card, cc_year: expires.slice(0, 4), cc_month: expires.slice(5, 7) }
      const { vault_reference } = await join(cards.good, { card })
      expect((await charge(vault_reference)).outcome).toBe('approved')
      setup().advance(120 * DAY_MS)
      expect(await charge(vault_reference)).toMatchObject({ outcome: 'declined', issuer_code: '54' })
    })
  })

  describe('a new card', () => {
    it('is verified without a charge, and can be charged then; so can the old one', async () => {
      const old = await join(cards.renewalNoFunds)
      const change = cardChange(old.vault_reference)
      const reply = await gateway().replaceCard(change, noDeadline())
      expect(reply).toMatchObject({
        outcome: 'approved',
        card: { brand: 'visa', last_four: '4242', expires: '2030-07' },
        network_transaction_id: expect.stringMatching(/^\w{8,}$/),
      })
      expect(await listed(change)).toEqual([])
      const vault_reference = reply.outcome === 'approved' ? reply.vault_reference : ''
      expect(vault_reference).not.toBe(old.vault_reference)
      expect((await charge(vault_reference)).outcome).toBe('approved')
      expect(await charge(old.vault_reference)).toMatchObject({ outcome: 'declined', issuer_code: '51' })
    })

    it.each([
      ['is declined', cards.declined, 'declined'],
      ['is suspected of fraud', cards.fraud, 'declined'],
      ['would need a review', cards.review, 'declined'],
      ['is rejected by the gateway', cards.failed, 'failed'],
      ['is lost on the way', cards.requestLost, 'unknown'],
      ['is stored, but the response is lost', cards.responseLost, 'unknown'],
    ] as const)('that %s leaves the old one on file', async (_what, cc_number, outcome) => {
      const old = await join()
      const reply = await gateway().replaceCard(cardChange(old.vault_reference, cc_number), noDeadline())
      expect(reply.outcome).toBe(outcome)
      expect(await charge(old.vault_reference)).toMatchObject({ outcome: 'approved' })
    })

    it('can be entered again after a lost response, or while it is on file already', async () => {
      const { vault_reference } = await join()
      const slow = cardChange(vault_reference, cards.slow)
      expect(await gateway().replaceCard(slow, AbortSignal.timeout(900))).toEqual({ outcome: 'unknown' })
      for (const change of [{ ...slow, reference: newReference() }, cardChange(vault_reference)]) {
        const reply = await gateway().replaceCard(change, noDeadline())
        if (reply.outcome !== 'approved') throw new Error(reply.outcome)
        expect((await charge(reply.vault_reference)).outcome).toBe('approved')
      }
    })

    it.each(['', '11111111/22222222'])('is stored even if there is no card on file (%s)', async (vault_reference) => {
      const reply = await gateway().replaceCard(cardChange(vault_reference), noDeadline())
      expect(reply.outcome).toBe('approved')
      expect((await charge(reply.outcome === 'approved' ? reply.vault_reference : '')).outcome).toBe('approved')
    })
  })

  describe('a refund of a renewal', () => {
    it('in parts waits for the settlement, adds up, and never exceeds the charge', async () => {
      const { reference, transaction_id } = await renewed()
      const refund = (cents: number, key?: string) =>
        gateway().refund(refundOf(transaction_id, cents, key), noDeadline())
      expect(await refund(3000)).toBe('not_settled')
      await setup().settle()
      const key = newReference()
      expect(await refund(3000, key)).toBe('done')
      expect(await refund(3000, key), 'the same refund again').toBe('done')
      expect(await refund(2000, key), 'the same reference with another amount').toBe('refused')
      expect(await listed({ reference })).toMatchObject([{ state: 'captured', refunded_cents: 3000 }])
      expect(await refund(3000), 'another one of the same amount').toBe('done')
      expect(await listed({ reference })).toMatchObject([{ state: 'captured', refunded_cents: 6000 }])
      expect(await refund(3901)).toBe('refused')
      for (const cents of [0, -1, 0.5]) expect(await refund(cents)).toBe('refused')
      expect(await refund(3900)).toBe('done')
      expect(await listed({ reference })).toMatchObject([{ state: 'refunded', refunded_cents: 9900 }])
      expect(await refund(1)).toBe('refused')
    })

    it('is made once when it is sent twice at the same time', async () => {
      const { reference, transaction_id } = await renewed()
      await setup().settle()
      const request = refundOf(transaction_id, 3000)
      const results = await Promise.all([1, 2].map(() => gateway().refund(request, noDeadline())))
      expect(results).toContain('done')
      expect(await gateway().refund(request, noDeadline())).toBe('done')
      expect(await listed({ reference })).toMatchObject([{ refunded_cents: 3000 }])
    })

    it('in full before the settlement voids the charge', async () => {
      const { reference, transaction_id } = await renewed()
      const request = refundOf(transaction_id)
      expect(await gateway().refund(request, noDeadline())).toBe('voided')
      expect(await gateway().refund(request, noDeadline())).toBe('voided')
      expect(await gateway().refund(refundOf(transaction_id, 100), noDeadline())).toBe('refused')
      expect(await listed({ reference })).toMatchObject([{ state: 'voided' }])
    })
  })

  describe('a dispute', () => {
    it('shows in the books until it is won, and the money cannot be refunded meanwhile', async () => {
      const { reference, transaction_id } = await renewed()
      await setup().settle()
      await setup().dispute(transaction_id, 'open')
      expect(await listed({ reference })).toMatchObject([{ transaction_id, state: 'disputed', is_renewal: true }])
      expect((await lookup({ reference })).outcome).toBe('approved')
      expect(await gateway().refund(refundOf(transaction_id), noDeadline())).toBe('refused')
      await setup().dispute(transaction_id, 'won')
      expect(await listed({ reference })).toMatchObject([{ transaction_id, state: 'captured' }])
      expect(await gateway().refund(refundOf(transaction_id), noDeadline())).toBe('done')
    })

    it('follows a renewal with the card for it', async () => {
      const request = renewal((await join(cards.renewalDisputed)).vault_reference)
      await charged(request)
      expect(await listed(request)).toMatchObject([{ state: 'captured' }])
      await setup().settle()
      expect(await listed(request)).toMatchObject([{ state: 'disputed' }])
    })
  })
}
