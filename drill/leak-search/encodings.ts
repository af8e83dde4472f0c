import { groupCard } from '#contract/card.ts'
import type { TestCard } from './test-cards.ts'

/** A secret as bytes, in one of the encodings in which it could be stored. */
export type EncodedSecret = { card: TestCard; encoding: string; bytes: Buffer }

/** Separators between the groups of a number. */
const separators: Record<string, string> = {
  spaced: ' ',
  dashed: '-',
  dotted: '.',
  'with %20': '%20',
  'with +': '+',
  'with \\u0020': '\\u0020',
  'with &nbsp;': '\u00a0',
}

const textEncodings: Record<string, (text: string) => Buffer[]> = {
  plain: (text) => [Buffer.from(text)],
  'UTF-16LE': (text) => [Buffer.from(text, 'utf16le')],
  'UTF-16BE': (text) => [Buffer.from(text, 'utf16le').swap16()],
  hex: (text) => [Buffer.from(text).toString('hex')].flatMap((hex) => [hex, hex.toUpperCase()].map(ascii)),
  base64: (text) => [0, 1, 2].flatMap((shift) => base64At(text, shift)),
}

const ascii = (text: string) => Buffer.from(text, 'latin1')

/** The base64 characters that depend only on this text when it starts `shift` bytes after a multiple of three. */
function base64At(text: string, shift: number): Buffer[] {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
  const characters = bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
  return [characters, characters.replaceAll('+', '-').replaceAll('/', '_')].map(ascii)
}

/** Every encoding of the number and the password that the search looks for. */
export const encodingsOf = (card: TestCard): EncodedSecret[] => [
  ...textsOf(card.cc_number).flatMap(([name, text]) => encode(card, `number ${name}`, text)),
  ...encode(card, 'password', card.passwordCore),
]

function textsOf(number: string): [string, string][] {
  const groupings = new Set([groupCard(number), number.replace(/\d{4}(?=\d)/g, '$& ')])
  const grouped = [...groupings].flatMap((text) =>
    Object.entries(separators).map(([name, separator]): [string, string] => [name, text.replaceAll(' ', separator)]),
  )
  return [['in a row', number], ...grouped]
}

function encode(card: TestCard, name: string, text: string): EncodedSecret[] {
  const seen = new Set<string>()
  return Object.entries(textEncodings).flatMap(([textEncoding, toBytes]) =>
    toBytes(text)
      .filter((bytes) => !seen.has(bytes.toString('latin1')) && seen.add(bytes.toString('latin1')))
      .map((bytes) => ({ card, encoding: `${name}, ${textEncoding}`, bytes })),
  )
}
