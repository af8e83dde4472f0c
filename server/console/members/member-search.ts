import { type RawBuilder, sql } from 'kysely'
import { isLink, siteIn } from '#contract/site.ts'
import { beginsWith } from '../begins-with.ts'

/** Matches of each kind that are looked at. With more, the list says that there are more. */
export const MAX_MATCHES = 200

type Match = RawBuilder<{ id: string }>

/**
 * The members that a search can mean, as one query per kind. Each follows its own index and stops after enough rows, so that
 * the time does not depend on how many members there are.
 */
export function matchesOf(search: string): Match[] {
  const text = textOf(search)
  if (!text) return []
  if (UUID.test(text)) return [members(sql`id = cast(${text} as uuid)`)]
  const digits = text.replace(/[\s().+-]/g, '')
  const isNumber = /^\d+$/.test(digits)
  return [
    ...(isNumber && digits.length === 4 ? cards(digits) : []),
    ...(isNumber && digits.length >= 4 ? phones(digits) : []),
    ...(/^[\w.-]{15,60}$/.test(text) ? payments(text) : []),
    ...(isNumber && /^\d{3,5}(?:-\d{0,4})?$/.test(text) ? [members(beginsWith(sql`post_code collate "C"`, text))] : []),
    ...(isNumber && digits.length > 4 ? [usernames(text)] : names(text)),
  ]
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** What the console prints can be searched for: '/ana', a whole link, the address of a member's page. */
export const textOf = (search: string): string => (isLink(search) ? siteIn(search) : search.trim())

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
    members(sql`${beginsWith(sql`lower(business_name) collate "C"`, text)} and business_name <> ''`),
    members(beginsWith(sql`lower(city) collate "C"`, text)),
    ...emailParts(text),
    ...(last ? [bothNames(first, last), bothNames(last, first)] : [usernames(text)]),
  ]
}

const usernames = (text: string): Match => members(beginsWith(sql`username`, text))

/** The domain, with or without what is before it, or the second word of an address such as mara.lind@mail.example. */
function emailParts(text: string): Match[] {
  const [local = '', domain = ''] = text.includes('@') ? text.split('@') : ['', text]
  if (local || !domain) return []
  return [
    members(beginsWith(emailDomain, domain)),
    members(sql`${beginsWith(emailWord, domain)} and ${emailWord} <> ''`),
  ]
}

/** As in their indexes. */
const emailDomain = sql`split_part(lower(email), '@', 2) collate "C"`
const emailWord = sql`split_part(translate(split_part(lower(email), '@', 1), '_-+', '...'), '.', 2) collate "C"`

const bothNames = (first: string, last: string) =>
  members(sql`${beginsWith(lastName, last)} and ${beginsWith(firstName, first)}`)

const members = (condition: RawBuilder<unknown>): Match =>
  sql`select id from member where ${condition} limit ${sql.lit(MAX_MATCHES)}`
