import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFragmentSearch } from './cvc-fragments.ts'
import { type EncodedSecret, encodingsOf } from './encodings.ts'
import type { TestCard } from './test-cards.ts'

/** A folder to search, without the subfolders that are areas of their own. */
export type SearchArea = {
  name: string
  folder: string
  without?: string[]
  /** The file to plant secrets in. Default: a new one. */
  plantIn?: string
  /** The files of a write-ahead log, which are searched as if they had no page headers. */
  isWal?: true
}

export type Finding = { area: string; file: string; offset: number; card: TestCard; encoding: string; context: string }
export type SearchResult = { files: number; bytes: number; findings: Finding[] }

type Hit = { card: TestCard; encoding: string; offset: number; length: number }
type ByteSearch = { encodings: EncodedSecret[]; in: (bytes: Buffer) => Hit[] }

const CHUNK = 1 << 22
/** Longer than any encoding or fragment, so that none is lost between two chunks. */
const OVERLAP = 512

/** Searches every byte of every file in these areas. */
export async function searchAreas(areas: SearchArea[], search: ByteSearch): Promise<SearchResult> {
  const result: SearchResult = { files: 0, bytes: 0, findings: [] }
  const buffer = Buffer.alloc(OVERLAP + CHUNK)
  for (const area of areas)
    for await (const file of filesIn(area.folder, area.without ?? [])) {
      result.files++
      for await (const { bytes, start, overlap } of chunksOf(file, buffer, area.isWal)) {
        result.bytes += bytes.length - overlap
        for (const hit of search.in(bytes)) {
          const { card, encoding, offset, length } = hit
          if (offset + length <= overlap) continue // found in the previous chunk
          const context = mask(bytes, offset, length)
          result.findings.push({ area: area.name, file, offset: start + offset, card, encoding, context })
        }
      }
    }
  return result
}

async function* filesIn(folder: string, without: string[]): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing([]))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !without.includes(path)) yield* filesIn(path, without)
    if (entry.isFile()) yield path
  }
}

/** A file in chunks. Each chunk starts with the end of the previous one. */
async function* chunksOf(
  file: string,
  buffer: Buffer,
  isWal = false,
): AsyncGenerator<{ bytes: Buffer; start: number; overlap: number }> {
  const handle = await open(file).catch(ignoreMissing(undefined))
  if (!handle) return
  try {
    let overlap = 0
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, overlap, CHUNK, position)
      if (!bytesRead) return
      const length = isWal ? removePageHeaders(buffer.subarray(overlap, overlap + bytesRead)) : bytesRead
      yield { bytes: buffer.subarray(0, overlap + length), start: position - overlap, overlap }
      position += bytesRead
      const nextOverlap = Math.min(OVERLAP, overlap + length)
      buffer.copyWithin(0, overlap + length - nextOverlap, overlap + length)
      overlap = nextOverlap
    }
  } finally {
    await handle.close()
  }
}

const WAL_PAGE = 8192
const HEADER = 24
/** The first page of a file says more, and a flag in its third byte says so. */
const LONG_HEADER = 40

/**
 * Moves the contents of the pages together and returns their length. A header can cut an id in two, and three digits before
 * the cut are not a CVC; or it can cut a secret in two, which would not be found.
 */
function removePageHeaders(bytes: Buffer): number {
  let length = 0
  for (let page = 0; page < bytes.length; page += WAL_PAGE) {
    const header = (bytes[page + 2] ?? 0) & 2 ? LONG_HEADER : HEADER
    length += bytes.copy(bytes, length, page + header, page + WAL_PAGE)
  }
  return length
}

/** A running database may remove files during the search. */
const ignoreMissing =
  <Fallback>(fallback: Fallback) =>
  (error: NodeJS.ErrnoException): Fallback => {
    if (error.code === 'ENOENT') return fallback
    throw error
  }

/** Forty bytes of context, without the match itself and without any digits. */
function mask(bytes: Buffer, offset: number, length: number): string {
  const printable = (start: number, end: number) =>
    bytes
      .subarray(Math.max(0, start), end)
      .toString('latin1')
      .replace(/[^ -~]/g, '.')
      .replace(/\d/g, '#')
  return `${printable(offset - 20, offset)}[${length} bytes]${printable(offset + length, offset + length + 20)}`
}

/** No encoding is shorter than this many bytes, which are hashed. */
const WINDOW = 12
const BASE = 0x01000193
/** The size of the bitmap, small enough for the processor cache. */
const BITS = 22

/** Uses a rolling hash of twelve bytes (Rabin–Karp), so that tens of thousands of encodings need one pass. */
export function createByteSearch(cards: TestCard[]): ByteSearch {
  const encodings = cards.flatMap(encodingsOf)
  const byHash = new Map<number, EncodedSecret[]>()
  const bitmap = new Uint8Array(1 << (BITS - 3))
  for (const encoding of encodings) {
    const hash = encoding.bytes.subarray(0, WINDOW).reduce(addByte, 0)
    byHash.set(hash, [...(byHash.get(hash) ?? []), encoding])
    const bit = hash >>> (32 - BITS)
    bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  const fragments = createFragmentSearch(cards)

  const matchesAt = (bytes: Buffer, offset: number, hash: number): Hit[] =>
    (byHash.get(hash) ?? [])
      .filter((encoding) => bytes.subarray(offset, offset + encoding.bytes.length).equals(encoding.bytes))
      .map(({ card, encoding, bytes: { length } }) => ({ card, encoding, offset, length }))

  const findEncodings = (bytes: Buffer): Hit[] => {
    const hits: Hit[] = []
    const last = bytes.length - WINDOW
    let hash = bytes.subarray(0, WINDOW).reduce(addByte, 0)
    for (let at = 0; at <= last; at++) {
      const bit = hash >>> (32 - BITS)
      if (((bitmap[bit >> 3] as number) >> (bit & 7)) & 1 && byHash.has(hash)) hits.push(...matchesAt(bytes, at, hash))
      if (at === last) break // reading beyond the end would slow down the loop
      hash =
        (Math.imul(hash, BASE) + (bytes[at + WINDOW] as number) - Math.imul(bytes[at] as number, OLDEST_FACTOR)) | 0
    }
    return hits
  }
  return { encodings, in: (bytes) => [...findEncodings(bytes), ...fragments(bytes)] }
}

const addByte = (hash: number, byte: number) => (Math.imul(hash, BASE) + byte) | 0
/** The factor of the byte that leaves the window. */
const OLDEST_FACTOR = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1)
