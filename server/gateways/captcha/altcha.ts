import { createHmac, timingSafeEqual } from 'node:crypto'
import { createChallenge, randomInt } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Db } from '#server/db/db.ts'
import type { CaptchaGateway } from './port.ts'
import { markSolutionUsed } from './used-solutions.ts'

const VALID_MINUTES = 20

/** Proof of work, created and verified here: no puzzle and no third party. */
export const altcha = (parts: {
  db: Db
  now: () => Date
  /** The key in use, then those that were in use before. */
  secrets: () => Buffer[]
  cost: number
  counter: number
}): CaptchaGateway => {
  const { db, now, cost, counter } = parts
  const secrets = () => parts.secrets().map(secretsFrom)

  return {
    name: 'altcha',
    challenge: async () => {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(counter, Math.ceil(counter / 2)),
        deriveKey,
        data: { good_until: now().getTime() + VALID_MINUTES * 60_000 }, // signed with the rest, and compared with our own clock
        ...secrets()[0],
      })
      return { ...challenge }
    },

    async verify(solution, used_by) {
      const parsed = parseSolution(solution)
      if (!parsed || !secrets().some(isSolvedWith(parsed))) return false
      const { signature, good_until } = parsed
      const isValid = now().getTime() < good_until
      return isValid && markSolutionUsed(db, signature, used_by, new Date(good_until))
    },
  }
}

/** A solved challenge from the browser, untrusted until its signatures are verified. */
type Solution = Record<'challenge' | 'signature' | 'keySignature' | 'derivedKey', string> & { good_until: number }

/** The widget sends JSON in base64. */
function parseSolution(text: string): Solution | undefined {
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
    const { parameters, signature } = challenge
    const { keySignature, data } = parameters
    const { derivedKey } = solution
    if (![signature, keySignature, derivedKey].every(isHex)) return undefined
    return {
      challenge: canonicalJson(parameters),
      signature,
      keySignature,
      derivedKey,
      good_until: Number(data.good_until),
    }
  } catch {
    return undefined
  }
}

const isHex = (part: unknown) => typeof part === 'string' && /^(?:[0-9a-f]{2})+$/.test(part)

type Secrets = { hmacSignatureSecret: string; hmacKeySignatureSecret: string }

const secretsFrom = (key: Buffer): Secrets => ({
  hmacSignatureSecret: `${key.toString('base64')}-challenge`,
  hmacKeySignatureSecret: `${key.toString('base64')}-key`,
})

/** The same check as altcha-lib's for challenges with both signatures, but without its worker threads. */
const isSolvedWith =
  ({ challenge, signature, keySignature, derivedKey }: Solution) =>
  ({ hmacSignatureSecret, hmacKeySignatureSecret }: Secrets): boolean =>
    isEqual(signature, hmacHex(hmacSignatureSecret, challenge)) &&
    isEqual(keySignature, hmacHex(hmacKeySignatureSecret, Buffer.from(derivedKey, 'hex')))

const hmacHex = (secret: string, content: string | Buffer) => createHmac('sha256', secret).update(content).digest('hex')

const isEqual = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** With sorted keys, as altcha-lib signs it. */
const canonicalJson = (parameters: object) =>
  JSON.stringify(parameters, (_name, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
