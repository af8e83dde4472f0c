import { tidyText } from '#contract/fields.ts'

/** Reads a host's answer in any common form. Throws what is wrong with an unreadable one, but never its values. */
export class Unreadable extends Error {}

export function unreadable(what: string): never {
  throw new Unreadable(what)
}

export type Row = Record<string, unknown>
export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON of a reply, with or without a byte-order mark. Its content type doesn't matter. */
export function parseJson(bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes).trim()
  if (!text) unreadable('the reply is empty')
  try {
    return JSON.parse(text)
  } catch {
    return unreadable(text.startsWith('<') ? 'the reply is HTML' : 'the reply is not JSON')
  }
}

/** The object with one of these fields: the answer itself, or what it wraps in `data`. */
export function rowIn(body: unknown, ...fields: string[]): Row {
  const has = (value: unknown): value is Row => isRow(value) && fields.some((field) => value[field] !== undefined)
  for (let value = body, depth = 0; depth < 3; depth++) {
    if (has(value)) return value
    value = isRow(value) ? value.data : undefined
  }
  return unreadable(`${fields[0]} is missing`)
}

const MAX_ROWS = 500

/** The list of an answer: the answer itself, what it wraps in `data`, or its only list. */
export function rowsIn(body: unknown, what: string): unknown[] {
  for (let value = body, depth = 0; depth < 3; depth++) {
    if (Array.isArray(value)) return value.length > MAX_ROWS ? unreadable(`${what} are more than ${MAX_ROWS}`) : value
    if (!isRow(value)) break
    const lists: unknown[] = Object.values(value).filter(Array.isArray)
    value = value.data ?? (lists.length === 1 ? lists[0] : undefined)
  }
  return unreadable(`${what} are not a list`)
}

const YES = new Set(['yes', 'true', '1', 'y', 'on'])
const NO = new Set(['no', 'false', '0', 'n', 'off', ''])

/** Undefined: neither yes nor no. */
export function yesOrNo(value: unknown): boolean | undefined {
  const word = String(value ?? 'missing')
    .trim()
    .toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : undefined
}

/** One line of text; '' if there is none. */
export const textIn = (value: unknown, max = 300): string =>
  typeof value === 'string' || typeof value === 'number'
    ? tidyText(String(value).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).slice(0, max)
    : ''

/** Messages for the visitor: a list, or one. */
export const messagesIn = (value: unknown): string[] =>
  [value]
    .flat()
    .slice(0, 5)
    .map((each) => textIn(each))
    .filter(Boolean)

export function idIn(value: unknown): number | undefined {
  const id = /^\d{1,9}$/.test(textIn(value)) ? Number(value) : 0
  return id > 0 ? id : undefined
}

const AMOUNT = /^(?:USD|\$)?\s*(\d{1,7}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2})0*)?\s*(?:USD|\$)?$/i

/** '99.00', 99, '$1,299.5' → cents. */
export function centsIn(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(Math.round(value * 100) / 100) : textIn(value, 30)
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []
  return whole === undefined ? undefined : Number(whole.replaceAll(',', '')) * 100 + Number(fraction.padEnd(2, '0'))
}
