import { showAmount } from './money.ts'
import type { Interval } from './renewal.ts'

/** Active documents with this value in display_on_checkout are shown and accepted at checkout. */
export const AT_CHECKOUT = 'enrollment_page_checkout'
export const isShownAtCheckout = (document: { status: string; display_on_checkout: string[] }): boolean =>
  document.status === 'active' && document.display_on_checkout.includes(AT_CHECKOUT)

/** Whether we can say what renews. An operator's API host may leave that to its agreement. */
export const isRenewalKnown = (lines: readonly { billing_interval: string }[]): boolean =>
  lines.every((line) => line.billing_interval !== 'unknown')

/** The label of the second checkbox. It says what this order costs, so a changed price is a new text. */
export const consentText = (today: string, renewal_price: string, interval: Interval | 'unknown' = 'month'): string => {
  const renewal = Number(renewal_price)
    ? ` and ${showAmount(renewal_price)} every ${interval} until I cancel`
    : interval === 'unknown'
      ? ', and later as the terms above say'
      : ', once'
  return `I agree that my card is charged ${showAmount(today)} today${renewal}.`
}
export const CONSENT_TITLE = 'Subscription consent'

/** Identifies the documents on the screen. The page sends it, and the server compares it with the current ones. */
export const documentsFingerprint = (documents: { sha256: string }[]): string =>
  documents
    .map(({ sha256 }) => sha256)
    .sort()
    .join(',')
