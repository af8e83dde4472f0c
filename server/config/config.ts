import { brand } from '#contract/brand.ts'
import { OperatorError } from '#server/operator-error.ts'
import {
  address,
  countries,
  databaseAddress,
  hosts,
  ifSet,
  isThisMachine,
  limit,
  list,
  mail,
  oneOf,
  onOff,
  optional,
  proxies,
  type Reader,
  sender,
  share,
  sid,
  siteAddress,
  Unfit,
  vendorAddress,
  whole,
  words,
} from './readers.ts'

/** The only door to process.env. Every setting is one line: what it is called, what fits, what it is by default. */

const settings = {
  NODE_ENV: oneOf(['development', 'production', 'test']),
  PORT: whole(0, 65535, 3000),
  HOST: words('127.0.0.1'),
  LOG_LEVEL: ifSet(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])),
  PUBLIC_URL: ifSet(siteAddress),
  SECRET: optional,
  TRUST_PROXY: proxies,
  CLOSING_SECONDS: whole(0, 60, 0),
  SITE_HOSTS: hosts,

  DATABASE_URL: ifSet(databaseAddress),
  DATABASE_POOL: whole(1, 200, 10),
  DATA_DIR: words('data'),
  ALLOW_EMBEDDED: list,

  START_STEP: oneOf(['ACCOUNT', 'PRODUCT_SELECTION']),
  AUTOSHIP: onOff,
  SPECIAL: onOff,
  PHONE_VERIFICATION: onOff,
  OFFICE_URL: ifSet(address('http:', 'https:')),

  PAYMENT: oneOf(['sandbox', 'authorizenet']),
  PAYMENT_DEADLINE_SECONDS: whole(1, 120, 20),
  PAYMENT_IN_FLIGHT_SECONDS: whole(1, 86_400, 1800),
  PAYMENT_SANDBOX_URL: ifSet(address('http:', 'https:')),
  AUTHORIZENET_LOGIN_ID: optional,
  AUTHORIZENET_TRANSACTION_KEY: optional,
  AUTHORIZENET_BASE_URL: ifSet(vendorAddress),
  PHONE_COUNTRIES: countries('US,CA,PR,GU,VI,AS,MP'),
  PHONE: oneOf(['sandbox', 'twilio']),
  TWILIO_ACCOUNT_SID: ifSet(sid('AC', 'SK')),
  TWILIO_AUTH_TOKEN: optional,
  TWILIO_SERVICE_SID: ifSet(sid('VA')),
  TWILIO_BASE_URL: (text = 'https://verify.twilio.com') => vendorAddress(text),
  CAPTCHA: oneOf(['altcha', 'turnstile', 'hcaptcha', 'recaptcha']),
  CAPTCHA_SITE_KEY: optional,
  CAPTCHA_SECRET: optional,
  CAPTCHA_BASE_URL: ifSet(vendorAddress),
  CAPTCHA_COST: whole(1, 10_000_000, 5000),
  CAPTCHA_COUNTER: whole(1, 1_000_000, 1000),
  MAIL: mail,
  MAIL_FROM: sender(`${brand.name} <hello@foyer.example>`),

  HASHES_AT_ONCE: whole(1, 64, 2),
  HASHES_WAITING: whole(1, 100_000, 400),

  MINIMUM_SECONDS: whole(0, 60, 3),

  LIMIT_ENROLLMENTS: limit('200/3600'),
  LIMIT_DECLINES: limit('20/3600'),
  LIMIT_DECLINES_BY_CARD: limit('5/86400'),
  LIMIT_DECLINES_BY_ENROLLMENT: limit('10/86400'),
  LIMIT_DECLINES_BY_PHONE: limit('5/86400'),
  PAYMENTS_AT_ONCE: whole(1, 100_000, 40),
  LIMIT_HITS: limit('300/86400'),
  LIMIT_LOOKUPS: limit('300/3600'),
  LIMIT_CHALLENGES: limit('300/3600'),
  LIMIT_CODES_BY_ADDRESS: limit('20/3600'),
  LIMIT_CODES_BY_NUMBER: limit('5/3600'),
  LIMIT_CODES_BY_BLOCK: limit('30/3600'),
  LIMIT_CODES_BY_ENROLLMENT: limit('10/3600'),
  LIMIT_CODES: limit('1000/86400'),
  LIMIT_CODE_CHECKS: limit('30/3600'),
  LIMIT_GRANTS: limit('60/3600'),
  LIMIT_SIGN_INS: limit('20/900'),
  LIMIT_SIGN_INS_BY_NAME: limit('50/3600'),
  LIMIT_LETTERS: limit('10/3600'),
  LIMIT_LETTERS_BY_NAME: limit('3/3600'),

  BREAKER_DECLINES: share('20/600/50'),
  BREAKER_CODES: share('40/3600/70'),
  BREAKER_SECONDS: whole(1, 86_400, 1800),
} as const satisfies Record<string, Reader<unknown>>

type Settings = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> }
export type LimitName = Extract<keyof Settings, `LIMIT_${string}`>
export type Config = Omit<Settings, 'LOG_LEVEL'> & {
  LOG_LEVEL: string
  PUBLIC_URL: string
  SECRET: string
  OFFICE_URL: string
  production: boolean
  /** Parts that stand in for somebody else's, by their setting's name. */
  embedded: string[]
}

/** Settings that do not fit: all of them at once, so that one restart mends them. */
export class InvalidSettings extends OperatorError {
  constructor(lines: string[]) {
    super(`These settings do not fit:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

type Env = Record<string, string | undefined>

/** Reads and checks everything once; later nothing asks the environment again. */
export function readConfig(env: Env = process.env): Config {
  const lines: string[] = []
  const read: Record<string, unknown> = {}
  for (const [name, reader] of Object.entries<Reader<unknown>>(settings)) {
    const text = env[name]?.trim() || undefined
    try {
      read[name] = reader(text)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      lines.push(`${name} ${error.message}${isSecret(name, text) ? '' : `; it is '${text}'`}`)
    }
  }
  const found = read as Settings
  const production = found.NODE_ENV === 'production'
  const embedded = embeddedParts(found)
  lines.push(
    ...unknownNames(env),
    ...halfSet(found, env),
    ...(production ? unfitForProduction(found, embedded, env) : unfitForDevelopment(found)),
  )
  if (found.SECRET && found.SECRET.length < 16) lines.push('SECRET has at least 16 characters')
  if (lines.length) throw new InvalidSettings(lines)

  const PUBLIC_URL = found.PUBLIC_URL ?? `http://localhost:${found.PORT}`
  return {
    ...found,
    LOG_LEVEL: found.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    PUBLIC_URL,
    SECRET: found.SECRET ?? DEVELOPMENT_SECRET,
    OFFICE_URL: found.OFFICE_URL ?? `${PUBLIC_URL}/office`,
    SITE_HOSTS: found.SITE_HOSTS.length ? found.SITE_HOSTS : [new URL(PUBLIC_URL).host],
    production,
    embedded,
  }
}

/** Known to everyone who reads this, so production refuses it. */
const DEVELOPMENT_SECRET = 'foyer development secret'

const isSecret = (name: string, text = '') =>
  /SECRET|_KEY$|_TOKEN$|_SID$|DATABASE_URL|MAIL$/.test(name) || text.includes('@')

const embeddedParts = ({ PAYMENT, PHONE, MAIL, ...found }: Settings): string[] =>
  Object.entries({
    database: 'DATABASE_URL' in found && !found.DATABASE_URL, // one that cannot be read is not embedded either
    payment: PAYMENT === 'sandbox',
    phone: PHONE === 'sandbox',
    mail: MAIL === 'outbox',
  }).flatMap(([part, isEmbedded]) => (isEmbedded ? [part] : []))

/** A vendor that is chosen needs all of its keys; keys whose vendor is not would silently do nothing. */
const vendors = [
  {
    part: 'PAYMENT',
    otherwise: 'sandbox',
    keys: ['AUTHORIZENET_LOGIN_ID', 'AUTHORIZENET_TRANSACTION_KEY', 'AUTHORIZENET_BASE_URL'],
  },
  { part: 'PHONE', otherwise: 'sandbox', keys: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_SERVICE_SID'] },
  { part: 'CAPTCHA', otherwise: 'altcha', keys: ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'] },
] as const

const halfSet = (found: Settings, env: Env): string[] =>
  vendors.flatMap(({ part, otherwise, keys }) => {
    const set = keys.filter((name) => env[name]?.trim())
    if (found[part] && found[part] !== otherwise)
      return keys.filter((name) => !set.includes(name)).map((name) => `${name} is required with ${part}=${found[part]}`)
    return set.length && !env[part]?.trim()
      ? [`${part} is required with ${set[0]}: by itself it is ${otherwise}, which would not use it`]
      : []
  })

/** A forgotten NODE_ENV must not show everybody's codes and letters. What ends in .test is in nobody's network but one's own. */
const unfitForDevelopment = ({ PUBLIC_URL: url }: Settings): string[] =>
  url?.startsWith('https:') && !isThisMachine(url) && !/\.test(?::|$)/.test(url)
    ? [`NODE_ENV is production with PUBLIC_URL=${url}: otherwise everybody could read codes and letters`]
    : []

function unfitForProduction(found: Settings, embedded: string[], env: Env): string[] {
  const { SECRET, ALLOW_EMBEDDED, PUBLIC_URL, OFFICE_URL } = found
  const lines: string[] = []
  if (!SECRET) lines.push('SECRET is required in production: a long random text, the same for every process')
  if (SECRET === DEVELOPMENT_SECRET) lines.push('SECRET is the one of development, which everybody knows')
  if (!env.PUBLIC_URL?.trim()) lines.push('PUBLIC_URL is required in production: the address that visitors type')
  if (PUBLIC_URL?.startsWith('http:') && !isThisMachine(PUBLIC_URL))
    lines.push('PUBLIC_URL starts with https:// in production: cards and passwords travel there')
  if (OFFICE_URL?.startsWith('http:') && !PUBLIC_URL?.startsWith('http:'))
    lines.push('OFFICE_URL starts with https:// in production: a key to the office stands in its address')
  if (found.MAIL && found.MAIL !== 'outbox' && !env.MAIL_FROM?.trim())
    lines.push('MAIL_FROM is required with a real MAIL: letters come from it, and answers go there')
  for (const part of embedded.filter((part) => !ALLOW_EMBEDDED.includes(part)))
    lines.push(`ALLOW_EMBEDDED does not name ${part}: in production an embedded part must be allowed by name`)
  if (found.PHONE === 'sandbox' && found.PAYMENT !== 'sandbox' && mayAskForCode(found))
    lines.push(
      'PHONE=sandbox sends codes to nobody, and nobody could pay without one: set PHONE=twilio, or both BREAKER_DECLINES=off and PHONE_VERIFICATION=off',
    )
  return lines
}

/** With every enrollment, or while too many cards are declined. */
const mayAskForCode = ({ PHONE_VERIFICATION, BREAKER_DECLINES }: Settings) =>
  PHONE_VERIFICATION || Number.isFinite(BREAKER_DECLINES?.most)

const OURS =
  /^(?:LIMIT_|CLOSING_|PAYMENTS_|MINIMUM_|BREAKER_|CAPTCHA_|PAYMENT_|AUTHORIZENET_|PHONE_|TWILIO_|HASHES_|MAIL_|DATABASE_(?!URL_TEST))/

/** A mistyped name of ours would otherwise be a setting that silently does nothing. */
const unknownNames = (env: Env): string[] =>
  Object.keys(env)
    .filter((name) => !(name in settings))
    .flatMap((name) => {
      const meant = Object.keys(settings).find((setting) => isNear(name, setting))
      if (meant) return [`${name} is not a setting of Foyer, but ${meant} is`]
      return OURS.test(name) ? [`${name} is not a setting of Foyer`] : []
    })

/** Short names are near to too much that belongs to others: EMAIL is not MAIL. */
const SHORT = 4

/** Whether one letter is wrong, missing or too many, or two have changed places. */
function isNear(name: string, setting: string): boolean {
  if (setting.length <= SHORT) return false
  const least = Math.min(name.length, setting.length)
  let front = 0
  while (front < least && name[front] === setting[front]) front++
  let back = 0
  while (back < least - front && name.at(-1 - back) === setting.at(-1 - back)) back++
  const rest = (word: string) => word.slice(front, word.length - back)
  const [typed, meant] = [rest(name), rest(setting)]
  return (typed.length <= 1 && meant.length <= 1) || (typed.length === 2 && typed === [...meant].reverse().join(''))
}
