import { readConfig } from '#server/config/config.ts'

const limits = Object.keys(readConfig({})).filter((name) => name.startsWith('LIMIT_'))

/** What an operator could set, too: limits that nobody meets. */
export const generousLimits: Record<string, string> = {
  ...Object.fromEntries(limits.map((name) => [name, '999999999/86400'])),
  BREAKER_DECLINES: '999999999/600/100',
  BREAKER_CODES: '999999999/600/100',
  PAYMENTS_AT_ONCE: '100000',
  HASHES_WAITING: '100000',
}

/** Nor does anybody wait long for the captcha, or is too quick. */
export const fastSettings = { LOG_LEVEL: 'warn', CAPTCHA_COST: '1', CAPTCHA_COUNTER: '2', MINIMUM_SECONDS: '0' }
