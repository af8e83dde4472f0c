import { type RawBuilder, sql } from 'kysely'
import { beginsWith } from '../begins-with.ts'

/** Matches of each kind that are looked at. With more, the list says that there are more. */
export const MAX_MATCHES = 200

type Match = RawBuilder<{ id: string }>

/**
 * The members that a search can mean, as one query per kind. Each follows its own index and stops after enough rows, so that
 * the time does not depend on how many members there are.
 */
export function matchesOf(search: string): Match[] {
  const text = search.trim()
  const digits = text.replace(/[\s().+-]/g, '')
  const isNumber = /^\d+$/.test(digits)
  return [
    ...(isNumber && digits.length === 4 ? cards(digits) : []),
    ...(isNumber && digits.length >= 4 ? phones(digits) : []),
    ...(/^[\w.-]{15,60}$/.test(text) ? payments(text) : []),
    ...(isNumber && digits.length > 4 ? [] : names(text)),
  ]
}

const cards = (last_four: string): Match[] => [
  sql`select member_id as id from membership where card_last_four = ${last_four} limit ${sql.lit(MAX_MATCHES)}`,
  sql`select member.id from payment join member on member.enrollment_id = payment.enrollment_id
    where payment.card_last_four = ${last_four} limit ${sql.lit(MAX_MATCHES)}`,
]

/** The beginning with the country code, or the end. */
const phones = (digits: string): Match[] => [
  members(beginsWith(sql`mobile_phone collate "C"`, `+${digits}`)),
  members(beginsWith(sql`reverse(mobile_phone) collate "C"`, [...digits].reverse().join(''))),
]

/** Our reference, or the gateway's own number. */
const payments = (reference: string): Match[] => [
  sql`select member.id from payment join member on member.enrollment_id = payment.enrollment_id
    where reference = ${reference.toLowerCase()} limit 1`,
  sql`select member.id from payment join member on member.enrollment_id = payment.enrollment_id
    where transaction_id = ${reference} limit 1`,
]

const lastName = sql`lower(last_name) collate "C"`
const firstName = sql`lower(first_name) collate "C"`

function names(search: string): Match[] {
  const text = search.toLowerCase()
  const [first = '', ...rest] = text.split(/\s+/)
  const last = rest.join(' ')
  return [
    members(beginsWith(lastName, text)),
    members(beginsWith(firstName, text)),
    members(beginsWith(sql`lower(email) collate "C"`, text)),
    ...(last ? [bothNames(first, last), bothNames(last, first)] : [members(beginsWith(sql`username`, text))]),
  ]
}

const bothNames = (first: string, last: string) =>
  members(sql`${beginsWith(lastName, last)} and ${beginsWith(firstName, first)}`)

const members = (condition: RawBuilder<unknown>): Match =>
  sql`select id from member where ${condition} limit ${sql.lit(MAX_MATCHES)}`
