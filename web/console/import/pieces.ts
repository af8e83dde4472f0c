import { PIECE_LENGTH, whyNotCsv } from '#contract/console/import.ts'

export type Piece = { piece: number; header: string; text: string; first_line: number; share: number }

/** The message says what to do with the file. */
export class BadFile extends Error {}

/** Longer than any real line. A quote that is never closed would make the whole file one line. */
const MAX_LINE = 4_000

/** Reads a file part by part, however large it is, and cuts it where a line ends: never inside quotes. */
export async function* piecesOf(file: Blob): AsyncGenerator<Piece> {
  let [header, text, rest] = ['', '', '']
  let [piece, line, first_line] = [0, 1, 1]
  for await (const { part, share } of partsOf(file)) {
    rest += part
    for (let end = recordEnd(rest); end > 0; end = recordEnd(rest)) {
      const record = rest.slice(0, end)
      rest = rest.slice(end)
      if (!header && record.trim()) header = record
      else if (header) text += record
      line += record.split('\n').length - 1
      if (header && !text) first_line = line
      if (text.length < PIECE_LENGTH) continue
      yield { piece: piece++, header, text, first_line, share }
      text = ''
      first_line = line
    }
    if (rest.length > MAX_LINE)
      throw new BadFile(`Line ${line} is too long, or has a quote that’s never closed. Nothing was imported.`)
  }
  if (header) text += rest
  else header = rest
  yield { piece, header, text, first_line, share: 1 }
}

/** Where the first line ends, after its line feed; 0 if it doesn't yet. */
function recordEnd(text: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (text[at] === '\n' && !isQuoted) return at + 1
  }
  return 0
}

const PART_BYTES = 64 * 1024

async function* partsOf(file: Blob) {
  const decoder = new TextDecoder()
  for (let from = 0; from < file.size || from === 0; from += PART_BYTES) {
    const bytes = new Uint8Array(await file.slice(from, from + PART_BYTES).arrayBuffer())
    const why = from === 0 && bytes.length ? whyNotCsv(bytes) : undefined
    if (why) throw new BadFile(why)
    const isLast = from + PART_BYTES >= file.size
    const part = decoder.decode(bytes, { stream: !isLast })
    yield { part, share: Math.min(1, (from + PART_BYTES) / Math.max(1, file.size)) }
  }
}
