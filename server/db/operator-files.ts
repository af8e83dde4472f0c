import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import sanitizeHtml from 'sanitize-html'
import { tidyText } from '#contract/fields.ts'
import { toCents } from '#contract/money.ts'
import { MASTER, reservedWords, SITE_PATTERN } from '#contract/site.ts'
import { splitList } from '#server/config/rules.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { Tables } from './tables.ts'

/** What an operator's files say, line by line and word by word. */

/** Every line that does not fit, named by its file and number. Then nothing at all was loaded. */
export class InvalidFiles extends OperatorError {
  constructor(lines: string[]) {
    super(`Nothing was loaded, because these lines do not fit:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

export type Problem = (where: string, sentence: string) => void
type Row = { where: string; get: (column: string) => string; wrong: (sentence: string) => void }

export const readSponsors = async (base: string, problem: Problem) =>
  (await readCsv(base, 'sponsors.csv', ['site', 'name', 'active', 'renamed_to'], problem)).map(readSponsor)

function readSponsor(row: Row) {
  const site = row.get('site')
  if (!SITE_PATTERN.test(site)) row.wrong(`site is 1 to 30 small letters and digits, not '${site}'`)
  else if (site !== MASTER && reservedWords.has(site)) row.wrong(`site '${site}' is a reserved word`)
  const renamed_to = row.get('renamed_to') || null
  if (site === MASTER && (row.get('active') === 'No' || renamed_to))
    row.wrong(`${MASTER} is always active and keeps its site`)
  return { where: row.where, site, name: text(row, 'name'), active: yes(row, 'active'), renamed_to }
}
export type SponsorRow = ReturnType<typeof readSponsor>

const packageColumns = [
  ...['product_id', 'product_category_id', 'language_id', 'name', 'description', 'price', 'billing_interval'],
  ...['is_recurring', 'is_special', 'ships', 'image_url', 'position'],
]

export const readPackages = async (base: string, problem: Problem) =>
  (await readCsv(base, 'packages.csv', packageColumns, problem)).map(readPackage)

function readPackage(row: Row) {
  const price_cents = toCents(row.get('price'))
  if (price_cents === undefined) row.wrong(`price has two decimals, such as 99.00, not '${row.get('price')}'`)
  const billing_interval: 'month' | 'once' = row.get('billing_interval') === 'month' ? 'month' : 'once'
  if (row.get('billing_interval') !== billing_interval)
    row.wrong(`billing_interval is month or once, not '${row.get('billing_interval')}'`)
  const image_url = row.get('image_url')
  if (!image_url.startsWith('/assets/')) row.wrong(`image_url begins with /assets/, not '${image_url}'`)
  return {
    where: row.where,
    status: status(row, 'active'),
    product_id: whole(row, 'product_id'),
    product_category_id: whole(row, 'product_category_id'),
    language_id: whole(row, 'language_id'),
    name: text(row, 'name'),
    description: row.get('description'),
    image_url,
    price_cents: price_cents ?? 0,
    billing_interval,
    is_recurring: yes(row, 'is_recurring'),
    is_special: yes(row, 'is_special'),
    ships: yes(row, 'ships'),
    position: whole(row, 'position'),
  }
}
export type PackageRow = ReturnType<typeof readPackage>

export type DocumentFile = Omit<Tables['legal_document'], 'version'> & { content: string }

const HEADER = /^<!--\n([\s\S]*?)\n-->\n/

export async function readDocuments(base: string, problem: Problem): Promise<DocumentFile[]> {
  const names = (await readdir(join(base, 'documents')).catch(noneThere)) ?? []
  const documents: DocumentFile[] = []
  for (const name of names.filter((name) => name.endsWith('.html')).sort()) {
    const where = `documents/${name}`
    const file = (await readText(base, where, problem)).replaceAll('\r\n', '\n')
    const header = HEADER.exec(file)
    if (!header) {
      problem(`${where}:1`, 'begins with a comment that names id, title, status and display_on_checkout')
      continue
    }
    const values = new Map(
      (header[1] ?? '')
        .split('\n')
        .map((line) => [line.split(':')[0]?.trim(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const get = (column: string) => values.get(column) ?? ''
    const row: Row = { where, get, wrong: (sentence) => problem(where, sentence) }
    const content = sanitizeHtml(file.slice(header[0].length)).trim()
    if (!content) row.wrong('has no text')
    const id = whole(row, 'id')
    if (documents.some((document) => document.id === id)) row.wrong(`id ${id} stands in another file too`)
    documents.push({
      id,
      title: text(row, 'title'),
      status: status(row),
      display_on_checkout: splitList(get('display_on_checkout')),
      content,
      sha256: hash('sha256', content, 'hex'),
    })
  }
  return documents
}

/** A table with a header; columns that are not asked for may be there too. */
async function readCsv(base: string, name: string, columns: string[], problem: Problem): Promise<Row[]> {
  const text = await readText(base, name, problem).catch(noneThere)
  if (text === undefined) return []
  try {
    const [head = [], ...records] = parse(text, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (record: string[], { lines }) => [String(lines), ...record], // so that a bad line can be named
    })
    const [, ...header] = head
    const missing = columns.filter((column) => !header.includes(column))
    if (missing.length) problem(`${name}:1`, `the header lacks ${missing.join(', ')}`)
    if (missing.length) return []
    return records.map(([line, ...record]) => {
      const where = `${name}:${line}`
      const wrong = (sentence: string) => problem(where, sentence)
      if (record.length !== header.length) wrong(`has ${record.length} values, the header names ${header.length}`)
      return { where, get: (column) => record[header.indexOf(column)] ?? '', wrong }
    })
  } catch (error) {
    problem(name, error instanceof Error ? error.message : String(error))
    return []
  }
}

const CONTROL = /(?![\t\n\r])\p{Cc}/gu
const LOST = '\uFFFD' // stands for what is not UTF-8

/** A line that cannot be read is named, and read on as well as it can be, so that all bad lines are named at once. */
async function readText(base: string, name: string, problem: Problem): Promise<string> {
  const text = new TextDecoder().decode(await readFile(join(base, name)))
  for (const [place, line] of text.split('\n').entries()) {
    if (line.includes(LOST)) problem(`${name}:${place + 1}`, 'has a letter that was lost: save the file as UTF-8')
    if (line.search(CONTROL) >= 0) problem(`${name}:${place + 1}`, 'has a control character')
  }
  return text.replace(CONTROL, LOST)
}

const noneThere = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

const yes = ({ get, wrong }: Row, column: string): boolean => {
  if (!['Yes', 'No'].includes(get(column))) wrong(`${column} is Yes or No, not '${get(column)}'`)
  return get(column) === 'Yes'
}

const whole = ({ get, wrong }: Row, column: string): number => {
  if (!/^\d{1,9}$/.test(get(column))) wrong(`${column} is a whole number, not '${get(column)}'`)
  return Number(get(column))
}

const text = ({ get, wrong }: Row, column: string): string => {
  const found = tidyText(get(column))
  if (!found) wrong(`${column} is missing`)
  return found
}

const STATUSES = ['active', 'withdrawn']

const status = ({ get, wrong }: Row, byDefault = ''): string => {
  const found = get('status') || byDefault
  if (!STATUSES.includes(found)) wrong(`status is active or withdrawn, not '${found}'`)
  return found
}
