import { randomBytes } from 'node:crypto'
import type { Keys } from '#server/secrets/secrets.ts'

/** Each replaces the code of an authenticator app once. Only keyed hashes are stored. */

const RECOVERY_CODES = 10

/** Without letters and digits that look alike. 16 of them are 80 bits, too many to guess. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** The hash that a code was stored under. There may be one for each key that was ever in use. */
export const recoveryHashes = (keys: Pick<Keys, 'hmacs'>, code: string): string[] => keys.hmacs('recovery codes', code)

/** New codes, as they are shown once, and the hashes to store. */
export function newRecoveryCodes(keys: Pick<Keys, 'hmac'>): { shown: string[]; hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join(''),
  )
  return {
    shown: codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code),
    hashes: codes.map((code) => keys.hmac('recovery codes', code)),
  }
}
