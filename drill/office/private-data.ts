import { brandOf, brands } from '#contract/card.ts'
import type { Person } from './fixture.ts'

/** What of a person is nobody else's business. */
export type Own = { what: string; isIn: (reading: string) => boolean }

/** How somebody paid, as it is kept. */
type Paid = { enrollment_id: string; reference: string; transaction_id: string; vault_reference: string }

/** Never stored, so that only a slip could tell it. */
export const CARD = 'card'

/** All that an answer to a sponsor must not carry. */
export const ownOf = (person: Person, paid: Paid): Own[] => [
  word('email', person.email.split('@')[0]),
  number('phone', person.mobile_phone.slice(-10)),
  word('street', person.address.split(' ')[1]),
  word('city', person.city),
  number('ZIP', person.post_code),
  ...Object.entries(paid).map(([what, text]) => word(what, text)),
  ending(person.cc_number),
]

const word = (what: string, text = ''): Own => {
  const small = text.toLowerCase()
  return { what, isIn: (reading) => reading.includes(small) }
}

/** However its digits are grouped. */
const number = (what: string, text: string): Own => {
  const grouped = new RegExp(`(?<!\\d)(?:1\\D{0,2})?${[...text.replace(/\D/g, '')].join('\\D{0,3}')}(?!\\d)`)
  return { what, isIn: (reading) => grouped.test(reading) }
}

/** Four digits alone are everywhere: near a brand or behind what hides the others they are a card's. */
const ending = (cc_number: string): Own => {
  const four = `(?<!\\d)${cc_number.slice(-4)}(?!\\d)`
  const brand = brands[brandOf(cc_number) ?? 'visa'].name.toLowerCase()
  const company = new RegExp(`(?:${brand}|ending|[•*x.·]{2,})[^\\n]{0,40}?${four}|${four}[^\\n]{0,40}?${brand}`)
  return { what: CARD, isIn: (reading) => company.test(reading) || reading.includes(cc_number) }
}

/** An answer as it stands and as somebody could read it who wants to: without escapes, and out of base64. */
export const readingOf = (answer: string): string => {
  const runs = answer.match(/[\w+/-]{16,4000}/g) ?? []
  const decoded = runs.flatMap((run) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString()))
  return [answer, unescaped(answer), ...decoded].join('\n').toLowerCase()
}

const ESCAPE = /%([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,6});|&#(\d{1,7});/gi

const unescaped = (text: string) =>
  text.replace(ESCAPE, (_all, percent, json, hex, decimal) =>
    String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(percent ?? json ?? hex, 16)),
  )
