import type { DeclineClass } from './port.ts'

/** A test card, and what the sandbox does with it. */
export type TestCard = {
  number: string
  /** A description for pages and documentation. */
  happens: string
  decides: 'held' | 'review' | 'failed' | DeclineClass
  /** How the response fails or is delayed. */
  answer?: 'lost_before' | 'lost_after' | 'slow'
}

/** All test cards. The sandbox approves every other card. */
export const testCards = {
  good: { number: '4242424242424242', happens: 'Approved.', decides: 'held' },
  declined: { number: '4000000000000002', happens: 'Declined by the bank.', decides: 'bank' },
  noFunds: { number: '4000000000009995', happens: 'Declined: insufficient funds. Try another card.', decides: 'card' },
  expired: { number: '4000000000000069', happens: 'Declined: expired card. Try another card.', decides: 'card' },
  wrongCvc: { number: '4000000000000127', happens: 'Declined: incorrect CVC. Correct it and try again.', decides: 'input' },
  fraud: { number: '4100000000000019', happens: 'Declined: the bank suspects fraud.', decides: 'fraud' },
  review: { number: '4000000000009235', happens: 'Held for review until you approve or decline it.', decides: 'review' },
  failed: {
    number: '4000000000000416',
    happens: 'Not authorized: the gateway reports an error. Try again later.',
    decides: 'failed',
  },
  slow: { number: '4000000000000259', happens: 'Approved after a second.', decides: 'held', answer: 'slow' },
  answerLost: {
    number: '4000000000000119',
    happens: 'Approved, but the response is lost.',
    decides: 'held',
    answer: 'lost_after',
  },
  neverHeard: {
    number: '4000000000000341',
    happens: 'The request is lost: not authorized, and no response.',
    decides: 'held',
    answer: 'lost_before',
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
