import type { DeclineClass } from './port.ts'

/** A test card, and what the sandbox does with it. */
export type TestCard = {
  number: string
  /** A description for pages and documentation. */
  description: string
  decision: 'held' | 'review' | 'failed' | DeclineClass
  /** How the response fails or is delayed. */
  fault?: 'lost_before' | 'lost_after' | 'slow'
}

/** All test cards. The sandbox approves every other card. */
export const testCards = {
  good: { number: '4242424242424242', description: 'Approved.', decision: 'held' },
  declined: { number: '4000000000000002', description: 'Declined by the bank.', decision: 'bank' },
  noFunds: {
    number: '4000000000009995',
    description: 'Declined: insufficient funds.',
    decision: 'card',
  },
  expired: { number: '4000000000000069', description: 'Declined: expired card.', decision: 'card' },
  wrongCvc: { number: '4000000000000127', description: 'Declined: incorrect CVC.', decision: 'input' },
  fraud: { number: '4100000000000019', description: 'Declined: suspected fraud.', decision: 'fraud' },
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
} as const satisfies Record<string, TestCard>

type CardName = keyof typeof testCards

/** The numbers of the test cards, by name. */
export const cards = Object.fromEntries(
  Object.entries(testCards).map(([name, { number }]) => [name, number]),
) as Record<CardName, string>

const byNumber = new Map<string, TestCard>(Object.values(testCards).map((card) => [card.number, card]))

/** The test card with this number; any other number behaves like the good card. */
export const testCardFor = (number: string): TestCard => byNumber.get(number) ?? testCards.good

export const isTestCard = (number: string): boolean => byNumber.has(number)
