import type { AccountCheck } from '#server/gateways/account.ts'

/** Sends verification codes to phones, and checks them. */
export type SmsGateway = {
  name: string
  send: (mobile_phone: string, channel: 'sms' | 'call') => Promise<SendResult | Said>
  check: (mobile_phone: string, code: string) => Promise<CheckResult | Said>
  /** Whether the vendor accepts our credentials. Sends nothing. */
  checkAccount: () => Promise<AccountCheck>
}

/**
 * unreachable: not by this channel, but maybe by another. too_often: the vendor requires a pause of ten minutes for this
 * number. blocked: the vendor sends no codes to this number or its country. impossible: the number does not exist.
 * unknown: no readable response; the code may have been sent.
 */
export type SendResult = 'sent' | 'unreachable' | 'too_often' | 'blocked' | 'impossible' | 'unknown'

/**
 * gone: expired, used, or tried too often; a new code is needed. unknown: no readable response; the code may have been
 * used up.
 */
export type CheckResult = 'right' | 'wrong' | 'gone' | 'unknown'

/** The gateway's own "no", in words for the visitor. */
export type Said = { says: string }
