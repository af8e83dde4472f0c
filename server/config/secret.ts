/** Public in the source code, so production refuses it. */
export const DEVELOPMENT_SECRET = 'foyer development secret'

const MIN_BYTES = 32
/** Of 32 random bytes, 30 differ. Fewer than 20 do not happen in the age of the universe. */
const MIN_DIFFERENT_BYTES = 20
const MAX_REPEATED = 10

/**
 * Whether a text can be 32 random bytes or more, in hex or base64. Nobody can prove that it is: this refuses what people
 * type, repeat or count up.
 */
export function isStrongSecret(text: string): boolean {
  const bytes = decode(text)
  return (
    bytes.length >= MIN_BYTES &&
    new Set(bytes).size >= MIN_DIFFERENT_BYTES &&
    !repeatsItself(text) &&
    !countsUp([...Buffer.from(text)]) &&
    !countsUp([...bytes])
  )
}

function decode(text: string): Buffer {
  if (/^[0-9a-f]+$/i.test(text)) return Buffer.from(text, 'hex')
  const isBase64 = /^[\w+/-]+={0,2}$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) // words have one case
  return isBase64 ? Buffer.from(text, 'base64') : Buffer.alloc(0)
}

function repeatsItself(text: string): boolean {
  const parts = Array.from({ length: text.length - MAX_REPEATED + 1 }, (_, at) => text.slice(at, at + MAX_REPEATED))
  return new Set(parts).size < parts.length
}

/** '0123…', 'ABCD…', and bytes that follow each other. In random ones, every fifth is a neighbor at most. */
const countsUp = (values: number[]): boolean =>
  values.filter((value, at) => Math.abs(value - (values[at - 1] ?? Number.NaN)) <= 1).length > values.length / 2
