import type { InjectOptions } from 'fastify'
import { officeCalls } from '#contract/office-calls.ts'
import type { Field, Route } from '../../in-process-site/routes.ts'
import type { Chance } from '../../seeded-random.ts'
import { americanPhone, answersOf, cardNumber, honestAddress } from '../../test-data.ts'
import { contentTypes, naughtyKeys, naughtyTexts, naughtyValues } from './fuzz-inputs.ts'

type Body = Record<string, unknown>

/** Stands where a solved captcha is to be put in. */
export const SOLVED = 'a solved captcha'

const known = (n: number): Record<string, string> => ({
  ...answersOf(`fuzz${n}`, americanPhone(n), cardNumber('4539', n)),
  sponsor_site: 'ana',
  phone_number: americanPhone(n),
  cellphone: americanPhone(n),
  code: '123456',
  token: 'eyJhbGciOiJIUzI1NiJ9.e30.x',
  product_category_id: '17',
  language_id: '1',
  transaction_id: 'sb_1',
  verdict: 'approve',
  to: americanPhone(n),
})

/** One request, from nearly right to hopelessly wrong. `n` makes names in it its own; the cookies are good ones. */
export function requestFor(route: Route, dice: Chance, n: number, cookies: readonly string[]): InjectOptions {
  const body = bodyFor(route, dice, n)
  const method = dice.is(0.97) ? route.method : dice.one(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
  const path = route.path.replace(/:\w+/, () => inPath(dice))
  const common = {
    method,
    remoteAddress: honestAddress(n),
    headers: headersFor(dice, n, isWayOut(route) ? cookies.slice(0, 1) : cookies),
  }
  if (method === 'GET' || method === 'HEAD') return { ...common, url: path + queryFor(body, dice) }
  const type = route.path.startsWith('/__') ? 'application/x-www-form-urlencoded' : 'application/json'
  const contentType = dice.is(0.95) ? type : dice.one(contentTypes)
  const payload = payloadFor(body, type, dice)
  return { ...common, url: path, headers: { ...common.headers, 'content-type': contentType }, payload }
}

/** Who leaves the office takes no good key along, or nobody would be in it any more. */
const isWayOut = ({ path }: Route) =>
  [officeCalls.leaveOffice, officeCalls.leaveEverywhere].some((call) => path.endsWith(call.path))

const inPath = (dice: Chance) =>
  dice.is(0.3) ? 'ana' : dice.is(0.8) ? wellFormed(dice.one(naughtyTexts)).slice(0, 3_000) : '%E0%A4%A'

/** A lone half of a character has no form in an address. */
const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed())

/** How wrong the fields are, and how often. */
function bodyFor({ fields }: Route, dice: Chance, n: number): Body {
  const names = Object.keys(fields)
  const good = known(n)
  const body: Body = {}
  const share = dice.one([0, 0, 1 / Math.max(names.length, 1), 2 / Math.max(names.length, 1), 0.3, 1])
  for (const name of names) {
    if (dice.is(share)) body[name] = oddFor(fields[name] ?? {}, dice)
    else if (name in good) body[name] = good[name]
    if (dice.is(share / 3)) delete body[name]
  }
  if ('captcha' in fields && body.captcha === undefined) body.captcha = dice.is(0.03) ? SOLVED : 'none'
  if (dice.is(0.05)) body[dice.one(naughtyKeys)] = dice.one(naughtyValues)
  return body
}

/** What the contract nearly allows, and what it never heard of. */
function oddFor(field: Field, dice: Chance): unknown {
  if (dice.is(0.15)) return dice.one(naughtyValues)
  if (dice.is(0.1)) return dice.bytes(dice.below(40)).toString('latin1')
  if (dice.is(0.1)) return String.fromCodePoint(...Array.from({ length: dice.below(20) }, () => dice.below(0xd800)))
  const borders = [
    ...(field.maxLength
      ? ['x'.repeat(field.maxLength), '😀'.repeat(field.maxLength), 'x'.repeat(field.maxLength + 1)]
      : []),
    ...(field.enum ?? []),
    ...(field.const ? [field.const, field.const.toLowerCase()] : []),
    ...(field.maximum ? [String(field.maximum), String(field.maximum + 1)] : []),
  ]
  return dice.is(0.2) && borders.length ? dice.one(borders) : dice.one(naughtyTexts)
}

/** As a form or an address carries them. */
const textsOf = (body: Body): [string, string][] =>
  Object.entries(body).map(([name, value]) => [name, typeof value === 'object' ? '[]' : String(value)])

function queryFor(body: Body, dice: Chance): string {
  const texts = textsOf(body)
  if (dice.is(0.05)) texts.push([dice.one(naughtyKeys), dice.one(naughtyTexts)], ...texts.slice(0, 2))
  const query = new URLSearchParams(texts).toString()
  if (dice.is(0.03)) return `?${query}&%E0%A4%A=%&=&&a[]=1&a[b]=2`
  return query ? `?${query}` : ''
}

const DEEP = 5_000

function payloadFor(body: Body, type: string, dice: Chance): string | Buffer {
  if (dice.is(0.9))
    return type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(textsOf(body)).toString()
  const text = JSON.stringify(body)
  const spoil = dice.one<() => string | Buffer>([
    () => text.slice(0, dice.below(text.length)),
    () => dice.bytes(dice.below(300)),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
    () => Buffer.from(text, 'utf16le'),
    () => `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
    () => `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
    () => JSON.stringify(dice.one(naughtyValues)),
    () => `{"__proto__":{"admin":true},${text.slice(1)}`,
    () => `{"first_name":1,"first_name":[],${text.slice(1)}`,
    () => JSON.stringify({ ...body, first_name: 'x'.repeat(70_000) }),
    () => '',
  ])
  return spoil()
}

function headersFor(dice: Chance, n: number, cookies: readonly string[]): Record<string, string> {
  const id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  const odd = () => dice.one(naughtyTexts).slice(0, 2_000)
  return {
    ...(dice.is(0.2) ? { 'idempotency-key': dice.is(0.7) ? `${id}.${1 + dice.below(3)}` : odd() } : {}),
    ...(dice.is(0.2) ? { cookie: dice.is(0.5) ? dice.one(cookies) : oddCookies(odd) } : {}),
    ...(dice.is(0.1) ? { 'x-forwarded-for': dice.is(0.5) ? `${odd()}, ${honestAddress(n)}` : odd() } : {}),
    ...(dice.is(0.05)
      ? { 'user-agent': odd(), host: odd() }
      : { 'user-agent': 'Mozilla/5.0 Chrome/156 Safari/537.36' }),
    ...(dice.is(0.05)
      ? { 'accept-encoding': dice.one(['br', 'gzip', '*', odd()]), range: odd(), 'if-none-match': odd() }
      : {}),
    ...(dice.is(0.02) ? { 'sec-purpose': odd(), purpose: odd(), origin: odd(), 'sec-fetch-site': odd() } : {}),
  }
}

const oddCookies = (odd: () => string) =>
  ['foyer_enrollment', 'foyer_office', 'foyer_unknown_site'].map((name) => `${name}=${odd()}`).join('; ')
