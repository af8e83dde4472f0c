import type { Decline, DeclineClass } from './port.ts'

type IssuerCode = { meaning: string; decline_class: DeclineClass; never_retry?: true }

/**
 * Response codes of card issuers (ISO 8583). Those marked never_retry are Visa's category 1: the issuer will never approve,
 * and the network fines merchants who try again.
 */
const issuerCodes: Record<string, IssuerCode> = {
  '04': { meaning: 'pick up the card', decline_class: 'fraud', never_retry: true },
  '05': { meaning: 'do not honor', decline_class: 'bank' },
  '07': { meaning: 'pick up the card, special condition', decline_class: 'fraud', never_retry: true },
  '12': { meaning: 'invalid transaction', decline_class: 'card', never_retry: true },
  '14': { meaning: 'invalid card number', decline_class: 'input', never_retry: true },
  '15': { meaning: 'no such issuer', decline_class: 'input', never_retry: true },
  '41': { meaning: 'lost card', decline_class: 'fraud', never_retry: true },
  '43': { meaning: 'stolen card', decline_class: 'fraud', never_retry: true },
  '46': { meaning: 'closed account', decline_class: 'card', never_retry: true },
  '51': { meaning: 'insufficient funds', decline_class: 'card' },
  '54': { meaning: 'expired card', decline_class: 'card' },
  '57': { meaning: 'not permitted to this card', decline_class: 'card', never_retry: true },
  '59': { meaning: 'suspected fraud', decline_class: 'fraud' },
  N7: { meaning: 'wrong CVC', decline_class: 'input' },
  R0: { meaning: 'the cardholder stopped this payment', decline_class: 'card', never_retry: true },
  R1: { meaning: 'the cardholder revoked this series', decline_class: 'card', never_retry: true },
  R3: { meaning: 'the cardholder revoked all series', decline_class: 'card', never_retry: true },
}

/** Mastercard's merchant advice codes that forbid another attempt. */
const neverRetryAdvice: Record<string, string> = { '03': 'do not try again', '21': 'the cardholder canceled' }

type IssuerAnswer = { issuer_code?: string | undefined; advice_code?: string | undefined }

const padded = (code = '') => code.trim().toUpperCase().padStart(2, '0')

/** Whether the issuer forbids another attempt with this card. */
export const isNeverRetry = ({ issuer_code, advice_code }: IssuerAnswer): boolean =>
  Boolean(issuerCodes[padded(issuer_code)]?.never_retry) || padded(advice_code) in neverRetryAdvice

/** A decline with these codes. Without a class of the vendor's own, the issuer's code decides it. */
export function declineOf(
  { issuer_code, advice_code }: IssuerAnswer,
  decline_class: DeclineClass = issuerCodes[padded(issuer_code)]?.decline_class ?? 'bank',
): Decline {
  return {
    outcome: 'declined',
    decline_class,
    ...(issuer_code && { issuer_code }),
    ...(advice_code && { advice_code }),
    ...(isNeverRetry({ issuer_code, advice_code }) && { never_retry: true }),
  }
}
