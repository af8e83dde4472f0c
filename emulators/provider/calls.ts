import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** What arrived, for tests. Card data stays in memory, and only here. */
export type Seen = {
  requests: { call: CallName | null; path: string; headers: IncomingHttpHeaders; body: string }[]
  orders: { username: string; email: string; fields: Fields }[]
  hits: Record<string, number>
}
export type Reply = { status: number; body: unknown }
export type Fields = Record<string, string>
type Call = { name: CallName; query: URLSearchParams; site: string; type: string }

/** The specification's calls by method and path. All but `verify-call` are below the API's path. */
const paths = {
  packages: ['GET', '/v1/enrollment/enrollment_packages'],
  documents: ['GET', '/v1/enrollment/get-all-legal-documents'],
  orders: ['POST', '/v1/enrollment/orders'],
  validate_email: ['POST', '/v1/enrollment/validate_email'],
  validate_username: ['POST', '/v1/enrollment/validate_username'],
  sponsor: ['GET', '/v1/enrollment/get_enrollment_sponsor'],
  add_enrollment: ['POST', '/v1/enrollment/add-enrollment'],
  send_code: ['POST', '/v1/twilio/send-verification-code'],
  verify_code: ['POST', '/v1/twilio/verify-code'],
  verify_call: ['POST', '/api/twilio/verify-call'],
  page_hits: ['GET', '/v1/replicated-sites/page-hits/'],
} as const
export type CallName = keyof typeof paths

export function callOf({ method, url = '', headers }: IncomingMessage): Call | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://host')
  for (const [name, [allowed, path]] of Object.entries(paths) as [CallName, readonly [string, string]][]) {
    const isHit = name === 'page_hits' && pathname.startsWith(path)
    if (method === allowed && (pathname === path || isHit))
      return { name, query, site: decodeURIComponent(pathname.slice(path.length)), type: headers['content-type'] ?? '' }
  }
  return undefined
}

const packages = [
  { product_id: 34, image_url: '/images/34.svg', is_recurring: false, is_special: false, cents: 9900 },
  { product_id: 35, image_url: '/images/35.svg', is_recurring: false, is_special: false, cents: 14900 },
  { product_id: 41, image_url: '/images/41.svg', is_recurring: true, is_special: false, cents: 2400 },
  { product_id: 52, image_url: '/images/52.svg', is_recurring: false, is_special: true, cents: 4900 },
]
const documents = [
  { id: 1, title: 'Terms of Use', content: '<p>Be fair to each other.</p>', status: 'active' },
  { id: 2, title: 'Privacy Notice', content: '<p>We keep what the law asks for.</p>', status: 'active' },
  { id: 3, title: 'Office Rules', content: '<p>For members.</p>', status: 'active' },
]
const CHECKOUT = 'enrollment_page_checkout'

/** Sites and whether they are active. `anna` has moved to `ana`. */
const sponsors: Record<string, 'Yes' | 'No'> = { master: 'Yes', ana: 'Yes', 'ana-maria': 'Yes', sam: 'No' }
const moved: Record<string, string> = { anna: 'ana' }

const CODE = '135790'
const declined = /^4000000000000002$/
const broken = /^4000000000000119$/

export const replies: Record<CallName, (call: Call, body: string, seen: Seen) => Reply> = {
  packages: ({ query }) => {
    if (!query.get('product_category_id') || !query.get('language_id')) return refuse('Category and language, please.')
    const isOurs = query.get('product_category_id') === '17' && query.get('language_id') === '1'
    return ok(isOurs ? packages.map(({ cents, ...each }) => each) : [])
  },
  documents: () => ok(documents.map((each) => ({ ...each, display_on_checkout: each.id < 3 ? [CHECKOUT] : [] }))),
  orders: (call, body) => {
    const fields = fieldsOf(call, body)
    const ids = [fields?.product_ids, fields?.autoship_product_ids, fields?.special_product_ids]
      .flatMap((list) => (list ?? '').split(','))
      .filter(Boolean)
    const found = ids.map((id) => packages.find(({ product_id }) => String(product_id) === id.trim()))
    if (!fields || found.includes(undefined)) return refuse('This package does not exist.')
    const cents = found.reduce((sum, each) => sum + (each?.cents ?? 0), 0)
    return ok({ grand_total: (cents / 100).toFixed(2) })
  },
  validate_email: (call, body, seen) =>
    ok({ email: whyNotEmail(fieldsOf(call, body)?.email ?? '', seen) ?? 'Available' }),
  validate_username: (call, body, seen) =>
    ok({ username: whyNotUsername(fieldsOf(call, body)?.username ?? '', seen) ?? 'Available' }),
  sponsor: ({ query }) => {
    const asked = query.get('sponsor_site')?.toLowerCase()
    if (!asked) return refuse('Whose site?')
    const site = moved[asked] ?? (Object.hasOwn(sponsors, asked) ? asked : 'master')
    return ok({ site, active: sponsors[site] })
  },
  add_enrollment: (call, body, seen) => {
    const fields = fieldsOf(call, body)
    if (!fields) return refuse('This is neither JSON nor a form.')
    const missing = required.filter((name) => !fields[name]?.trim())
    if (missing.length) return refuse(`Missing: ${missing.join(', ')}`)
    const why = whyNotEmail(fields.email ?? '', seen) ?? whyNotUsername(fields.username ?? '', seen)
    if (why) return refuse(why[0] ?? '')
    const card = (fields.cc_number ?? '').replace(/[ -]/g, '')
    if (!/^\d{13,19}$/.test(card)) return refuse('This is not a card number.')
    if (declined.test(card)) return ok({ payment: 'Declined', token: '', vo_url: '' })
    if (broken.test(card)) return ok({ payment: 'Error', token: '', vo_url: '' })
    const { username = '', email = '' } = fields
    seen.orders.push({ username, email, fields })
    const token = [randomBytes(6), randomBytes(12), randomBytes(12)].map((part) => part.toString('base64url')).join('.')
    return ok({ payment: 'Approved', token, vo_url: `https://office.host.example/${username}` })
  },
  send_code: (call, body) => {
    const phone = fieldsOf(call, body)?.phone_number ?? ''
    return isPhone(phone)
      ? ok({ status: 1, message: 'Code sent' })
      : ok({ status: 0, message: 'No phone has this number' })
  },
  verify_code: (call, body) => {
    const fields = fieldsOf(call, body)
    const isRight = isPhone(fields?.phone_number ?? '') && fields?.code === CODE
    return ok(isRight ? { status: 1, message: 'Verified' } : { status: 0, message: 'This code is wrong' })
  },
  verify_call: (call, body) => ok({ success: isPhone(fieldsOf(call, body)?.cellphone ?? '') }),
  page_hits: ({ site }, _body, seen) => {
    seen.hits[site] = (seen.hits[site] ?? 0) + 1
    return ok({})
  },
}

const required = [
  'sponsor_site_name',
  'product_ids',
  'first_name',
  'last_name',
  'email',
  'address',
  'city',
  'country',
  'state',
  'mobile_phone',
  'post_code',
  'username',
  'password',
  'cc_number',
  'cc_month',
  'cc_year',
  'cc_cvv',
]

const ok = (body: unknown): Reply => ({ status: 200, body })
const refuse = (message: string): Reply => ({ status: 422, body: { message } })
const isPhone = (phone: string) => /^\+?\d{7,20}$/.test(phone) && !phone.endsWith('0404')

function whyNotEmail(email: string, { orders }: Seen): string[] | undefined {
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return ['This is not an email address.']
  const isTaken = email === 'taken@host.example' || orders.some((order) => order.email === email)
  return isTaken ? ['This email address is taken.', 'Please use a different one.'] : undefined
}

function whyNotUsername(username: string, { orders }: Seen): string[] | undefined {
  if (!/^[a-z0-9]+$/i.test(username)) return ['A username has only letters and numbers.']
  const isTaken = Object.hasOwn(sponsors, username) || orders.some((order) => order.username === username)
  return isTaken ? ['This username is taken.'] : undefined
}

/** JSON or a form, as the caller likes. */
function fieldsOf({ type }: Call, body: string): Fields | undefined {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(body))
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each ?? '')]))
  } catch {
    return undefined
  }
}
