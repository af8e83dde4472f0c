import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cards } from './cards.ts'
import type { Hold, PaymentGateway } from './port.ts'

type Opened = {
  gateway: PaymentGateway
  /** The same gateway, after a restart. */
  reopen: () => Promise<PaymentGateway>
  /** The same adapter, where nobody answers. */
  unreachable?: PaymentGateway
  close: () => Promise<void>
}

export const newReference = () => randomUUID().replaceAll('-', '').slice(0, 20)

/** A filled form, as the use case hands it over. */
export const hold = (cc_number: string = cards.good, reference = newReference()): Hold => ({
  reference,
  amount_cents: 9900,
  card: { cc_number, cc_month: '07', cc_year: '2030', cc_cvv: '123' },
  billing: {
    first_name: 'Zoë',
    last_name: 'Example',
    address: '1600 Main St',
    address2: 'Unit 2',
    city: 'Reno',
    state: 'NV',
    country: 'US',
    post_code: '89501',
  },
})
export const tenSeconds = () => AbortSignal.timeout(10_000)

/** Before any test began. */
const beforeTests = new Date(performance.timeOrigin - 3_600_000)

/** What Foyer relies on, whoever moves the money. Every adapter's whole test is one call of this. */
export const testPaymentAdapter = (name: string, open: () => Promise<Opened>) =>
  describe(`the payment gateway ${name}`, () => {
    let opened: Opened
    let gateway: PaymentGateway
    beforeAll(async () => {
      opened = await open()
      gateway = opened.gateway
    })
    afterAll(() => opened.close())

    const approved = async (asked: Hold) => {
      const answer = await gateway.authorize(asked, tenSeconds())
      if (answer.outcome !== 'approved') throw new Error(`not approved: ${answer.outcome}`)
      return answer
    }

    it('approves a good card and keeps it for the months to come', async () => {
      const answer = await approved(hold(cards.good))
      expect(answer.transaction_id).not.toBe('')
      expect(answer.vault_reference).not.toBe('')
    })

    it('holds once for one reference, however often it is asked', async () => {
      const asked = hold(cards.good)
      const [first, second] = await Promise.all([approved(asked), approved(asked)])
      expect(second.transaction_id).toBe(first.transaction_id)
    })

    it('says what class of "no" a declined card is', async () => {
      const answer = await gateway.authorize(hold(cards.declined), tenSeconds())
      expect(answer).toMatchObject({
        outcome: 'declined',
        decline_class: expect.stringMatching(/^(input|card|bank|fraud)$/),
      })
    })

    it('says failed when it turns a request away, and has then heard of nothing', async () => {
      const asked = hold(cards.failed)
      expect(await gateway.authorize(asked, tenSeconds())).toEqual({ outcome: 'failed', why: expect.stringMatching(/\.$/) })
      expect(await gateway.lookup(asked, tenSeconds())).toEqual({ outcome: 'not_found' })
      const all = await gateway.transactions(beforeTests, tenSeconds())
      expect(all.filter(({ reference }) => reference === asked.reference)).toEqual([])
    })

    it('says review when somebody has to look at it', async () => {
      expect((await gateway.authorize(hold(cards.review), tenSeconds())).outcome).toBe('review')
    })

    it('says unknown when an answer is lost, and finds it again by its reference', async () => {
      const asked = hold(cards.answerLost)
      expect(await gateway.authorize(asked, tenSeconds())).toEqual({ outcome: 'unknown' })
      expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe('approved')
    })

    it('says unknown when it takes longer than it may', async () => {
      const asked = hold(cards.slow)
      expect((await gateway.authorize(asked, AbortSignal.timeout(300))).outcome).toBe('unknown') // it takes a second
      expect((await gateway.lookup(asked, tenSeconds())).outcome).toBe('approved')
    })

    it('does not find what it never heard of', async () => {
      expect(await gateway.lookup({ reference: newReference() }, tenSeconds())).toEqual({ outcome: 'not_found' })
      expect(await gateway.capture('never', tenSeconds())).not.toBe('done')
    })

    it('captures once, then refunds; voids only what is held', async () => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await gateway.capture(transaction_id, tenSeconds())).toBe('done')
      expect(await gateway.capture(transaction_id, tenSeconds())).toBe('done')
      expect(await gateway.void(transaction_id, tenSeconds())).toBe('refused')
      expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
      const other = await approved(hold(cards.good))
      expect(await gateway.void(other.transaction_id, tenSeconds())).toBe('done')
      expect(await gateway.capture(other.transaction_id, tenSeconds())).toBe('refused')
    })

    it('never gives back more than was captured', async () => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('refused')
      expect(await gateway.capture(transaction_id, tenSeconds())).toBe('done')
      expect(await gateway.refund(transaction_id, 9901, tenSeconds())).toBe('refused')
      expect(await gateway.refund(transaction_id, 9900, tenSeconds())).toBe('done')
    })

    it('says what it has heard of, with reference, amount and state', async () => {
      const held = hold(cards.good)
      const captured = { ...hold(cards.good), amount_cents: 2500 }
      const voided = hold(cards.good)
      const declined = hold(cards.declined)
      await approved(held)
      await gateway.capture((await approved(captured)).transaction_id, tenSeconds())
      await gateway.void((await approved(voided)).transaction_id, tenSeconds())
      await gateway.authorize(declined, tenSeconds())
      const all = await gateway.transactions(beforeTests, tenSeconds())
      const heardOf = ({ reference }: Hold) => all.filter((transaction) => transaction.reference === reference)
      expect(heardOf(held)).toMatchObject([{ amount_cents: 9900, state: 'held' }])
      expect(heardOf(captured)).toMatchObject([{ amount_cents: 2500, state: 'captured' }])
      expect(heardOf(voided)).toMatchObject([{ amount_cents: 9900, state: 'voided' }])
      expect(heardOf(declined)).toMatchObject([{ amount_cents: 9900, state: 'declined' }])
    })

    it.each([
      ['capture', 'captured'],
      ['void', 'voided'],
    ] as const)('can be asked again for a %s whose answer was lost, and does it once', async (settle, state) => {
      const asked = hold(cards.good)
      const { transaction_id } = await approved(asked)
      expect(['done', 'unknown']).toContain(await gateway[settle](transaction_id, AbortSignal.timeout(1)))
      expect(await gateway[settle](transaction_id, tenSeconds())).toBe('done')
      expect(await gateway[settle](transaction_id, tenSeconds())).toBe('done')
      const all = await gateway.transactions(beforeTests, tenSeconds())
      expect(all.filter(({ reference }) => reference === asked.reference)).toMatchObject([{ transaction_id, state }])
    })

    /** Everything that can be asked, of an adapter that cannot hear the answer. */
    const saysUnknown = async (deaf: PaymentGateway, signal: () => AbortSignal) => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await deaf.authorize(hold(cards.good), signal())).toEqual({ outcome: 'unknown' })
      expect(await deaf.lookup({ reference: newReference() }, signal())).toEqual({ outcome: 'unknown' })
      expect(await deaf.capture(transaction_id, signal())).toBe('unknown')
      expect(await deaf.void(transaction_id, signal())).toBe('unknown')
      expect(await deaf.refund(transaction_id, 9900, signal())).toBe('unknown')
      await expect(deaf.transactions(beforeTests, signal())).rejects.toThrow()
    }

    it('says unknown, and throws nothing, when there is no time left', () =>
      saysUnknown(gateway, () => AbortSignal.abort()))

    it('says unknown, and never "not found", when it cannot be reached', async () => {
      if (opened.unreachable) await saysUnknown(opened.unreachable, tenSeconds) // one that lives inside the server always is
    })

    it('remembers everything after a restart', async () => {
      const asked = hold(cards.good)
      const { transaction_id } = await approved(asked)
      const again = await opened.reopen()
      expect(await again.lookup(asked, tenSeconds())).toMatchObject({ outcome: 'approved', transaction_id })
    })
  })
