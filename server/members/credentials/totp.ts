import { createHmac, randomBytes } from 'node:crypto'

/** One-time codes of an authenticator app (RFC 6238): SHA-1, 30 seconds, six digits, which is what every app supports. */

const STEP_SECONDS = 30
const DIGITS = 6
/** A phone's clock may be a little wrong: one step before and after. */
const TOLERANCE = 1

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 20 random bytes in base32, as apps take it. */
export const newSecret = (): string => [...randomBytes(32)].map((byte) => ALPHABET[byte & 31]).join('')

export const stepAt = (time: Date): number => Math.floor(time.getTime() / 1000 / STEP_SECONDS)

export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step whose code this is, if it is newer than the last one that was used. */
export function findStep(secret: string, code: string, time: Date, lastStep: number): number | undefined {
  const now = stepAt(time)
  for (let step = now - TOLERANCE; step <= now + TOLERANCE; step++)
    if (step > lastStep && codeOf(secret, step) === code) return step
  return undefined
}

/** What the QR code says. */
export const appAddress = (secret: string, { issuer, email }: { issuer: string; email: string }): string =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
