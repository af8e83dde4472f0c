import { brandOf, brands } from '#contract/card.ts'
import type { TestMember } from './fixture.ts'

/** A private detail of a member. */
export type PrivateDetail = { what: string; isIn: (text: string) => boolean }

/** How a member paid, as stored. */
type PaymentRow = { enrollment_id: string; reference: string; transaction_id: string; vault_reference: string }

/** Never stored. */
export const CARD = 'card'

/** Everything that an answer to a sponsor must not contain. */
export const privateDetailsOf = (person: TestMember, payment: PaymentRow): PrivateDetail[] => [
  word('email', person.email.split('@')[0]),
  number('phone', person.mobile_phone.slice(-10)),
  word('street', person.address.split(' ')[1]),
  word('city', person.city),
  number('ZIP', person.post_code),
  ...Object.entries(payment).map(([what, text]) => word(what, text)),
  ending(person.cc_number),
]

const word = (what: string, text = ''): PrivateDetail => {
  const lowerCase = text.toLowerCase()
  return { what, isIn: (answer) => answer.includes(lowerCase) }
}

/** Matches the digits in any grouping. */
const number = (what: string, text: string): PrivateDetail => {
  const grouped = new RegExp(`(?<!\\d)(?:1\\D{0,2})?${[...text.replace(/\D/g, '')].join('\\D{0,3}')}(?!\\d)`)
  return { what, isIn: (answer) => grouped.test(answer) }
}

/** Four digits alone occur everywhere. Next to a brand or after masking characters they belong to a card. */
const ending = (cc_number: string): PrivateDetail => {
  const four = `(?<!\\d)${cc_number.slice(-4)}(?!\\d)`
  const brand = brands[brandOf(cc_number) ?? 'visa'].name.toLowerCase()
  const nearBrand = new RegExp(`(?:${brand}|ending|[•*x.·]{2,})[^\\n]{0,40}?${four}|${four}[^\\n]{0,40}?${brand}`)
  return { what: CARD, isIn: (answer) => nearBrand.test(answer) || answer.includes(cc_number) }
}

/** The answer in lower case: as it is, without escapes, and decoded from base64. */
export const decodeAll = (answer: string): string => {
  const runs = answer.match(/[\w+/-]{16,4000}/g) ?? []
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString()),
  )
  return [answer, decodeEscapes(answer), ...decoded].join('\n').toLowerCase()
}

const ESCAPE = /%([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,6});|&#(\d{1,7});/gi

const decodeEscapes = (text: string) =>
  text.replace(ESCAPE, (_all, percent, json, hex, decimal) =>
    String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(percent ?? json ?? hex, 16)),
  )
