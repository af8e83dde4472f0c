import { figures } from './figures.ts'
import { toAmount } from './money.ts'

/** Documents in force whose display_on_checkout holds this word are shown, and accepted, at checkout. */
export const AT_CHECKOUT = 'enrollment_page_checkout'
export const isShownAtCheckout = (document: { status: string; display_on_checkout: string[] }): boolean =>
  document.status === 'active' && document.display_on_checkout.includes(AT_CHECKOUT)

/** The texts that somebody had before their eyes, in one word: what the page sends, and what the server compares. */
export const textsFingerprint = (documents: { sha256: string }[]): string =>
  [`consent-${subscriptionConsent.version}`, ...documents.map(({ sha256 }) => sha256).sort()].join(',')

/** The sentence beside the second checkbox. A changed sentence is a new version: acceptances keep the exact text. */
export const subscriptionConsent = {
  title: 'Subscription consent',
  version: 1,
  text: `I agree that my card is charged $${toAmount(figures.subscription_cents)} every month until I cancel.`,
} as const
