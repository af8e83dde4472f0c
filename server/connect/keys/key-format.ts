import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { KEY_PATTERN, KEY_PREFIX } from '#contract/connect/keys.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const COMPLETE = new RegExp(`^${KEY_PATTERN.source}$`)

/** A new key: 178 random bits, so its hash needs no salt and no slow algorithm. */
export function newKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return KEY_PREFIX + random + checksumOf(random)
}

/** Whether a text could be one of our keys. A mistyped or shortened key is noticed without asking the database. */
export function isWellFormed(text: string): boolean {
  if (!COMPLETE.test(text)) return false
  const random = text.slice(KEY_PREFIX.length, -CHECKSUM_LENGTH)
  return text.endsWith(checksumOf(random))
}

/** CRC32 of the random part in base 62, padded to six characters. */
function checksumOf(random: string): string {
  let rest = crc32(random)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
