import type { EncodedSecret } from './encodings.ts'
import type { TestCard } from './test-cards.ts'

type Hit = { card: TestCard; encoding: string; offset: number; length: number }

/** A few characters that are neither letters nor digits, or the name of a security code. */
const GAP = '(?:[^0-9A-Za-z]{1,6}|[^0-9]{0,30}?(?:cv|csc|code)[^0-9]{0,12})'
/** Not case-insensitive, because compressed bytes contain mixed case by chance. */
const NAMES = '[Cc]v[cv2n]|CV[CV2N]|csc|CSC|(?:[Ss]ecurity|[Cc]ard).?[Cc]ode'
/** Not the beginning of a longer id: in a row, a gateway's id follows the expiry date. */
const CVC = '(\\d{3,4})(?!\\d|[0-9A-F]{8})'

/** Three digits alone occur everywhere. A CVC is recognized next to the end of its number, its expiry date, or a name. */
const shapes: { encoding: string; shape: RegExp; keyOf: (card: TestCard) => string[] }[] = [
  {
    encoding: 'last four digits and CVC',
    shape: new RegExp(`(?<![A-Za-z])(\\d{4})(?=${GAP}${CVC})`, 'gi'),
    keyOf: ({ cc_number, cc_cvv }) => [`${cc_number.slice(-4)} ${cc_cvv}`],
  },
  {
    encoding: 'expiry and CVC',
    shape: new RegExp(`(?<!\\d)(\\d\\d/(?:20)?\\d\\d|20\\d\\d-\\d\\d)(?=${GAP}${CVC})`, 'gi'),
    keyOf: ({ cc_month, cc_year, cc_cvv }) =>
      [`${cc_month}/${cc_year}`, `${cc_month}/${cc_year.slice(2)}`, `${cc_year}-${cc_month}`].map(
        (expiry) => `${expiry} ${cc_cvv}`,
      ),
  },
  {
    encoding: 'CVC near its name', // as a browser stores a form: name, kind, length, value
    shape: new RegExp(`()(?<![A-Za-z0-9])(?:${NAMES})(?![A-Za-z0-9]|_check)(?=[\\0-\\x7f]{0,48}?(?<!\\d)${CVC})`, 'g'),
    keyOf: ({ cc_cvv }) => [` ${cc_cvv}`],
  },
  {
    encoding: 'CVC as a code',
    shape: /()(?:cv[cv2n]|csc|(?<![A-Za-z])code)[\w.-]{0,12}["'\\]{0,4}\s?[:=]\s?["'\\]{0,4}(\d{3,4})(?![\d.])/gi,
    keyOf: ({ cc_cvv }) => [` ${cc_cvv}`],
  },
]

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Digits inside a UUID are a coincidence. */
function isInUuid(text: string, at: number): boolean {
  const from = Math.max(0, at - 36)
  return [...text.slice(from, at + 36).matchAll(UUID)].some(({ index }) => from + index <= at && at < from + index + 36)
}

const UTF_16_DIGITS = /\d\0\d\0\d/

/** Finds fragments that contain a CVC of these cards, in single bytes and in UTF-16. */
export function createFragmentSearch(cards: TestCard[]): (bytes: Buffer) => Hit[] {
  const indexedShapes = shapes.map(({ encoding, shape, keyOf }) => ({
    encoding,
    shape,
    byKey: Map.groupBy(
      cards.flatMap((card) => keyOf(card).map((key) => ({ key, card }))),
      ({ key }) => key, // many cards share a CVC
    ),
  }))
  const hitsIn = (text: string): Hit[] =>
    indexedShapes.flatMap(({ encoding, shape, byKey }) =>
      [...text.matchAll(shape)].flatMap(({ 0: match, 1: context, 2: cvc, index }) => {
        const entries = byKey.get(`${context} ${cvc}`)
        if (!entries || isInUuid(text, index)) return []
        return entries.map(({ card }) => ({ card, encoding, offset: index, length: match.length }))
      }),
    )
  return (bytes) => {
    const text = bytes.toString('latin1')
    const hits = hitsIn(text)
    if (!UTF_16_DIGITS.test(text)) return hits
    const utf16Hits = hitsIn(text.replace(/\0{2,}/g, '\x01').replaceAll('\0', '')).map(
      ({ card, encoding, offset, length }) => {
        const start = byteOffset(bytes, offset)
        return {
          card,
          encoding: `${encoding}, UTF-16`,
          offset: start,
          length: byteOffset(bytes, offset + length) - start,
        }
      },
    )
    const isUtf16 = ({ offset }: Hit) => bytes[offset + 1] === 0 // not single bytes that have zeros somewhere around them
    return [...hits, ...utf16Hits.filter((hit) => isUtf16(hit) && !hits.some(({ offset }) => offset === hit.offset))]
  }
}

/** The byte offset of a character in UTF-16. A single zero byte does not count; several in a row count as one. */
function byteOffset(bytes: Buffer, count: number): number {
  let offset = 0
  for (let remaining = count; offset < bytes.length; offset++) {
    const isCounted = bytes[offset] !== 0 || (bytes[offset + 1] === 0 && bytes[offset - 1] !== 0)
    if (isCounted && remaining-- === 0) break
  }
  return offset
}

/** Examples that the fragment search must find. */
export const fragmentExamples = (card: TestCard): EncodedSecret[] => {
  const { cc_number, cc_cvv, cc_month, cc_year } = card
  const texts = {
    'last four digits and CVC': [`${cc_number.slice(-4)}|${cc_cvv}`, `${cc_number.slice(-4)}","cc_cvv":"${cc_cvv}"`],
    'expiry and CVC': [`${cc_month}/${cc_year.slice(2)} ${cc_cvv}`, `${cc_year}-${cc_month}, ${cc_cvv}`],
    'CVC near its name': [`"cvc":"${cc_cvv}"`, `security_code=${cc_cvv}`, `cc_cvv text 1 ${cc_cvv}`],
    'CVC as a code': [`"code":"${cc_cvv}"`, `card_code: ${cc_cvv}`],
  }
  return Object.entries(texts).flatMap(([encoding, examples]) =>
    examples.flatMap((text) => [
      { card, encoding, bytes: Buffer.from(text) },
      { card, encoding: `${encoding}, UTF-16`, bytes: Buffer.from(text, 'utf16le') },
    ]),
  )
}
