import type { Form } from './encodings.ts'
import type { Mark } from './test-cards.ts'

type Hit = { mark: Mark; form: string; offset: number; length: number }

/** Little that is neither letter nor digit, or the name of a security code. */
const GAP = '(?:[^0-9A-Za-z]{1,6}|[^0-9]{0,30}?(?:cv|csc|code)[^0-9]{0,12})'
/** Not in every mixture of capitals, which compressed bytes have by chance. */
const NAMES = '[Cc]v[cv2n]|CV[CV2N]|csc|CSC|(?:[Ss]ecurity|[Cc]ard).?[Cc]ode'
const CVC = '(\\d{3,4})(?!\\d)'

/**
 * Three digits alone are everywhere; what gives a CVC away is the company it keeps: the end of its number, the month of
 * its card, or a name.
 */
const shapes: { form: string; shape: RegExp; keyOf: (mark: Mark) => string[] }[] = [
  {
    form: 'last four digits and CVC',
    shape: new RegExp(`(?<![A-Za-z])(\\d{4})(?=${GAP}${CVC})`, 'gi'),
    keyOf: ({ cc_number, cc_cvv }) => [`${cc_number.slice(-4)} ${cc_cvv}`],
  },
  {
    form: 'expiry and CVC',
    shape: new RegExp(`(?<!\\d)(\\d\\d/(?:20)?\\d\\d|20\\d\\d-\\d\\d)(?=${GAP}${CVC})`, 'gi'),
    keyOf: ({ cc_month, cc_year, cc_cvv }) =>
      [`${cc_month}/${cc_year}`, `${cc_month}/${cc_year.slice(2)}`, `${cc_year}-${cc_month}`].map(
        (expiry) => `${expiry} ${cc_cvv}`,
      ),
  },
  {
    form: 'CVC near its name', // as a browser keeps a form: name, kind, length, value
    shape: new RegExp(`()(?<![A-Za-z0-9])(?:${NAMES})(?![A-Za-z0-9]|_check)(?=[\\0-\\x7f]{0,48}?(?<!\\d)${CVC})`, 'g'),
    keyOf: ({ cc_cvv }) => [` ${cc_cvv}`],
  },
  {
    form: 'CVC as a code',
    shape: /()(?:cv[cv2n]|csc|(?<![A-Za-z])code)[\w.-]{0,12}["'\\]{0,4}\s?[:=]\s?["'\\]{0,4}(\d{3,4})(?![\d.])/gi,
    keyOf: ({ cc_cvv }) => [` ${cc_cvv}`],
  },
]

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Digits of an id only look alike. */
function isInUuid(text: string, at: number): boolean {
  const from = Math.max(0, at - 36)
  return [...text.slice(from, at + 36).matchAll(UUID)].some(({ index }) => from + index <= at && at < from + index + 36)
}

const WIDE = /\d\0\d\0\d/

/** Number-and-CVC fragments of these marks, in single bytes and in UTF-16. */
export function fragmentsIn(marks: Mark[]): (bytes: Buffer) => Hit[] {
  const known = shapes.map(({ form, shape, keyOf }) => ({
    form,
    shape,
    byKey: Map.groupBy(
      marks.flatMap((mark) => keyOf(mark).map((key) => ({ key, mark }))),
      ({ key }) => key, // three digits are shared by many
    ),
  }))
  const hitsIn = (text: string): Hit[] =>
    known.flatMap(({ form, shape, byKey }) =>
      [...text.matchAll(shape)].flatMap(({ 0: whole, 1: company, 2: cvc, index }) => {
        const found = byKey.get(`${company} ${cvc}`)
        if (!found || isInUuid(text, index)) return []
        return found.map(({ mark }) => ({ mark, form, offset: index, length: whole.length }))
      }),
    )
  return (bytes) => {
    const text = bytes.toString('latin1')
    const hits = hitsIn(text)
    if (!WIDE.test(text)) return hits
    const wide = hitsIn(text.replace(/\0{2,}/g, '\x01').replaceAll('\0', '')).map(({ mark, form, offset, length }) => {
      const from = placeOf(bytes, offset)
      return { mark, form: `${form}, UTF-16`, offset: from, length: placeOf(bytes, offset + length) - from }
    })
    return [...hits, ...wide.filter(({ offset }) => !hits.some((hit) => hit.offset === offset))]
  }
}

/** Where a letter lies when single zeros, the halves of wide letters, do not count and several count as one. */
function placeOf(bytes: Buffer, count: number): number {
  let place = 0
  for (let left = count; place < bytes.length; place++) {
    const isCounted = bytes[place] !== 0 || (bytes[place + 1] === 0 && bytes[place - 1] !== 0)
    if (isCounted && left-- === 0) break
  }
  return place
}

/** What `fragmentsIn` must find, as it could be written. */
export const fragmentsOf = (mark: Mark): Form[] => {
  const { cc_number, cc_cvv, cc_month, cc_year } = mark
  const texts = {
    'last four digits and CVC': [`${cc_number.slice(-4)}|${cc_cvv}`, `${cc_number.slice(-4)}","cc_cvv":"${cc_cvv}"`],
    'expiry and CVC': [`${cc_month}/${cc_year.slice(2)} ${cc_cvv}`, `${cc_year}-${cc_month}, ${cc_cvv}`],
    'CVC near its name': [`"cvc":"${cc_cvv}"`, `security_code=${cc_cvv}`, `cc_cvv text 1 ${cc_cvv}`],
    'CVC as a code': [`"code":"${cc_cvv}"`, `card_code: ${cc_cvv}`],
  }
  return Object.entries(texts).flatMap(([form, written]) =>
    written.flatMap((text) => [
      { mark, form, bytes: Buffer.from(text) },
      { mark, form: `${form}, UTF-16`, bytes: Buffer.from(text, 'utf16le') },
    ]),
  )
}
