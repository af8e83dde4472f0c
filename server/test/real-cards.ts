import { type cards, testCards } from '#server/gateways/payment/cards.ts'
import type { Site } from './site.ts'

/** Limits ignore the sandbox's test cards. These are other numbers with the same names. */
export const realCards = {
  good: '5555555555554444',
  declined: '5105105105105100',
  noFunds: '4012888888881881',
  failed: '6011111111111117',
  review: '378282246310005',
  requestLost: '371449635398431',
  responseLost: '6011000990139424',
} as const satisfies Partial<Record<keyof typeof cards, string>>

/** Makes a site's gateway treat each of them like the test card of the same name. */
export function acceptRealCards({ world }: Pick<Site, 'world'>) {
  const { authorize } = world.payment
  const testNumbers = new Map<string, string>(
    Object.entries(realCards).map(([name, number]) => [number, testCards[name as keyof typeof realCards].number]),
  )
  world.payment.authorize = (hold, signal) => {
    const cc_number = testNumbers.get(hold.card.cc_number) ?? hold.card.cc_number
    return authorize({ ...hold, card: { ...hold.card, cc_number } }, signal)
  }
}
