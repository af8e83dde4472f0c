import type { LegalDocument, Package } from '#contract/api.ts'
import { takenMessages } from '#contract/fields.ts'
import { AT_CHECKOUT } from '#contract/legal.ts'
import { toAmount } from '#contract/money.ts'
import { SITE_PATTERN } from '#contract/site.ts'
import { centsIn, idIn, isRow, messagesIn, type Row, rowIn, rowsIn, textIn, unreadable, yesOrNo } from './reading.ts'

/** What each answer of the host means. Anything we can't use is reported. */

type Report = (what: string) => void

export type HostSponsor = { site: string; active: boolean; name: string }

export function sponsorIn(body: unknown): HostSponsor {
  const { site, active, name } = rowIn(body, 'site', 'active')
  const word = textIn(site).toLowerCase()
  if (!SITE_PATTERN.test(word)) unreadable(site === undefined ? 'site is missing' : 'site is not a word for an address')
  const isActive =
    yesOrNo(active) ?? unreadable(active === undefined ? 'active is missing' : 'active is neither Yes nor No')
  return { site: word, active: isActive, name: textIn(name, 60) || word }
}

/** A package as the host lists it. Its price is the total of an order for it. */
export type HostPackage = Pick<
  Package,
  'product_id' | 'name' | 'description' | 'image_url' | 'is_recurring' | 'is_special'
>

export function packagesIn(body: unknown, report: Report): HostPackage[] {
  const found = new Map<number, HostPackage>()
  const list = rowsIn(body, 'the packages')
  const starters = list.filter((row) => isRow(row) && !isYes(row.is_recurring) && !isYes(row.is_special))
  for (const [index, row] of list.entries()) {
    const product_id = isRow(row) ? idIn(row.product_id) : undefined
    if (!isRow(row) || !product_id) report(`product_id of package ${index + 1} is missing or not a number`)
    else if (!found.has(product_id)) found.set(product_id, packageIn(row, product_id, starters.length === 1))
  }
  return [...found.values()]
}

const isYes = (value: unknown) => yesOrNo(value) === true

/** Packages have no name in the specification. */
function packageIn(row: Row, product_id: number, isOnlyStarter: boolean): HostPackage {
  const is_recurring = isYes(row.is_recurring)
  const is_special = isYes(row.is_special)
  const name = isOnlyStarter && !is_recurring && !is_special ? 'Membership' : `Package ${product_id}`
  return {
    product_id,
    name: textIn(row.name, 100) || name,
    description: textIn(row.description),
    image_url: textIn(row.image_url, 2000),
    is_recurring,
    is_special,
  }
}

export type HostDocument = Pick<LegalDocument, 'id' | 'title' | 'content' | 'status' | 'display_on_checkout'>

/** The content is HTML that isn't sanitized yet. */
export const documentsIn = (body: unknown, report: Report): HostDocument[] =>
  rowsIn(body, 'the documents').flatMap((row, index) => {
    if (isRow(row) && typeof row.content === 'string') return [documentIn(row, index)]
    report(`content of document ${index + 1} is missing or not text`)
    return []
  })

const documentIn = (row: Row, index: number): HostDocument => ({
  id: idIn(row.id) ?? index + 1,
  title: textIn(row.title, 200) || `Document ${index + 1}`,
  content: String(row.content),
  status: isInForce(row.status) ? 'active' : textIn(row.status, 30),
  display_on_checkout: placesIn(row.display_on_checkout),
})

/** The specification names no values, so a document is in force unless its status says otherwise. */
const isInForce = (status: unknown) => {
  const word = textIn(status, 30).toLowerCase()
  return (
    (word === '' && yesOrNo(status) !== false) ||
    /^(?:active|published|enabled|live|current|true|yes|1)$/.test(word) ||
    status === true
  )
}

/** A list, or one text with several words. */
const placesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map((each) => textIn(each, 100)) : textIn(value, 2000).split(/[^\w-]+/)).filter(Boolean)

export const isAtCheckout = ({ display_on_checkout }: HostDocument) => display_on_checkout.includes(AT_CHECKOUT)

export function totalIn(body: unknown): string {
  const { grand_total } = rowIn(body, 'grand_total')
  return toAmount(centsIn(grand_total) ?? unreadable('grand_total is not an amount'))
}

export const availabilityIn =
  (field: 'email' | 'username') =>
  (body: unknown): 'Available' | string[] => {
    const value = rowIn(body, field)[field]
    if (value === true || /^available$/i.test(textIn(value))) return 'Available'
    if (value === false) return [takenMessages[field]]
    const messages = messagesIn(value)
    return messages.length ? messages : unreadable(`${field} is neither 'Available' nor messages`)
  }

/** Whether a code was sent, or was right, with the host's message for the visitor. */
export type Verification = { isDone: boolean; message: string }

export function verificationIn(body: unknown): Verification {
  const { status, message } = rowIn(body, 'status')
  return { isDone: yesOrNo(status) ?? unreadable('status is not 1 or 0'), message: textIn(message) }
}

export function callIn(body: unknown): Verification {
  const { success, message } = rowIn(body, 'success')
  return { isDone: yesOrNo(success) ?? unreadable('success is neither true nor false'), message: textIn(message) }
}

/** `payment` in our spelling: hosts use any case. */
export type HostPayment = { payment: 'Approved' | 'Declined'; isOtherWord: boolean; token: string; vo_url: string }

export function paymentIn(body: unknown): HostPayment {
  const { payment, token, vo_url } = rowIn(body, 'payment')
  const word = typeof payment === 'string' ? textIn(payment, 100).toLowerCase() : ''
  if (!word) unreadable('payment is not a word')
  return {
    payment: word === 'approved' ? 'Approved' : 'Declined',
    isOtherWord: !['approved', 'declined'].includes(word),
    token: typeof token === 'string' && /^[\w.~=+/-]{1,4000}$/.test(token) ? token : '',
    vo_url: typeof vo_url === 'string' ? vo_url.slice(0, 2000) : '',
  }
}

/** Page hits have no answer. */
export const nothingIn = (): undefined => undefined
