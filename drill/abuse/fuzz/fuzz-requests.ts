import type { InjectOptions } from 'fastify'
import { consoleCalls } from '#contract/console/console.ts'
import { officeCalls } from '#contract/office/office.ts'
import type { Field, Route } from '../../in-process-site/routes.ts'
import type { SeededRandom } from '../../seeded-random.ts'
import { americanPhone, cardNumber, formAnswers, visitorAddress } from '../../test-data.ts'
import { contentTypes, fuzzKeys, fuzzTexts, fuzzValues } from './fuzz-inputs.ts'

type Body = Record<string, unknown>

/** Replaced by a solved captcha. */
export const CAPTCHA_PLACEHOLDER = 'a solved captcha'

const ID = '00000000-0000-4000-8000-000000000000'

const validAnswers = (n: number): Record<string, string> => ({
  ...formAnswers(`fuzz${n}`, americanPhone(n), cardNumber('4539', n)),
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
  member_id: ID,
  id: ID,
  sponsor_id: ID,
  reference: 'x.1',
  reason: 'a reason',
  role: 'viewer',
  document_id: '1',
  version: '1',
  product_id: '34',
})

/** One request, from nearly valid to completely invalid. `n` makes its names unique. */
export function createFuzzRequest(
  route: Route,
  random: SeededRandom,
  n: number,
  cookies: readonly string[],
): InjectOptions {
  const body = bodyFor(route, random, n)
  const method = random.chance(0.97)
    ? route.method
    : random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
  const path = route.path.replace(/:\w+/g, () => pathPart(random))
  const common = {
    method,
    remoteAddress: visitorAddress(n),
    headers: headersFor(random, n, isSignOut(route) ? cookies.slice(0, 1) : cookies),
  }
  if (method === 'GET' || method === 'HEAD') return { ...common, url: path + queryFor(body, random) }
  const type = route.path.startsWith('/__') ? 'application/x-www-form-urlencoded' : 'application/json'
  const contentType = random.chance(0.95) ? type : random.pick(contentTypes)
  const payload = payloadFor(body, type, random)
  return { ...common, url: path, headers: { ...common.headers, 'content-type': contentType }, payload }
}

/** Signing out with a valid cookie would end the session that later requests need. */
const isSignOut = ({ path }: Route) =>
  [officeCalls.leaveOffice, officeCalls.leaveEverywhere, consoleCalls.signOut].some((call) => path.endsWith(call.path))

const pathPart = (random: SeededRandom) =>
  random.chance(0.3) ? 'ana' : random.chance(0.8) ? encodePart(random.pick(fuzzTexts)).slice(0, 3_000) : '%E0%A4%A'

/** A lone surrogate cannot be encoded in a URL. */
const encodePart = (text: string) => encodeURIComponent(text.toWellFormed())

/** Replaces or drops a random share of the fields. */
function bodyFor({ fields }: Route, random: SeededRandom, n: number): Body {
  const names = Object.keys(fields)
  const valid = validAnswers(n)
  const body: Body = {}
  const share = random.pick([0, 0, 1 / Math.max(names.length, 1), 2 / Math.max(names.length, 1), 0.3, 1])
  for (const name of names) {
    if (random.chance(share)) body[name] = invalidValue(fields[name] ?? {}, random)
    else if (name in valid) body[name] = valid[name]
    if (random.chance(share / 3)) delete body[name]
  }
  if ('captcha' in fields && body.captcha === undefined)
    body.captcha = random.chance(0.03) ? CAPTCHA_PLACEHOLDER : 'none'
  if (random.chance(0.05)) body[random.pick(fuzzKeys)] = random.pick(fuzzValues)
  return body
}

/** A value at the edge of what the contract allows, or far outside. */
function invalidValue(field: Field, random: SeededRandom): unknown {
  if (random.chance(0.15)) return random.pick(fuzzValues)
  if (random.chance(0.1)) return random.bytes(random.below(40)).toString('latin1')
  if (random.chance(0.1))
    return String.fromCodePoint(...Array.from({ length: random.below(20) }, () => random.below(0xd800)))
  const edgeCases = [
    ...(field.maxLength
      ? ['x'.repeat(field.maxLength), '😀'.repeat(field.maxLength), 'x'.repeat(field.maxLength + 1)]
      : []),
    ...(field.enum ?? []),
    ...(field.const ? [field.const, field.const.toLowerCase()] : []),
    ...(field.maximum ? [String(field.maximum), String(field.maximum + 1)] : []),
  ]
  return random.chance(0.2) && edgeCases.length ? random.pick(edgeCases) : random.pick(fuzzTexts)
}

/** For form bodies and query strings. */
const textsOf = (body: Body): [string, string][] =>
  Object.entries(body).map(([name, value]) => [name, typeof value === 'object' ? '[]' : String(value)])

function queryFor(body: Body, random: SeededRandom): string {
  const texts = textsOf(body)
  if (random.chance(0.05)) texts.push([random.pick(fuzzKeys), random.pick(fuzzTexts)], ...texts.slice(0, 2))
  const query = new URLSearchParams(texts).toString()
  if (random.chance(0.03)) return `?${query}&%E0%A4%A=%&=&&a[]=1&a[b]=2`
  return query ? `?${query}` : ''
}

const NESTING = 5_000

function payloadFor(body: Body, type: string, random: SeededRandom): string | Buffer {
  if (random.chance(0.9))
    return type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(textsOf(body)).toString()
  const text = JSON.stringify(body)
  const createInvalid = random.pick<() => string | Buffer>([
    () => text.slice(0, random.below(text.length)),
    () => random.bytes(random.below(300)),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
    () => Buffer.from(text, 'utf16le'),
    () => `${'['.repeat(NESTING)}${']'.repeat(NESTING)}`,
    () => `${'{"a":'.repeat(NESTING)}1${'}'.repeat(NESTING)}`,
    () => JSON.stringify(random.pick(fuzzValues)),
    () => `{"__proto__":{"admin":true},${text.slice(1)}`,
    () => `{"first_name":1,"first_name":[],${text.slice(1)}`,
    () => JSON.stringify({ ...body, first_name: 'x'.repeat(70_000) }),
    () => '',
  ])
  return createInvalid()
}

function headersFor(random: SeededRandom, n: number, cookies: readonly string[]): Record<string, string> {
  const id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  const fuzzText = () => random.pick(fuzzTexts).slice(0, 2_000)
  return {
    ...(random.chance(0.2)
      ? { 'idempotency-key': random.chance(0.7) ? `${id}.${1 + random.below(3)}` : fuzzText() }
      : {}),
    ...(random.chance(0.2) ? { cookie: random.chance(0.5) ? random.pick(cookies) : fuzzCookies(fuzzText) } : {}),
    ...(random.chance(0.1)
      ? { 'x-forwarded-for': random.chance(0.5) ? `${fuzzText()}, ${visitorAddress(n)}` : fuzzText() }
      : {}),
    ...(random.chance(0.05)
      ? { 'user-agent': fuzzText(), host: fuzzText() }
      : { 'user-agent': 'Mozilla/5.0 Chrome/156 Safari/537.36' }),
    ...(random.chance(0.05)
      ? {
          'accept-encoding': random.pick(['br', 'gzip', '*', fuzzText()]),
          range: fuzzText(),
          'if-none-match': fuzzText(),
        }
      : {}),
    ...(random.chance(0.02)
      ? { 'sec-purpose': fuzzText(), purpose: fuzzText(), origin: fuzzText(), 'sec-fetch-site': fuzzText() }
      : {}),
  }
}

const fuzzCookies = (fuzzText: () => string) =>
  ['foyer_enrollment', 'foyer_office', 'foyer_unknown_site'].map((name) => `${name}=${fuzzText()}`).join('; ')
