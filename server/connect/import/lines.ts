import { isCardNumber, otherBrandOf, passesLuhn } from '#contract/card.ts'
import { type ImportColumn, importColumns, requiredImportColumns } from '#contract/console/import.ts'
import { isState } from '#contract/countries.ts'
import { fields } from '#contract/fields.ts'
import { toCents } from '#contract/money.ts'
import { addDays } from '#contract/renewal.ts'
import { isSite, MASTER, reservedWords, SITE_RULE, siteIn } from '#contract/site.ts'
import type { ImportedAnswers, Tables } from '#server/db/tables.ts'
import { claimValue } from '#server/members/claims.ts'
import { OperatorError } from '#server/operator-error.ts'

/** What one line of a file says, and everything wrong with it by itself. A problem never repeats what is in the line. */

export type Problem = { column_name: string; problem: string }
export type StagedLine = Pick<Tables['import_line'], 'username' | 'email' | 'external_id' | 'sponsor_site'> & {
  answers: ImportedAnswers
}
export type Package = Pick<Tables['package'], 'product_id' | 'renewal_cents'>
export type LineContext = {
  today: string
  packages: ReadonlyMap<number, Package>
  /** For lines that don't name a package. */
  default_product_id: number | undefined
}

const known = Object.keys(importColumns) as ImportColumn[]
const isColumn = (name: string): name is ImportColumn => Object.hasOwn(importColumns, name)

/** The columns in the order of the file. The sentence of the error says what to change. */
export function readHeader(cells: string[]): ImportColumn[] {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  if (names.length === 1) {
    const [only = ''] = names
    const found = (
      [
        [';', 'semicolons'],
        ['\t', 'tabs'],
        ['|', 'vertical bars'],
      ] as const
    ).find(([mark]) => only.includes(mark))
    if (found) throw new OperatorError(`This file uses ${found[1]} to separate values. Save it with commas.`)
  }
  const card = names.find((name) => /^(card_?number|cc_?number|pan|cvc|cvv|cc_cvv|password)$/.test(name))
  if (card) throw new OperatorError(`Foyer never imports the column ${card}. Remove it from the file.`)
  const columns = names.filter(isColumn)
  const unknown = names
    .filter((name) => !isColumn(name))
    .map((name) => (hasCardNumber(name) ? 'a card number' : `“${name.slice(0, 40)}”`))
  if (unknown.length)
    throw new OperatorError(
      `The first line has columns that Foyer doesn’t know: ${unknown.slice(0, 5).join(', ')}. Remove or rename them. The columns are ${known.join(', ')}.`,
    )
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice) throw new OperatorError(`The first line has ${twice} twice.`)
  const missing = requiredImportColumns.filter((name) => !columns.includes(name))
  if (missing.length) throw new OperatorError(`The first line is missing ${missing.join(', ')}.`)
  return columns
}

const CARD_PROBLEM =
  'looks like a card number. Foyer never stores one: remove it, and give the vault reference instead.'

export function readLine(columns: ImportColumn[], cells: string[], context: LineContext): StagedLine | Problem[] {
  const cards = cells.flatMap((cell, index) =>
    hasCardNumber(cell, columns[index]) ? [{ column_name: columns[index] ?? 'line', problem: CARD_PROBLEM }] : [],
  )
  if (cards.length) return cards // before anything of the line is looked at
  if (cells.length !== columns.length)
    return [{ column_name: 'line', problem: `has ${cells.length} values, but the first line has ${columns.length}.` }]
  const values = Object.fromEntries(columns.map((name, index) => [name, cells[index]])) as Partial<
    Record<ImportColumn, string>
  >
  const reader = new LineReader(values)
  const line = lineOf(reader, context)
  return reader.problems.length ? reader.problems : line
}

const REPLACEMENT = '\uFFFD' // the decoder's replacement for bytes that are not UTF-8
const MAX_LENGTH = 100

class LineReader {
  readonly problems: Problem[] = []
  readonly #values: Partial<Record<ImportColumn, string>>
  constructor(values: Partial<Record<ImportColumn, string>>) {
    this.#values = values
    for (const [name, value = ''] of Object.entries(values))
      if (value.includes(REPLACEMENT)) this.report(name, 'is not UTF-8: save the file as CSV (UTF-8).')
      else if (/\p{Cc}/u.test(value)) this.report(name, 'has a control character or a line break.')
  }
  report(column_name: string, problem: string) {
    if (!this.problems.some((each) => each.column_name === column_name)) this.problems.push({ column_name, problem })
  }
  text = (name: ImportColumn): string => (this.#values[name] ?? '').trim().normalize()
  required(name: ImportColumn): string {
    const value = this.text(name)
    if (!value) this.report(name, 'is missing.')
    return value
  }
  /** Checks a value, if there is one, by the rule of the field with the same name. */
  field(name: ImportColumn & keyof typeof fields, value = this.text(name)): string {
    if (!value) return ''
    const parsed = fields[name].safeParse(value)
    if (!parsed.success) this.report(name, parsed.error.issues[0]?.message ?? 'is not valid.')
    return parsed.success ? String(parsed.data) : ''
  }
  short(name: ImportColumn): string {
    const value = this.text(name)
    if (value.length > MAX_LENGTH) this.report(name, `has more than ${MAX_LENGTH} characters.`)
    return value
  }
  day(name: ImportColumn): string | null {
    const value = this.text(name)
    if (!value) return null
    if (/^(?:19|20|21)\d\d-\d\d-\d\d$/.test(value) && isOnCalendar(value)) return value
    this.report(name, 'must be a day such as 2024-01-31.')
    return null
  }
}

const isOnCalendar = (day: string) => !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) && addDays(day, 0) === day

/** In this order, the messages are those of the leftmost mistake. */
function lineOf(reader: LineReader, { today, packages, default_product_id }: LineContext): StagedLine {
  const username = reader.field('username', reader.required('username'))
  if (reservedWords.has(username)) reader.report('username', 'is a reserved word.')
  const email = reader.field('email', reader.required('email'))
  const sponsor_site = siteIn(reader.text('sponsor')).toLowerCase() || MASTER
  if (!isSite(sponsor_site)) reader.report('sponsor', SITE_RULE)
  if (sponsor_site === username) reader.report('sponsor', 'is the member’s own username.')
  const joined_on = reader.day('joined_on') ?? ''
  if (!joined_on) reader.required('joined_on')
  if (joined_on > today) reader.report('joined_on', 'is in the future.')
  const renewal = readRenewal(reader, { today, packages, default_product_id })
  if (renewal.renews_on && joined_on && renewal.renews_on < joined_on)
    reader.report('renews_on', 'is before joined_on.')
  const state = reader.text('state').toUpperCase()
  if (state && !isState(state)) reader.report('state', 'must be a state such as NV.')
  return {
    username,
    email: claimValue(email),
    external_id: reader.short('external_id') || null,
    sponsor_site,
    answers: {
      email,
      first_name: reader.field('first_name', reader.required('first_name')),
      last_name: reader.field('last_name', reader.required('last_name')),
      business_name: reader.field('business_name'),
      mobile_phone: reader.field('mobile_phone'),
      address: reader.field('address'),
      address2: reader.field('address2'),
      city: reader.field('city'),
      country: reader.field('country'),
      state,
      post_code: reader.field('post_code'),
      joined_on,
      ...renewal,
    },
  }
}

const memberships = ['active', 'past_due', 'canceled', 'ended'] as const
/** A later day is a typo. */
const FARTHEST_DAYS = 5 * 366

function readRenewal(reader: LineReader, { today, packages, default_product_id }: LineContext) {
  const written = reader.text('membership').toLowerCase().replace('cancelled', 'canceled') || 'active'
  const membership = memberships.find((each) => each === written)
  if (!membership) reader.report('membership', `must be ${memberships.join(', ')}.`)
  const product_id = reader.text('product_id') ? Number(reader.text('product_id')) : (default_product_id ?? 0)
  const offer = packages.get(product_id)
  if (!offer) reader.report('product_id', 'is not a package that renews.')
  const renewal_cents = reader.text('price') ? toCents(reader.text('price')) : offer?.renewal_cents
  if (renewal_cents === undefined && (offer || reader.text('price')))
    reader.report('price', 'must have two decimals, such as 99.00.')
  const renews_on = reader.day('renews_on')
  const isRenewing = membership !== 'ended' && Boolean(renewal_cents)
  if (isRenewing && !renews_on) reader.required('renews_on')
  if (renews_on && membership === 'ended' && renews_on > today)
    reader.report('renews_on', 'is in the future, but the membership has ended.')
  if (renews_on && renews_on > addDays(today, FARTHEST_DAYS))
    reader.report('renews_on', 'is more than five years away.')
  return {
    membership: membership ?? ('active' as const),
    product_id,
    renewal_cents: renewal_cents ?? 0,
    renews_on,
    ...readCard(reader, isRenewing),
  }
}

const brandNames: Record<string, string> = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'amex',
  'american express': 'amex',
  discover: 'discover',
}

function readCard(reader: LineReader, isRenewing: boolean) {
  const vault_reference = reader.short('vault_reference')
  const network_transaction_id = reader.short('network_transaction_id') || null
  const names = ['card_brand', 'card_last_four', 'card_expires'] as const
  if (!vault_reference) {
    if (isRenewing)
      reader.report(
        'vault_reference',
        'is missing: a membership that renews needs a card. If it never renews, set the price to 0.00.',
      )
    for (const name of names) if (reader.text(name)) reader.report(name, 'needs a vault_reference.')
    return { vault_reference, network_transaction_id, card_brand: null, card_last_four: null, card_expires: null }
  }
  const [brand, card_last_four, expires] = names.map((name) => reader.required(name))
  const card_brand = brandNames[(brand ?? '').toLowerCase()] ?? null
  if (brand && !card_brand) reader.report('card_brand', 'must be visa, mastercard, amex or discover.')
  if (card_last_four && !/^\d{4}$/.test(card_last_four)) reader.report('card_last_four', 'must be four digits.')
  const [, year = '', month = ''] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(expires ?? '') ?? []
  const [, m = '', y = ''] = /^(0[1-9]|1[0-2])\/(?:20)?(\d\d)$/.exec(expires ?? '') ?? []
  const card_expires = year ? `${year}-${month}` : y ? `20${y}-${m}` : null
  if (expires && !card_expires) reader.report('card_expires', 'must be a month such as 2030-07 or 07/30.')
  return { vault_reference, network_transaction_id, card_brand, card_last_four: card_last_four ?? null, card_expires }
}

/** Digits with few characters in between. */
const DIGITS = /\d(?:[\s._/‐-―-]{0,3}\d){12,}/g
const ids: ImportColumn[] = ['vault_reference', 'network_transaction_id', 'external_id']
const CARD_LENGTHS = [19, 18, 17, 16, 15, 14, 13]
/** An international phone number has at most this many digits, so one with a + may look like a short card number. */
const PHONE_DIGITS = 15

/** Whether a text holds the number of a payment card: its brand's beginning and length, and a valid check digit. */
export const hasCardNumber = (text: string, column?: ImportColumn): boolean =>
  (text.match(DIGITS) ?? []).some((run) => {
    const digits = run.replace(/\D/g, '')
    if (column && ids.includes(column)) return isCard(digits) // a part of a long id may look like anything
    if (column === 'mobile_phone' && text.trim().startsWith('+') && digits.length <= PHONE_DIGITS) return false
    return CARD_LENGTHS.some((length) =>
      Array.from({ length: Math.max(0, digits.length - length + 1) }, (_, from) =>
        digits.slice(from, from + length),
      ).some(isCard),
    )
  })

const isCard = (digits: string) =>
  isCardNumber(digits) || (digits.length >= 14 && otherBrandOf(digits) !== undefined && passesLuhn(digits))
