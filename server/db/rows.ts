import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { Mendable } from '#server/mendable.ts'

/** What the lines of an operator's files say, read word by word. */

/** Every line that does not fit, named by its file and number. Then nothing at all was loaded. */
export class BadLines extends Mendable {
  constructor(lines: string[]) {
    super(`Nothing was loaded, because these lines do not fit:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

export type Problem = (where: string, sentence: string) => void
export type Row = { where: string; get: (column: string) => string }

/** A table with a header; columns that are not asked for may be there too. */
export async function readCsv(base: URL, name: string, columns: string[], problem: Problem): Promise<Row[]> {
  const text = await readFile(new URL(name, base), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return []
  try {
    const [head = [], ...records] = parse(text, {
      bom: true,
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
      if (record.length !== header.length)
        problem(where, `has ${record.length} values, the header names ${header.length}`)
      return { where, get: (column) => record[header.indexOf(column)] ?? '' }
    })
  } catch (error) {
    problem(name, error instanceof Error ? error.message : String(error))
    return []
  }
}

export const yes = ({ where, get }: Row, column: string, problem: Problem): boolean => {
  if (!['Yes', 'No'].includes(get(column))) problem(where, `${column} is Yes or No, not '${get(column)}'`)
  return get(column) === 'Yes'
}

export const whole = ({ where, get }: Row, column: string, problem: Problem): number => {
  if (!/^\d{1,9}$/.test(get(column))) problem(where, `${column} is a whole number, not '${get(column)}'`)
  return Number(get(column))
}

export const text = ({ where, get }: Row, column: string, problem: Problem): string => {
  if (!get(column)) problem(where, `${column} is missing`)
  return get(column)
}

const STATUSES = ['active', 'withdrawn']

export const status = ({ where, get }: Row, problem: Problem, byDefault = ''): string => {
  const found = get('status') || byDefault
  if (!STATUSES.includes(found)) problem(where, `status is active or withdrawn, not '${found}'`)
  return found
}
