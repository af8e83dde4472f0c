import { isLoopback } from './rules.ts'
import { type Settings, settings } from './settings.ts'

export type Env = Record<string, string | undefined>

/** Public in the source code, so production refuses it. */
export const DEVELOPMENT_SECRET = 'foyer development secret'

/** What is wrong with settings that are valid one by one. A setting whose own rule failed is undefined here. */
export function checkTogether(values: Partial<Settings>, embedded: string[], env: Env): string[] {
  return [
    ...unknownNames(env),
    ...incompleteVendors(values, env),
    ...(values.NODE_ENV === 'production' ? missingInProduction(values, embedded, env) : unsafeDevelopment(values)),
  ]
}

const isSet = (env: Env, name: string) => Boolean(env[name]?.trim())

const OUR_PREFIXES =
  /^(?:OPERATOR_|SUPPORT_|REFUND_|LIMIT_|CLOSING_|PAYMENTS_|MINIMUM_|HSTS_|BREAKER_|CAPTCHA_|PAYMENT_|AUTHORIZENET_|PHONE_|TWILIO_|HASHES_|MAIL_|DATABASE_(?!URL_TEST))/

/** A mistyped name would otherwise be a setting that silently does nothing. */
const unknownNames = (env: Env): string[] =>
  Object.keys(env)
    .filter((name) => !(name in settings))
    .flatMap((name) => {
      const suggestion = Object.keys(settings).find((setting) => isTypo(name, setting))
      if (suggestion) return [`${name} is not a setting. Did you mean ${suggestion}?`]
      return OUR_PREFIXES.test(name) ? [`${name} is not a setting`] : []
    })

/** Short names resemble too many variables of other programs: EMAIL is not MAIL. */
const TOO_SHORT_FOR_TYPOS = 4

/** Whether one character is wrong, missing or too many, or two neighbors are swapped. */
function isTypo(name: string, setting: string): boolean {
  if (setting.length <= TOO_SHORT_FOR_TYPOS) return false
  const shorter = Math.min(name.length, setting.length)
  let prefix = 0
  while (prefix < shorter && name[prefix] === setting[prefix]) prefix++
  let suffix = 0
  while (suffix < shorter - prefix && name.at(-1 - suffix) === setting.at(-1 - suffix)) suffix++
  const middle = (text: string) => text.slice(prefix, text.length - suffix)
  const [typed, meant] = [middle(name), middle(setting)]
  return (typed.length <= 1 && meant.length <= 1) || (typed.length === 2 && typed === [...meant].reverse().join(''))
}

const vendors = [
  {
    setting: 'PAYMENT',
    byDefault: 'sandbox',
    keys: ['AUTHORIZENET_LOGIN_ID', 'AUTHORIZENET_TRANSACTION_KEY', 'AUTHORIZENET_BASE_URL'],
  },
  { setting: 'PHONE', byDefault: 'sandbox', keys: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_SERVICE_SID'] },
  { setting: 'CAPTCHA', byDefault: 'altcha', keys: ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'] },
] as const

/** A vendor needs all of its keys, and keys without their vendor would silently do nothing. */
const incompleteVendors = (values: Partial<Settings>, env: Env): string[] =>
  vendors.flatMap(({ setting, byDefault, keys }) => {
    const vendor = values[setting]
    if (vendor && vendor !== byDefault)
      return keys.filter((key) => !isSet(env, key)).map((key) => `${key} is required with ${setting}=${vendor}`)
    const unusedKey = keys.find((key) => isSet(env, key))
    return unusedKey && !isSet(env, setting)
      ? [`${setting} is required with ${unusedKey}: the default, ${byDefault}, does not use it`]
      : []
  })

/** Outside production, anyone can read codes and emails, so NODE_ENV must not be forgotten. Domains in .test are never public. */
const unsafeDevelopment = ({ PUBLIC_URL: url }: Partial<Settings>): string[] =>
  url?.startsWith('https:') && !isLoopback(url) && !/\.test(?::|$)/.test(url)
    ? [`NODE_ENV must be production with PUBLIC_URL=${url}: otherwise anyone could read codes and emails`]
    : []

function missingInProduction(values: Partial<Settings>, embedded: string[], env: Env): string[] {
  const { SECRET, ALLOW_EMBEDDED = embedded, PUBLIC_URL, OFFICE_URL, MAIL, PHONE, PAYMENT } = values
  const problems: string[] = []
  if (!isSet(env, 'SECRET'))
    problems.push('SECRET is required in production: a long random text, the same for every process')
  if (SECRET === DEVELOPMENT_SECRET) problems.push('SECRET must not be the public development secret')
  if (!isSet(env, 'PUBLIC_URL')) problems.push('PUBLIC_URL is required in production: the address that visitors type')
  if (PUBLIC_URL?.startsWith('http:') && !isLoopback(PUBLIC_URL))
    problems.push('PUBLIC_URL must start with https:// in production: cards and passwords are sent there')
  if (OFFICE_URL?.startsWith('http:') && !PUBLIC_URL?.startsWith('http:'))
    problems.push('OFFICE_URL must start with https:// in production: links to it carry a sign-in token')
  if (MAIL && MAIL !== 'outbox' && !isSet(env, 'MAIL_FROM'))
    problems.push('MAIL_FROM is required with a real MAIL: the address that emails come from and replies go to')
  for (const part of embedded.filter((part) => !ALLOW_EMBEDDED.includes(part)))
    problems.push(`ALLOW_EMBEDDED does not list ${part}: in production every embedded part must be allowed by name`)
  if (PHONE === 'sandbox' && PAYMENT && PAYMENT !== 'sandbox' && mayRequireCode(values))
    problems.push(
      'PHONE=sandbox sends no codes, and payments may require one: set PHONE=twilio, or both BREAKER_DECLINES=off and PHONE_VERIFICATION=off',
    )
  return problems
}

/** Either always, or while too many cards are declined. */
const mayRequireCode = ({ PHONE_VERIFICATION, BREAKER_DECLINES }: Partial<Settings>) =>
  PHONE_VERIFICATION || Number.isFinite(BREAKER_DECLINES?.failures)
