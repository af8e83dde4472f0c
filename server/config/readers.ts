import { isIP } from 'node:net'
import numbering from 'libphonenumber-js/min/metadata'

/** What a setting may say: each reader makes a value of its text, or complains. */

export type Reader<Value> = (text: string | undefined) => Value

/** Why a setting does not fit, in words that follow its name. */
export class Unfit extends Error {}

export const whole =
  (least: number, most: number, byDefault: number): Reader<number> =>
  (text = String(byDefault)) => {
    if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Unfit(`is a whole number from ${least} to ${most}`)
    return Number(text)
  }

export const oneOf =
  <const Choice extends string>(choices: readonly [Choice, ...Choice[]]): Reader<Choice> =>
  (text = choices[0]) => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new Unfit(`is one of: ${choices.join(', ')}`)
    return found
  }

export const onOff = (text = 'off') => oneOf(['off', 'on'])(text) === 'on'

export const list: Reader<string[]> = (text = '') =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

export const words =
  (byDefault: string): Reader<string> =>
  (text = byDefault) =>
    text

export const optional: Reader<string | undefined> = (text) => text

/** Nothing, unless it is set. */
export const ifSet =
  <Value>(reader: (text: string) => Value): Reader<Value | undefined> =>
  (text) =>
    text === undefined ? undefined : reader(text)

/** However it was typed, in the one spelling that browsers use. */
export const address =
  (...protocols: string[]) =>
  (text: string): string => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url?.hostname || !protocols.includes(url.protocol) || url.search || url.hash)
      throw new Unfit(`is an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    return url.href.replace(/\/+$/, '')
  }

/** A site stands at the root of its host: a path in front of it would break every link. */
export const siteAddress = (text: string): string => {
  const found = address('http:', 'https:')(text)
  if (found !== new URL(found).origin) throw new Unfit('is an address without a path, a name or a password')
  return found
}

/** Nobody else can reach it, or listen on the way. */
export const isThisMachine = (url: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(new URL(url).hostname)

/** Hosts with their ports, as browsers name them. */
export const hosts: Reader<string[]> = (text) =>
  list(text).map((word) => {
    const url = URL.canParse(`http://${word}`) ? new URL(`http://${word}`) : undefined
    if (!url || url.href !== `http://${url.host}/`)
      throw new Unfit('is a list of hosts, such as join.example,localhost:3000')
    return url.host
  })

/** What follows a question mark is for the driver, such as sslmode. */
export const databaseAddress = (text: string): string => {
  address('postgres:', 'postgresql:')(text.split('?', 1)[0] ?? '')
  return text
}

/** Keys of ours travel there: never in the clear, except to this machine. */
export const vendorAddress = (text: string): string => {
  const found = address('http:', 'https:')(text)
  if (!found.startsWith('https:') && !isThisMachine(found)) throw new Unfit('is an address that starts with https://')
  return found
}

/** A vendor's id, by the letters that it begins with. */
export const sid =
  (...kinds: string[]) =>
  (text: string): string => {
    if (!new RegExp(`^(?:${kinds.join('|')})[0-9a-f]{32}$`, 'i').test(text))
      throw new Unfit(`is ${kinds.join(' or ')} and 32 digits and letters from a to f`)
    return text
  }

/** A login shell sets MAIL to the path of a mailbox; that is not meant for us. */
export const mail: Reader<string> = (text = 'outbox') =>
  text === 'outbox' || text.startsWith('/') ? 'outbox' : address('smtp:', 'smtps:')(text)

const ADDRESS = /^[^\s\p{Cc}"\\(),:;<>@]+@[^\s\p{Cc}"\\(),:;<>@]+$/u

/** Whom letters come from: 'hello@join.example', or with a name before it. In quotes, because a comma in the name is not a second one. */
export const sender =
  (byDefault: string): Reader<string> =>
  (text = byDefault) => {
    const [, typed = '', address = text] = /^([^\p{Cc}<>]*)<([^<>]*)>$/u.exec(text) ?? []
    if (!ADDRESS.test(address)) throw new Unfit('is one address, such as Join <hello@join.example>')
    const name = typed.replace(/["\\]/g, '').trim()
    return name ? `"${name}" <${address}>` : address
  }

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses or networks, never a number of hops: a header must not choose who the visitor is. */
export const proxies: Reader<string[]> = (text) =>
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
export const limit =
  (byDefault: string): Reader<Limit> =>
  (text = byDefault) => {
    const parts = /^(\d{1,9})\/(\d{1,9})$/.exec(text)
    if (!parts || Number(parts[2]) === 0) throw new Unfit('is how many in how many seconds, such as 30/3600')
    return { most: Number(parts[1]), seconds: Number(parts[2]) }
  }

/** 'most/seconds/percent': that many failures in that time, and at least that share of all. Off: never enough. */
export const share =
  (byDefault: string): Reader<Limit & { percent: number }> =>
  (text = byDefault) => {
    if (text === 'off') return { ...share(byDefault)(byDefault), most: Number.POSITIVE_INFINITY }
    const parts = /^(\d{1,9})\/(\d{1,9})\/(\d{1,3})$/.exec(text)
    const [most = 0, seconds = 0, percent = 0] = parts?.slice(1).map(Number) ?? []
    if (!most || !seconds || !percent || percent > 100)
      throw new Unfit('is how many failures in how many seconds and at what share, such as 20/600/50, or off')
    return { most, seconds, percent }
  }

/** Only countries that have numbers: Britain is GB, and UK would shut it out. */
export const countries =
  (byDefault: string): Reader<string[]> =>
  (text = byDefault) =>
    list(text).map((country) => {
      if (!Object.hasOwn(numbering.countries, country))
        throw new Unfit('is a list of countries in two letters each, such as US,CA,GB')
      return country
    })
