import type { DeclineClass } from './port.ts'

/** What happens to one attempt to renew with a stored test card. */
export type RenewalStep = 'approved' | 'review' | 'disputed' | 'lost_before' | 'lost_after' | { issuer_code: string }

/** A test card, and what the sandbox does with it. */
export type TestCard = {
  number: string
  /** A description for pages and documentation. */
  description: string
  decision: 'held' | 'review' | 'failed' | DeclineClass
  issuer_code?: string
  /** How the response fails or is delayed. */
  fault?: 'lost_before' | 'lost_after' | 'slow'
  /** What happens to the renewals, one step for each attempt; the last one repeats. Default: all are approved. */
  renewals?: readonly [RenewalStep, ...RenewalStep[]]
}

/** All test cards. The sandbox approves every other card. */
export const testCards = {
  good: { number: '4242424242424242', description: 'Approved.', decision: 'held' },
  declined: {
    number: '4000000000000002',
    description: 'Declined by the bank.',
    decision: 'bank',
    issuer_code: '05',
  },
  noFunds: {
    number: '4000000000009995',
    description: 'Declined: insufficient funds.',
    decision: 'card',
    issuer_code: '51',
  },
  expired: {
    number: '4000000000000069',
    description: 'Declined: expired card.',
    decision: 'card',
    issuer_code: '54',
  },
  wrongCvc: {
    number: '4000000000000127',
    description: 'Declined: incorrect CVC.',
    decision: 'input',
    issuer_code: 'N7',
  },
  fraud: {
    number: '4100000000000019',
    description: 'Declined: suspected fraud.',
    decision: 'fraud',
    issuer_code: '59',
  },
  review: {
    number: '4000000000009235',
    description: 'Held for review until you approve or decline it.',
    decision: 'review',
  },
  failed: {
    number: '4000000000000416',
    description: 'The gateway rejects the request. Nothing is held.',
    decision: 'failed',
  },
  slow: { number: '4000000000000259', description: 'Approved after one second.', decision: 'held', fault: 'slow' },
  responseLost: {
    number: '4000000000000119',
    description: 'Approved, but the response is lost.',
    decision: 'held',
    fault: 'lost_after',
  },
  requestLost: {
    number: '4000000000000341',
    description: 'The request is lost. Nothing is held, and there is no response.',
    decision: 'held',
    fault: 'lost_before',
  },
  renewalDeclinedOnce: {
    number: '4000000000001513',
    description: 'Approved. The first attempt to renew is declined for insufficient funds; later ones are approved.',
    decision: 'held',
    renewals: [{ issuer_code: '51' }, 'approved'],
  },
  renewalNoFunds: {
    number: '4000000000002511',
    description: 'Approved. Every renewal is declined for insufficient funds.',
    decision: 'held',
    renewals: [{ issuer_code: '51' }],
  },
  renewalStolen: {
    number: '4000000000001430',
    description: 'Approved. Every renewal is declined: stolen card, never try again.',
    decision: 'held',
    renewals: [{ issuer_code: '43' }],
  },
  renewalResponseLost: {
    number: '4000000000001612',
    description: 'Approved. Renewals are approved too, but the response is lost.',
    decision: 'held',
    renewals: ['lost_after'],
  },
  renewalRequestLost: {
    number: '4000000000001620',
    description: 'Approved. The request to renew is lost: nothing is charged, and there is no response.',
    decision: 'held',
    renewals: ['lost_before'],
  },
  renewalReview: {
    number: '4000000000001638',
    description: 'Approved. Renewals are held for review until you approve or decline them.',
    decision: 'held',
    renewals: ['review'],
  },
  renewalDisputed: {
    number: '4000000000001646',
    description: 'Approved. Renewals are approved too, and disputed a day later.',
    decision: 'held',
    renewals: ['disputed'],
  },
} as const satisfies Record<string, TestCard>

export type CardName = keyof typeof testCards

/** The numbers of the test cards, by name. */
export const cards = Object.fromEntries(
  Object.entries(testCards).map(([name, { number }]) => [name, number]),
) as Record<CardName, string>

const namesByNumber = new Map<string, CardName>(
  Object.entries(testCards).map(([name, { number }]) => [number, name as CardName]),
)

/** The name of the test card with this number; any other number behaves like the good card. */
export const testCardName = (number: string): CardName => namesByNumber.get(number) ?? 'good'

export const testCardFor = (number: string): TestCard => testCards[testCardName(number)]

export const isTestCard = (number: string): boolean => namesByNumber.has(number)

/** What happens to an attempt to renew, after this many earlier ones with the same stored card. */
export function renewalStep({ renewals = ['approved'] }: TestCard, earlierAttempts: number): RenewalStep {
  return renewals[Math.min(earlierAttempts, renewals.length - 1)] ?? 'approved'
}
