import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { tidyText } from '#contract/fields.ts'
import { toCents } from '#contract/money.ts'
import { isSite, MASTER, reservedWords } from '#contract/site.ts'
import { cleanText, hashText } from '#server/catalog/document-text.ts'
import { splitList } from '#server/config/rules.ts'
import type { Tables } from '#server/db/tables.ts'
import { OperatorError } from '#server/operator-error.ts'

/** Reads and checks the operator's files. */

/** Lists every invalid line. Nothing was loaded. */
export class InvalidFiles extends OperatorError {
  constructor(lines: string[]) {
    super(`Nothing was loaded, because of these problems:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

export type ReportProblem = (where: string, problem: string) => void
type Row = { where: string; get: (column: string) => string; report: (problem: string) => void }

export const readSponsors = async (base: string, report: ReportProblem) =>
  (await readCsv(base, 'sponsors.csv', ['site', 'name', 'active', 'renamed_to'], report)).map(readSponsor)

function readSponsor(row: Row) {
  const site = row.get('site')
  if (site !== MASTER && reservedWords.has(site)) row.report(`site '${site}' is a reserved word`)
  else if (!isSite(site))
    row.report(
      `site must be 1 to 60 lowercase letters, digits, hyphens, underscores and dots, and not like a file name, not '${site}'`,
    )
  const renamed_to = row.get('renamed_to') || null
  if (site === MASTER && (row.get('active') === 'No' || renamed_to))
    row.report(`${MASTER} must be active and cannot be renamed`)
  return { where: row.where, site, name: text(row, 'name'), active: yesNo(row, 'active'), renamed_to }
}
export type SponsorRow = ReturnType<typeof readSponsor>

const packageColumns = [
  ...['product_id', 'product_category_id', 'language_id', 'name', 'description', 'price'],
  ...['renewal_price', 'billing_interval', 'is_recurring', 'is_special', 'ships', 'image_url', 'position'],
]

export const readPackages = async (base: string, report: ReportProblem) =>
  (await readCsv(base, 'packages.csv', packageColumns, report)).map(readPackage)

const billingIntervals = ['month', 'year', 'once'] as const

function readPackage(row: Row) {
  const price_cents = toCents(row.get('price'))
  if (price_cents === undefined) row.report(`price must have two decimals, such as 99.00, not '${row.get('price')}'`)
  const billing_interval = billingIntervals.find((each) => each === row.get('billing_interval')) ?? 'once'
  if (row.get('billing_interval') !== billing_interval)
    row.report(`billing_interval must be month, year or once, not '${row.get('billing_interval')}'`)
  const renewal = row.get('renewal_price')
  const renewal_cents = renewal ? toCents(renewal) : 0
  if (renewal_cents === undefined)
    row.report(`renewal_price must be empty or have two decimals, such as 99.00, not '${renewal}'`)
  else if (billing_interval !== 'once' && !renewal_cents)
    row.report(`renewal_price is missing: it is what a package costs every ${billing_interval} after the first`)
  else if (billing_interval === 'once' && renewal_cents)
    row.report('renewal_price must be empty if billing_interval is once')
  const image_url = row.get('image_url')
  if (!image_url.startsWith('/assets/')) row.report(`image_url must begin with /assets/, not '${image_url}'`)
  return {
    where: row.where,
    status: status(row, 'active'),
    product_id: integer(row, 'product_id'),
    product_category_id: integer(row, 'product_category_id'),
    language_id: integer(row, 'language_id'),
    name: text(row, 'name'),
    description: row.get('description'),
    image_url,
    price_cents: price_cents ?? 0,
    renewal_cents: renewal_cents ?? 0,
    billing_interval,
    is_recurring: yesNo(row, 'is_recurring'),
    is_special: yesNo(row, 'is_special'),
    ships: yesNo(row, 'ships'),
    position: integer(row, 'position'),
  }
}
export type PackageRow = ReturnType<typeof readPackage>

export type DocumentFile = Omit<Tables['legal_document'], 'version'> & { content: string }

const HEADER = /^<!--\n([\s\S]*?)\n-->\n/

export async function readDocuments(base: string, report: ReportProblem): Promise<DocumentFile[]> {
  const names = (await readdir(join(base, 'documents')).catch(ignoreMissing)) ?? []
  const documents: DocumentFile[] = []
  for (const name of names.filter((name) => name.endsWith('.html')).sort()) {
    const where = `documents/${name}`
    const file = (await readText(base, where, report)).replaceAll('\r\n', '\n')
    const header = HEADER.exec(file)
    if (!header) {
      report(`${where}:1`, 'must begin with a comment that has id, title, status and display_on_checkout')
      continue
    }
    const values = new Map(
      (header[1] ?? '')
        .split('\n')
        .map((line) => [line.split(':')[0]?.trim(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const get = (column: string) => values.get(column) ?? ''
    const row: Row = { where, get, report: (problem) => report(where, problem) }
    const content = cleanText(file.slice(header[0].length))
    if (!content) row.report('has no text')
    const id = integer(row, 'id')
    if (documents.some((document) => document.id === id)) row.report(`id ${id} is also used by another file`)
    documents.push({
      id,
      title: text(row, 'title'),
      status: status(row),
      display_on_checkout: splitList(get('display_on_checkout')),
      content,
      sha256: hashText(content),
    })
  }
  return documents
}

/** Other columns are ignored. */
async function readCsv(base: string, name: string, columns: string[], report: ReportProblem): Promise<Row[]> {
  const text = await readText(base, name, report).catch(ignoreMissing)
  if (text === undefined) return []
  try {
    const [head = [], ...records] = parse(text, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (record: string[], { lines }) => [String(lines), ...record], // keeps the line number for messages
    })
    const [, ...header] = head
    const missing = columns.filter((column) => !header.includes(column))
    if (missing.length) report(`${name}:1`, `the header has no ${missing.join(', ')}${separatorHint(header)}`)
    if (missing.length) return []
    return records.map(([line, ...record]) => {
      const where = `${name}:${line}`
      const reportHere = (problem: string) => report(where, problem)
      if (record.length !== header.length)
        reportHere(`has ${record.length} values, but the header has ${header.length}`)
      return { where, get: (column) => record[header.indexOf(column)] ?? '', report: reportHere }
    })
  } catch (error) {
    report(name, error instanceof Error ? error.message : String(error))
    return []
  }
}

/** Spreadsheets of many countries write semicolons, or tabs. */
function separatorHint(header: string[]): string {
  const [first = ''] = header
  const found = [';', '\t'].find((separator) => header.length === 1 && first.includes(separator))
  return found
    ? `. Its values are separated by ${found === ';' ? 'semicolons' : 'tabs'}: save the file with commas`
    : ''
}

const CONTROL = /(?![\t\n\r])\p{Cc}/gu
const REPLACEMENT = '\uFFFD' // the decoder's replacement for bytes that are not UTF-8

/** Continues after an unreadable line, so that all problems are reported at once. */
async function readText(base: string, name: string, report: ReportProblem): Promise<string> {
  const text = new TextDecoder().decode(await readFile(join(base, name)))
  for (const [index, line] of text.split('\n').entries()) {
    if (line.includes(REPLACEMENT)) report(`${name}:${index + 1}`, 'is not UTF-8: save the file as UTF-8')
    if (line.search(CONTROL) >= 0) report(`${name}:${index + 1}`, 'has a control character')
  }
  return text.replace(CONTROL, REPLACEMENT)
}

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

const yesNo = ({ get, report }: Row, column: string): boolean => {
  if (!['Yes', 'No'].includes(get(column))) report(`${column} must be Yes or No, not '${get(column)}'`)
  return get(column) === 'Yes'
}

const integer = ({ get, report }: Row, column: string): number => {
  if (!/^\d{1,9}$/.test(get(column))) report(`${column} must be a whole number, not '${get(column)}'`)
  return Number(get(column))
}

const text = ({ get, report }: Row, column: string): string => {
  const value = tidyText(get(column))
  if (!value) report(`${column} is missing`)
  return value
}

const STATUSES = ['active', 'withdrawn']

const status = ({ get, report }: Row, byDefault = ''): string => {
  const value = get('status') || byDefault
  if (!STATUSES.includes(value)) report(`status must be active or withdrawn, not '${value}'`)
  return value
}
