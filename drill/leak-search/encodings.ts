import { groupCard } from '#contract/card.ts'
import type { Mark } from './test-cards.ts'

/** One way in which a secret may lie somewhere, as the bytes that would lie there. */
export type Form = { mark: Mark; form: string; bytes: Buffer }

/** What may stand between the groups of a number. */
const between: Record<string, string> = {
  spaced: ' ',
  dashed: '-',
  dotted: '.',
  'with %20': '%20',
  'with +': '+',
  'with \\u0020': '\\u0020',
  'with &nbsp;': '\u00a0',
}

/** How a text may be written down. */
const writings: Record<string, (text: string) => Buffer[]> = {
  plain: (text) => [Buffer.from(text)],
  'UTF-16LE': (text) => [Buffer.from(text, 'utf16le')],
  'UTF-16BE': (text) => [Buffer.from(text, 'utf16le').swap16()],
  hex: (text) => [Buffer.from(text).toString('hex')].flatMap((hex) => [hex, hex.toUpperCase()].map(ascii)),
  base64: (text) => [0, 1, 2].flatMap((shift) => base64At(text, shift)),
}

const ascii = (text: string) => Buffer.from(text, 'latin1')

/** The letters of base64 that are this text's alone when it begins so many bytes after a border of three. */
function base64At(text: string, shift: number): Buffer[] {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
  const whole = bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')].map(ascii)
}

/** Every form of the number and of the password that is looked for. */
export const formsOf = (mark: Mark): Form[] => [
  ...textsOf(mark.cc_number).flatMap(([name, text]) => written(mark, `number ${name}`, text)),
  ...written(mark, 'password', mark.core),
]

function textsOf(number: string): [string, string][] {
  const groupings = new Set([groupCard(number), number.replace(/\d{4}(?=\d)/g, '$& ')])
  const grouped = [...groupings].flatMap((text) =>
    Object.entries(between).map(([name, sign]): [string, string] => [name, text.replaceAll(' ', sign)]),
  )
  return [['in a row', number], ...grouped]
}

function written(mark: Mark, name: string, text: string): Form[] {
  const seen = new Set<string>()
  return Object.entries(writings).flatMap(([writing, write]) =>
    write(text)
      .filter((bytes) => !seen.has(bytes.toString('latin1')) && seen.add(bytes.toString('latin1')))
      .map((bytes) => ({ mark, form: `${name}, ${writing}`, bytes })),
  )
}
