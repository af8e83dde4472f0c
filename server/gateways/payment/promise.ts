import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cards } from './cards.ts'
import type { Hold, PaymentGateway } from './port.ts'

type Opened = { gateway: PaymentGateway; reopen: () => Promise<PaymentGateway>; close: () => Promise<void> }

const newReference = () => randomUUID().replaceAll('-', '').slice(0, 20)

const hold = (cc_number: string, reference = newReference()): Hold => ({
  reference,
  amount_cents: 9900,
  card: { cc_number, cc_month: '12', cc_year: '2028', cc_cvv: '123' },
  billing: {
    first_name: 'Zoë',
    last_name: 'Example',
    address: '1600 Main St',
    address2: '',
    city: 'Reno',
    state: 'NV',
    country: 'US',
    post_code: '89501',
  },
})
const soon = () => AbortSignal.timeout(10_000)

/** What Foyer relies on, whoever moves the money. Every adapter's whole test is one call of this. */
export const keepsPaymentPromise = (name: string, open: () => Promise<Opened>) =>
  describe(`the payment gateway ${name}`, () => {
    let opened: Opened
    let gateway: PaymentGateway
    beforeAll(async () => {
      opened = await open()
      gateway = opened.gateway
    })
    afterAll(() => opened.close())

    const approved = async (asked: Hold) => {
      const answer = await gateway.authorize(asked, soon())
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
      const answer = await gateway.authorize(hold(cards.declined), soon())
      expect(answer).toMatchObject({
        outcome: 'declined',
        decline_class: expect.stringMatching(/^(input|card|bank|fraud)$/),
      })
    })

    it('says review when somebody has to look at it', async () => {
      expect((await gateway.authorize(hold(cards.review), soon())).outcome).toBe('review')
    })

    it('says unknown when an answer is lost, and finds it again by its reference', async () => {
      const asked = hold(cards.answerLost)
      expect(await gateway.authorize(asked, soon())).toEqual({ outcome: 'unknown' })
      expect((await gateway.lookup(asked, soon())).outcome).toBe('approved')
    })

    it('says unknown when it takes longer than it may', async () => {
      const asked = hold(cards.slow)
      expect((await gateway.authorize(asked, AbortSignal.timeout(50))).outcome).toBe('unknown')
      expect((await gateway.lookup(asked, soon())).outcome).toBe('approved')
    })

    it('does not find what it never heard of', async () => {
      expect(await gateway.lookup({ reference: newReference() }, soon())).toEqual({ outcome: 'not_found' })
      expect(await gateway.capture('never', soon())).toBe('refused')
    })

    it('captures once, then refunds; voids only what is held', async () => {
      const { transaction_id } = await approved(hold(cards.good))
      expect(await gateway.capture(transaction_id, soon())).toBe('done')
      expect(await gateway.capture(transaction_id, soon())).toBe('done')
      expect(await gateway.void(transaction_id, soon())).toBe('refused')
      expect(await gateway.refund(transaction_id, 9900, soon())).toBe('done')
      const other = await approved(hold(cards.good))
      expect(await gateway.void(other.transaction_id, soon())).toBe('done')
      expect(await gateway.capture(other.transaction_id, soon())).toBe('refused')
    })

    it('remembers everything after a restart', async () => {
      const asked = hold(cards.good)
      const { transaction_id } = await approved(asked)
      const again = await opened.reopen()
      expect(await again.lookup(asked, soon())).toMatchObject({ outcome: 'approved', transaction_id })
    })
  })
