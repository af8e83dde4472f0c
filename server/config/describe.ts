import type { Config } from './config.ts'
import { isSecret, settings } from './settings.ts'

/** What the console shows of a setting. A secret is only said to be set. */
export type DescribedSetting = { name: string; value: string; is_secret: boolean }

const groups: [title: string, pattern: RegExp][] = [
  [
    'Site',
    /^(NODE_ENV|PORT|HOST|PUBLIC_URL|OFFICE_URL|SITE_HOSTS|TRUST_PROXY|CORS_|HSTS_|OPS_|UNSAFE_|LOG_LEVEL|CLOSING_|SECRET)/,
  ],
  ['Operator', /^(OPERATOR_|SUPPORT_|REFUND_TEXT|TIME_ZONE)/],
  [
    'Enrollment',
    /^(PACKAGE_CATEGORY|LANGUAGE_ID|PRESELECTED_|START_STEP|AUTOSHIP|SPECIAL|PHONE_VERIFICATION|VOICE_CALL|COMMON_PASSWORDS|MINIMUM_)/,
  ],
  ['In front of an API host', /^PROVIDER_/],
  ['Webhooks', /^WEBHOOKS_/],
  ['Payments', /^(PAYMENT|RENEWALS|AUTHORIZENET_)/],
  ['Phone, captcha and mail', /^(PHONE|TWILIO_|CAPTCHA|MAIL)/],
  ['Limits', /^(LIMIT_|BREAKER_|PAYMENTS_AT_ONCE|HASHES_)/],
]
const OTHERS = 'Database and the rest'

/** Every setting of this process, in groups. */
export function describeSettings(config: Config): { title: string; settings: DescribedSetting[] }[] {
  const titleOf = (name: string) => groups.find(([, pattern]) => pattern.test(name))?.[0] ?? OTHERS
  const all = Object.keys(settings).map((name) => describeOne(name, config[name as keyof typeof settings]))
  return [...groups.map(([title]) => title), OTHERS].map((title) => ({
    title,
    settings: all.filter(({ name }) => titleOf(name) === title),
  }))
}

function describeOne(name: string, value: unknown): DescribedSetting {
  const is_secret = isSecret(name)
  if (value === undefined) return { name, value: 'not set', is_secret }
  return { name, value: is_secret ? 'set' : toText(value), is_secret }
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .join('/')
      .replace(/^Infinity.*/, 'off')
  return String(value)
}
