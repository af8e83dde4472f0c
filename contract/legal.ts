import { figures } from './figures.ts'
import { toAmount } from './money.ts'

/** Active documents with this value in display_on_checkout are shown and accepted at checkout. */
export const AT_CHECKOUT = 'enrollment_page_checkout'
export const isShownAtCheckout = (document: { status: string; display_on_checkout: string[] }): boolean =>
  document.status === 'active' && document.display_on_checkout.includes(AT_CHECKOUT)

/** Identifies the exact texts on the screen. The page sends it, and the server compares it with the current texts. */
export const textsFingerprint = (documents: { sha256: string }[]): string =>
  [`consent-${subscriptionConsent.version}`, ...documents.map(({ sha256 }) => sha256).sort()].join(',')

/** The label of the second checkbox. Increase the version when you change the text: acceptances keep the exact text. */
export const subscriptionConsent = {
  title: 'Subscription consent',
  version: 1,
  text: `I agree that my card is charged $${toAmount(figures.subscription_cents)} every month until I cancel.`,
} as const
