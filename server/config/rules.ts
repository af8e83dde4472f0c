import { isIP } from 'node:net'
import numbering from 'libphonenumber-js/min/metadata'
import * as z from 'zod/mini'
import { coversInternet } from './public-networks.ts'

/** What a setting may be. A message follows the name of its setting: "PORT must be a whole number from 0 to 65535". */

const matching = (pattern: RegExp, message: string) => z.string().check(z.regex(pattern, message))
const satisfying = (test: (text: string) => boolean, message: string) => z.string().check(z.refine(test, message))

export const text = (byDefault: string) => z.prefault(z.string(), byDefault)

/** An IANA name. */
export const timeZone = (byDefault: string) =>
  z.prefault(satisfying(isTimeZone, 'must be a time zone, such as America/New_York'), byDefault)

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }))
  } catch {
    return false
  }
}

export const line = (max: number) =>
  matching(
    new RegExp(`^[^\\p{Cc}\\p{Zl}\\p{Zp}\u202a-\u202e\u2066-\u2069]{1,${max}}$`, 'u'),
    `must be one line of at most ${max} characters`,
  )

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  const inRange = z.number().check(z.gte(min, message), z.lte(max, message))
  return z.pipe(z.pipe(matching(/^\d+$/, message), z.transform(Number)), inRange)
}

export const integer = (min: number, max: number, byDefault: number) =>
  z.prefault(wholeNumber(min, max), String(byDefault))

/** A port that is not used unless it is set. */
export const port = wholeNumber(1, 65535)

type Choices<Choice> = readonly [Choice, ...Choice[]]

export const anyOf = <const Choice extends string>(choices: Choices<Choice>) =>
  z.enum(choices, `must be one of: ${choices.join(', ')}`)

/** The first choice is the default. */
export const choice = <const Choice extends string>(choices: Choices<Choice>) => z._default(anyOf(choices), choices[0])

export const onOff = z.pipe(
  choice(['off', 'on']),
  z.transform((answer) => answer === 'on'),
)

const listOf = <Entry extends z.ZodMiniType<string, string>>(entry: Entry, byDefault = '') =>
  z.pipe(z.pipe(text(byDefault), z.transform(splitList)), z.array(entry))

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

/** A word that is none of these would silently do nothing. */
const listOfSome = (words: readonly string[]) =>
  listOf(satisfying((word) => words.includes(word), `must be a list of: ${words.join(', ')}`))

/** The parts that have an embedded stand-in. */
export const EMBEDDED_PARTS = ['database', 'payment', 'phone', 'mail'] as const
export const embeddedParts = listOfSome(EMBEDDED_PARTS)

/** The parts that are reached without TLS only if the operator says so. The others always use https. */
export const UNENCRYPTED_PARTS = ['database', 'mail'] as const
export const unencryptedParts = listOfSome(UNENCRYPTED_PARTS)

/** URLs are normalized as browsers do it, without a slash at the end. */
export const url = (...protocols: string[]) =>
  z.pipe(
    satisfying((text) => isUrl(text, protocols), startsWith(protocols)),
    z.transform((text) => new URL(text).href.replace(/\/+$/, '')),
  )

const startsWith = (protocols: string[]) =>
  `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`

function isUrl(text: string, protocols: string[]): boolean {
  if (!URL.canParse(text)) return false
  const { hostname, protocol, search, hash } = new URL(text)
  return Boolean(hostname) && protocols.includes(protocol) && !search && !hash
}

/** Pages link to each other from the root of the host, so a path in front of them would break every link. */
export const siteUrl = url('http:', 'https:').check(
  z.refine((text) => text === new URL(text).origin, 'must be a URL without a path, user name or password'),
)

/** Our keys are sent there, so the connection is encrypted unless it stays on this machine. */
export const vendorUrl = url('http:', 'https:').check(
  z.refine((text) => text.startsWith('https:') || isLoopback(text), startsWith(['https:'])),
)

export const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname)

/** Whether a host name, or an address with or without brackets, can only mean this machine. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:127(?:\.\d+){3}|::1|\[::1\]|(?:.+\.)?localhost)$/i.test(host)

/** Hosts with their ports, as browsers spell them. */
export const hosts = listOf(
  z.pipe(
    satisfying(isHost, 'must be a list of hosts, such as join.example,localhost:3000'),
    z.transform((text) => new URL(`http://${text}`).host),
  ),
)

/** Of pages on other hosts. Only https: a network could change what is sent over http. */
export const origins = listOf(
  z.pipe(
    satisfying(isOrigin, 'must be a list of origins, such as https://www.example.com; http only on this machine'),
    z.transform((text) => new URL(text).origin),
  ),
)

function isOrigin(text: string): boolean {
  if (!isUrl(text, ['http:', 'https:'])) return false
  const { href, origin, protocol } = new URL(text)
  return href === `${origin}/` && (protocol === 'https:' || isLoopback(text))
}

function isHost(text: string): boolean {
  if (!URL.canParse(`http://${text}`)) return false
  const { href, host } = new URL(`http://${text}`)
  return href === `http://${host}/`
}

/** Trusted proxies by address, never by number of hops, because a client can add hops to the header. */
export const proxies = listOf(
  satisfying(isProxy, 'must be a list of addresses or networks, such as 10.0.0.5,192.168.0.0/16'),
).check(
  z.refine(
    (networks) => !networks.every(isProxy) || !coversInternet(networks),
    'must name your proxies only: its public networks together are as large as a /8 (IPv6: a /16), so visitors could forge their addresses',
  ),
)

function isProxy(text: string): boolean {
  const network = z.union([z.enum(['loopback', 'linklocal', 'uniquelocal']), z.cidrv4(), z.cidrv6()])
  return isIP(text) !== 0 || z.safeParse(network, text).success
}

/** An id at Twilio. Its first two letters say what it identifies. */
export const sid = (...prefixes: string[]) =>
  matching(
    new RegExp(`^(?:${prefixes.join('|')})[0-9a-f]{32}$`, 'i'),
    `must be ${prefixes.join(' or ')} followed by 32 hexadecimal digits`,
  )

/** Login shells set MAIL to the path of a mailbox. A path is not meant for us, so it is ignored. */
export const mail = z.pipe(
  z.pipe(
    text('outbox'),
    z.transform((text) => (text.startsWith('/') ? 'outbox' : text)),
  ),
  z.union([z.literal('outbox'), url('smtp:', 'smtps:')], `${startsWith(['smtp:', 'smtps:'])}, or outbox`),
)

/** One email address, with or without a name. The name is quoted, so that a comma in it does not start a second address. */
export const sender = (byDefault: string) =>
  z.pipe(
    z.prefault(
      satisfying(
        (text) => EMAIL.test(splitSender(text).email),
        'must be one address, such as Join <hello@join.example>',
      ),
      byDefault,
    ),
    z.transform((text) => {
      const { name, email } = splitSender(text)
      return name ? `"${name}" <${email}>` : email
    }),
  )

const EMAIL = /^[^\s\p{Cc}"\\(),:;<>@]+@[^\s\p{Cc}"\\(),:;<>@]+$/u

/** A JSON object of short texts: '{"level":"Member"}'. Numbers become text. */
const jsonTexts = (isName: RegExp, message: string) =>
  z.pipe(
    satisfying((text) => readTexts(text, isName) !== undefined, message),
    z.transform((text) => readTexts(text, isName) ?? {}),
  )

function readTexts(text: string, isName: RegExp): Record<string, string> | undefined {
  try {
    const entries = Object.entries(Object(JSON.parse(text))).map(([name, value]) => [name, value] as const)
    const isFine = entries.every(([name, value]) => isName.test(name) && /^[^\p{Cc}]{1,4000}$/u.test(textOf(value)))
    return isFine && /^\s*\{/.test(text)
      ? Object.fromEntries(entries.map(([name, value]) => [name, textOf(value)]))
      : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown) => (['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '')

/** Headers for the API host. Those that belong to the connection or to the body are ours. */
export const headerNames = z.prefault(
  jsonTexts(
    /^(?!(?:host|connection|content-\w+|transfer-encoding|accept-encoding|expect|te|upgrade|cookie)$)[\w-]{1,100}$/i,
    'must be a JSON object of headers and their values, such as {"x-api-key":"…"}',
  ),
  '{}',
)

/** Form fields with fixed values. */
export const fixedFields = z.prefault(
  jsonTexts(/^\w{1,100}$/, 'must be a JSON object of fields and their values, such as {"level":"Member"}'),
  '{}',
)

/** Where visitors get help. */
export const contact = satisfying(
  (text) => EMAIL.test(text) || (URL.canParse(text) && text.startsWith('https://')),
  'must be an email address, or a URL that starts with https://',
)

function splitSender(text: string): { name: string; email: string } {
  const [, name = '', email = text] = /^([^\p{Cc}<>]*)<([^<>]*)>$/u.exec(text) ?? []
  return { name: name.replace(/["\\]/g, '').trim(), email }
}

/** 'max/seconds': how often something may happen, and in what time. */
export type Limit = { max: number; seconds: number }
export const limit = (byDefault: string) =>
  z.pipe(
    z.prefault(matching(/^\d{1,9}\/[1-9]\d{0,8}$/, 'must be a count and seconds, such as 30/3600'), byDefault),
    z.transform((text): Limit => {
      const [max = 0, seconds = 0] = text.split('/').map(Number)
      return { max, seconds }
    }),
  )

/** 'failures/seconds/percent': this many failures in this time, if they are at least this share of all attempts. 'off' is never reached. */
export type Threshold = { failures: number; seconds: number; percent: number }
export const threshold = (byDefault: string) =>
  z.pipe(
    z.prefault(
      matching(
        /^(?:off|[1-9]\d{0,8}\/[1-9]\d{0,8}\/(?:100|[1-9]\d?))$/,
        'must be failures, seconds and percent, such as 20/600/50, or off',
      ),
      byDefault,
    ),
    z.transform((text): Threshold => {
      const isOff = text === 'off'
      const [failures = 0, seconds = 0, percent = 0] = (isOff ? byDefault : text).split('/').map(Number)
      return { failures: isOff ? Number.POSITIVE_INFINITY : failures, seconds, percent }
    }),
  )

/** Only countries with phone numbers: Britain is GB, and UK would silently exclude it. */
export const phoneCountries = (byDefault: string) =>
  listOf(
    satisfying(
      (country) => Object.hasOwn(numbering.countries, country),
      'must be a list of two-letter countries, such as US,CA,GB',
    ),
    byDefault,
  )
