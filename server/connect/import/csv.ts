import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CsvError, type Info, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { whyNotCsv } from '#contract/console/import.ts'
import { OperatorError } from '#server/operator-error.ts'

/** One record with the number of its last line. */
export type CsvRecord = { line: number; cells: string[] }

const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, info: true } as const
type Parsed = { record: string[]; info: Info }

/** A file, record by record, in bounded memory. */
export async function* readFile(path: string): AsyncGenerator<CsvRecord> {
  await refuseOtherFormats(path)
  const parser = createReadStream(path).pipe(parse({ ...options, max_record_size: MAX_RECORD }))
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) yield { line: info.lines, cells: record }
  } catch (error) {
    throw explained(error)
  }
}

/** A forgotten quote would otherwise make one record of the rest of the file. */
const MAX_RECORD = 20_000

async function refuseOtherFormats(path: string) {
  const file = await open(path).catch((error: Error) => {
    throw new OperatorError(`${path} can't be read: ${error.message}`)
  })
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4) }).finally(() => file.close())
  const why = whyNotCsv(buffer.subarray(0, bytesRead))
  if (why) throw new OperatorError(why)
}

/** Reads whole lines of a file; the first one has the number `first_line`. */
export function readText(text: string, first_line = 1): CsvRecord[] {
  try {
    const records = parseNow(text, options) as unknown as Parsed[]
    return records.map(({ record, info }) => ({ line: first_line + info.lines - 1, cells: record }))
  } catch (error) {
    throw explained(error, first_line - 1)
  }
}

/** The parser's own message may repeat what is in the line. */
function explained(error: unknown, before = 0): unknown {
  if (!(error instanceof CsvError)) return error
  const line = before + Number(error.lines ?? 0)
  return new OperatorError(
    `Line ${line} can't be read: it has a quote that's never closed, or text right after a closing quote. Nothing was imported.`,
  )
}
