import { isIP } from 'node:net'
import { brand } from '#contract/brand.ts'
import { Mendable } from './mendable.ts'

/** The only door to process.env. Every setting is one line: what it is called, what fits, what it is by default. */

type Reader<Value> = (text: string | undefined) => Value

/** Why a setting does not fit, in words that follow its name. */
class Unfit extends Error {}

const whole =
  (least: number, most: number, byDefault: number): Reader<number> =>
  (text = String(byDefault)) => {
    if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Unfit(`is a whole number from ${least} to ${most}`)
    return Number(text)
  }

const oneOf =
  <const Choice extends string>(choices: readonly [Choice, ...Choice[]]): Reader<Choice> =>
  (text = choices[0]) => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new Unfit(`is one of: ${choices.join(', ')}`)
    return found
  }

const onOff = (text = 'off') => oneOf(['off', 'on'])(text) === 'on'

const list: Reader<string[]> = (text = '') =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

const words =
  (byDefault: string): Reader<string> =>
  (text = byDefault) =>
    text

const optional: Reader<string | undefined> = (text) => text

const address =
  (...protocols: string[]): Reader<string | undefined> =>
  (text) => {
    if (text === undefined) return undefined
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url?.hostname || !protocols.includes(url.protocol) || url.search || url.hash)
      throw new Unfit(`is an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    return text.replace(/\/+$/, '')
  }

/** Keys of ours travel there: never in the clear, except to this machine. */
const vendorAddress =
  (byDefault: string): Reader<string> =>
  (text = byDefault) => {
    const found = address('http:', 'https:')(text) ?? byDefault
    const { protocol, hostname } = new URL(found)
    if (protocol !== 'https:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
      throw new Unfit('is an address that starts with https://')
    return found
  }

/** A vendor's id, by the letters that it begins with. */
const sid =
  (...kinds: string[]): Reader<string | undefined> =>
  (text) => {
    if (text !== undefined && !new RegExp(`^(?:${kinds.join('|')})[0-9a-f]{32}$`, 'i').test(text))
      throw new Unfit(`is ${kinds.join(' or ')} and 32 digits and letters from a to f`)
    return text
  }

/** A login shell sets MAIL to the path of a mailbox; that is not meant for us. */
const mail: Reader<string> = (text = 'outbox') =>
  text === 'outbox' || text.startsWith('/') ? 'outbox' : (address('smtp:', 'smtps:')(text) ?? 'outbox')

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses or networks, never a number of hops: a header must not choose who the visitor is. */
const proxies: Reader<string[]> = (text) =>
  list(text).map((proxy) => {
    const [address = '', bits, ...rest] = proxy.split('/')
    const most = isIP(address) === 6 ? 128 : 32
    const fits =
      isIP(address) && !rest.length && (bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= most))
    if (!fits && !NETWORKS.includes(proxy))
      throw new Unfit('is a list of addresses or networks, such as 10.0.0.5,192.168.0.0/16')
    return proxy
  })

/** 'most/seconds': how many in how long. */
export type Limit = { most: number; seconds: number }
const limit =
  (byDefault: string): Reader<Limit> =>
  (text = byDefault) => {
    const parts = /^(\d{1,9})\/(\d{1,9})$/.exec(text)
    if (!parts || Number(parts[2]) === 0) throw new Unfit('is how many in how many seconds, such as 30/3600')
    return { most: Number(parts[1]), seconds: Number(parts[2]) }
  }

/** 'most/seconds/percent': that many failures in that time, and at least that share of all. Off: never enough. */
const share =
  (byDefault: string): Reader<Limit & { percent: number }> =>
  (text = byDefault) => {
    if (text === 'off') return { ...share(byDefault)(byDefault), most: Number.POSITIVE_INFINITY }
    const parts = /^(\d{1,9})\/(\d{1,9})\/(\d{1,3})$/.exec(text)
    const [most = 0, seconds = 0, percent = 0] = parts?.slice(1).map(Number) ?? []
    if (!most || !seconds || !percent || percent > 100)
      throw new Unfit('is how many failures in how many seconds and at what share, such as 20/600/50, or off')
    return { most, seconds, percent }
  }

const countries =
  (byDefault: string): Reader<string[]> =>
  (text = byDefault) =>
    list(text).map((country) => {
      if (!/^[A-Z]{2}$/.test(country)) throw new Unfit('is a list of countries in two letters each, such as US,CA')
      return country
    })

const settings = {
  NODE_ENV: oneOf(['development', 'production', 'test']),
  PORT: whole(0, 65535, 3000),
  HOST: words('127.0.0.1'),
  LOG_LEVEL: (text?: string) =>
    text === undefined ? undefined : oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])(text),
  PUBLIC_URL: address('http:', 'https:'),
  SECRET: optional,
  TRUST_PROXY: proxies,
  CLOSING_SECONDS: whole(0, 60, 0),
  SITE_HOSTS: list,

  DATABASE_URL: address('postgres:', 'postgresql:'),
  DATABASE_POOL: whole(1, 200, 10),
  DATA_DIR: words('data'),
  ALLOW_EMBEDDED: list,

  START_STEP: oneOf(['ACCOUNT', 'PRODUCT_SELECTION']),
  AUTOSHIP: onOff,
  SPECIAL: onOff,
  PHONE_VERIFICATION: onOff,
  OFFICE_URL: address('http:', 'https:'),

  PAYMENT: oneOf(['sandbox', 'authorizenet']),
  PAYMENT_DEADLINE_SECONDS: whole(1, 120, 20),
  PAYMENT_IN_FLIGHT_SECONDS: whole(1, 86_400, 1800),
  PAYMENT_SANDBOX_URL: address('http:', 'https:'),
  AUTHORIZENET_LOGIN_ID: optional,
  AUTHORIZENET_TRANSACTION_KEY: optional,
  AUTHORIZENET_BASE_URL: (text?: string) => (text === undefined ? undefined : vendorAddress(text)(text)),
  PHONE_COUNTRIES: countries('US,CA'),
  PHONE: oneOf(['sandbox', 'twilio']),
  TWILIO_ACCOUNT_SID: sid('AC', 'SK'),
  TWILIO_AUTH_TOKEN: optional,
  TWILIO_SERVICE_SID: sid('VA'),
  TWILIO_BASE_URL: vendorAddress('https://verify.twilio.com'),
  CAPTCHA: oneOf(['altcha', 'turnstile', 'hcaptcha', 'recaptcha']),
  CAPTCHA_SITE_KEY: optional,
  CAPTCHA_SECRET: optional,
  CAPTCHA_BASE_URL: (text?: string) => (text === undefined ? undefined : vendorAddress(text)(text)),
  CAPTCHA_COST: whole(1, 10_000_000, 5000),
  CAPTCHA_COUNTER: whole(1, 1_000_000, 1000),
  MAIL: mail,
  MAIL_FROM: words(`${brand.name} <hello@foyer.example>`),

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
export class BadSettings extends Mendable {
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
    ...(production ? unfitForProduction(found, embedded, env) : []),
  )
  if (found.SECRET && found.SECRET.length < 16) lines.push('SECRET has at least 16 characters')
  if (lines.length) throw new BadSettings(lines)

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

const embeddedParts = ({ DATABASE_URL, PAYMENT, PHONE, MAIL }: Settings): string[] =>
  Object.entries({
    database: !DATABASE_URL,
    payment: PAYMENT === 'sandbox',
    phone: PHONE === 'sandbox',
    mail: MAIL === 'outbox',
  }).flatMap(([part, isEmbedded]) => (isEmbedded ? [part] : []))

/** A vendor that is chosen needs all of its keys. */
const keysOf = [
  ['PAYMENT', 'authorizenet', ['AUTHORIZENET_LOGIN_ID', 'AUTHORIZENET_TRANSACTION_KEY', 'AUTHORIZENET_BASE_URL']],
  ['PHONE', 'twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_SERVICE_SID']],
  ['CAPTCHA', 'turnstile', ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET']],
  ['CAPTCHA', 'hcaptcha', ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET']],
  ['CAPTCHA', 'recaptcha', ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET']],
] as const

const halfSet = (found: Settings, env: Env): string[] =>
  keysOf.flatMap(([part, vendor, keys]) =>
    found[part] === vendor
      ? keys.filter((name) => !env[name]?.trim()).map((name) => `${name} is required with ${part}=${vendor}`)
      : [],
  )

function unfitForProduction(found: Settings, embedded: string[], env: Env): string[] {
  const { SECRET, ALLOW_EMBEDDED, OFFICE_URL } = found
  const lines: string[] = []
  if (!SECRET) lines.push('SECRET is required in production: a long random text, the same for every process')
  if (SECRET === DEVELOPMENT_SECRET) lines.push('SECRET is the one of development, which everybody knows')
  if (!env.PUBLIC_URL) lines.push('PUBLIC_URL is required in production: the address that visitors type')
  if (OFFICE_URL?.startsWith('http:') && !env.PUBLIC_URL?.startsWith('http:'))
    lines.push('OFFICE_URL starts with https:// in production: a key to the office stands in its address')
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

/** A mistyped name of ours would otherwise be a setting that silently does nothing. */
const unknownNames = (env: Env): string[] =>
  Object.keys(env)
    .filter(
      (name) =>
        /^(?:LIMIT_|CLOSING_|PAYMENTS_|MINIMUM_|BREAKER_|CAPTCHA_|PAYMENT_|AUTHORIZENET_|PHONE_|TWILIO_|HASHES_|MAIL_|DATABASE_(?!URL_TEST))/.test(
          name,
        ) && !(name in settings),
    )
    .map((name) => `${name} is not a setting of Foyer`)
