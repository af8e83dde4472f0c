import { randomUUID } from 'node:crypto'
import { cards } from '#server/gateways/payment/cards.ts'
import type { CardChange, Hold, PaymentGateway, Refund, Renewal } from '#server/gateways/payment/port.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'

/** For tests: valid requests, as the features send them. */

/** Not a test card, so it is approved immediately. */
export const otherCard = '5555555555554444'

export const newReference = () => randomUUID().replaceAll('-', '').slice(0, 20)

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
/** A busy machine may take its time. */
export const noDeadline = () => new AbortController().signal

/** The renewal of a stored card. */
export const renewal = (vault_reference: string, changes: Partial<Renewal> = {}): Renewal => ({
  reference: newReference(),
  amount_cents: 9900,
  vault_reference,
  series: { network_transaction_id: 'NETWORK123456', amount_cents: 9900 },
  is_retry: false,
  ...changes,
})

export const cardChange = (vault_reference: string, cc_number: string = cards.good): CardChange => {
  const { reference, card, billing } = hold(cc_number)
  return { reference, vault_reference, card, billing }
}

export const refundOf = (transaction_id: string, amount_cents = 9900, refund_reference = newReference()): Refund => ({
  refund_reference,
  transaction_id,
  amount_cents,
})

/** Earlier than any test. */
export const beforeTests = new Date(performance.timeOrigin - 3_600_000)

/** The system clock, and a way to move it. */
export function movingClock() {
  let aheadMs = 0
  return {
    now: () => new Date(performance.timeOrigin + performance.now() + aheadMs),
    advance: (milliseconds: number) => {
      aheadMs += milliseconds
    },
  }
}

/** The bank's part in the tests of an adapter, played by the sandbox. */
export function playBank(sandbox: SandboxGateway, advance: TestSetup['advance']) {
  const expectDone = (isDone: boolean) => {
    if (!isDone) throw new Error('The sandbox did not do it.')
  }
  return {
    advance,
    settle: async () => advance(86_400_000),
    dispute: async (transaction_id, change) => expectDone(await sandbox.dispute(transaction_id, change)),
    review: async (transaction_id, verdict) => expectDone(await sandbox.review(transaction_id, verdict)),
  } satisfies Partial<TestSetup>
}

/** What the tests of an adapter need. */
export type TestSetup = {
  gateway: PaymentGateway
  /** The same gateway, after a restart. */
  reopen: () => Promise<PaymentGateway>
  /** Lets the gateway's clock run on. */
  advance: (milliseconds: number) => void
  /** Lets a day pass and settles all charges. */
  settle: () => Promise<void>
  /** The cardholder's bank disputes a charge, or gives it up. */
  dispute: (transaction_id: string, change: 'open' | 'won') => Promise<void>
  /** Decides a transaction under review. */
  review: (transaction_id: string, verdict: 'approve' | 'decline') => Promise<void>
  /** The same adapter with a URL that does not respond. */
  unreachable?: PaymentGateway
  close: () => Promise<void>
}
