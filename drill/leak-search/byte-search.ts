import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fragmentsIn } from './cvc-fragments.ts'
import { type Form, formsOf } from './encodings.ts'
import type { Mark } from './test-cards.ts'

/** A place where something could lie at rest: a folder, without the parts of it that are places of their own. */
export type Place = {
  name: string
  folder: string
  without?: string[]
  /** The file that a planted line goes into; else a new one. */
  plantIn?: string
}

export type Finding = { place: string; file: string; offset: number; mark: Mark; form: string; around: string }
export type Searched = { files: number; bytes: number; findings: Finding[] }

type Hit = { mark: Mark; form: string; offset: number; length: number }
/** Everything marked that lies in these bytes. */
type Finder = { forms: Form[]; in: (bytes: Buffer) => Hit[] }

const CHUNK = 1 << 22
/** Longer than any form and any fragment, so that none is lost on the border between two chunks. */
const OVERLAP = 512

/** Reads every byte of every file of these places. */
export async function searchPlaces(places: Place[], finder: Finder): Promise<Searched> {
  const searched: Searched = { files: 0, bytes: 0, findings: [] }
  const buffer = Buffer.alloc(OVERLAP + CHUNK)
  for (const place of places)
    for await (const file of filesIn(place.folder, place.without ?? [])) {
      searched.files++
      for await (const { bytes, from, known } of chunksOf(file, buffer)) {
        searched.bytes += bytes.length - known
        for (const hit of finder.in(bytes)) {
          const { mark, form, offset, length } = hit
          if (offset + length <= known) continue // told with the chunk before
          const around = masked(bytes, offset, length)
          searched.findings.push({ place: place.name, file, offset: from + offset, mark, form, around })
        }
      }
    }
  return searched
}

async function* filesIn(folder: string, without: string[]): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone([]))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !without.includes(path)) yield* filesIn(path, without)
    if (entry.isFile()) yield path
  }
}

/** A file in pieces; each begins with what ended the one before. */
async function* chunksOf(file: string, buffer: Buffer): AsyncGenerator<{ bytes: Buffer; from: number; known: number }> {
  const opened = await open(file).catch(unlessGone(undefined))
  if (!opened) return
  try {
    let known = 0
    for (let position = 0; ; ) {
      const { bytesRead } = await opened.read(buffer, known, CHUNK, position)
      if (!bytesRead) return
      yield { bytes: buffer.subarray(0, known + bytesRead), from: position - known, known }
      position += bytesRead
      const kept = Math.min(OVERLAP, known + bytesRead)
      buffer.copyWithin(0, known + bytesRead - kept, known + bytesRead)
      known = kept
    }
  } finally {
    await opened.close()
  }
}

/** A running database removes files while it is being read. */
const unlessGone =
  <Instead>(instead: Instead) =>
  (error: NodeJS.ErrnoException): Instead => {
    if (error.code === 'ENOENT') return instead
    throw error
  }

/** Forty bytes around, without what was found and without any other digit. */
function masked(bytes: Buffer, offset: number, length: number): string {
  const shown = (from: number, to: number) =>
    bytes
      .subarray(Math.max(0, from), to)
      .toString('latin1')
      .replace(/[^ -~]/g, '.')
      .replace(/\d/g, '#')
  return `${shown(offset - 20, offset)}[${length} bytes]${shown(offset + length, offset + length + 20)}`
}

/** Every form begins with at least so many bytes; they are what all of them are sifted by. */
const WINDOW = 12
const BASE = 0x01000193
/** Few enough for the processor's own memory. */
const BITS = 22

/** Sifts by a rolling hash of twelve bytes, so that ten thousands of forms cost one look at each byte. */
export function finderOf(marks: Mark[]): Finder {
  const forms = marks.flatMap(formsOf)
  const byHash = new Map<number, Form[]>()
  const sieve = new Uint8Array(1 << (BITS - 3))
  for (const form of forms) {
    const hash = form.bytes.subarray(0, WINDOW).reduce(rolled, 0)
    byHash.set(hash, [...(byHash.get(hash) ?? []), form])
    const bit = hash >>> (32 - BITS)
    sieve[bit >> 3] = (sieve[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  const fragments = fragmentsIn(marks)

  const formsAt = (bytes: Buffer, offset: number, hash: number): Hit[] =>
    (byHash.get(hash) ?? [])
      .filter((form) => bytes.subarray(offset, offset + form.bytes.length).equals(form.bytes))
      .map(({ mark, form, bytes: { length } }) => ({ mark, form, offset, length }))

  const formsIn = (bytes: Buffer): Hit[] => {
    const hits: Hit[] = []
    const last = bytes.length - WINDOW
    let hash = bytes.subarray(0, WINDOW).reduce(rolled, 0)
    for (let at = 0; at <= last; at++) {
      const bit = hash >>> (32 - BITS)
      if (((sieve[bit >> 3] as number) >> (bit & 7)) & 1 && byHash.has(hash)) hits.push(...formsAt(bytes, at, hash))
      if (at === last) break // reading beyond the end would make all of this slow
      hash = (Math.imul(hash, BASE) + (bytes[at + WINDOW] as number) - Math.imul(bytes[at] as number, LEFT)) | 0
    }
    return hits
  }
  return { forms, in: (bytes) => [...formsIn(bytes), ...fragments(bytes)] }
}

const rolled = (hash: number, byte: number) => (Math.imul(hash, BASE) + byte) | 0
/** What the byte that leaves the window has grown to. */
const LEFT = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1)
