import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

export type FileFacts = { name: string; rows: number; bytes: number; sha256: string }

/**
 * A table as two files, CSV and JSON lines, written as rows arrive. Every value is an id, a number, a day or a word, so nothing
 * needs quotes or looks like a formula to a spreadsheet.
 */
export async function openTable(folder: string, name: string, columns: readonly string[]) {
  const csv = await openFile(folder, `${name}.csv`)
  const json = await openFile(folder, `${name}.jsonl`)
  await csv.write(`${columns.join(',')}\n`)
  let rows = 0
  return {
    add: async (values: readonly string[]) => {
      const unsafe = values.find((value) => !/^[\w.:+-]*$/.test(value))
      if (unsafe !== undefined) throw new Error(`A value of ${name} needs quotes: ${unsafe}`)
      rows += 1
      await csv.write(`${values.join(',')}\n`)
      await json.write(`${JSON.stringify(Object.fromEntries(columns.map((column, n) => [column, values[n]])))}\n`)
    },
    close: async (): Promise<FileFacts[]> => [await csv.close(rows), await json.close(rows)],
  }
}

const BUFFER_LENGTH = 256 * 1024

async function openFile(folder: string, name: string) {
  const file: FileHandle = await open(join(folder, name), 'wx', 0o600)
  const hash = createHash('sha256')
  let [waiting, bytes] = ['', 0]
  const flush = async () => {
    const content = Buffer.from(waiting)
    waiting = ''
    hash.update(content)
    bytes += content.length
    await file.writeFile(content)
  }
  return {
    write: async (text: string) => {
      waiting += text
      if (waiting.length >= BUFFER_LENGTH) await flush()
    },
    close: async (rows: number): Promise<FileFacts> => {
      await flush()
      await file.close()
      return { name, rows, bytes, sha256: hash.digest('hex') }
    },
  }
}
