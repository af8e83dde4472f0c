import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createChallenge, randomInt } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Db } from '#server/db/db.ts'
import type { CaptchaGateway } from './port.ts'
import { markSolutionUsed } from './used-solutions.ts'

const VALID_MINUTES = 20

/** Proof of work, made and checked by ourselves: no puzzle and no third party. */
export const altcha = (parts: {
  db: Db
  now: () => Date
  key: Buffer
  cost: number
  counter: number
}): CaptchaGateway => {
  const { db, now, key, cost, counter } = parts
  const secrets = {
    hmacSignatureSecret: `${key.toString('base64')}-challenge`,
    hmacKeySignatureSecret: `${key.toString('base64')}-key`,
  }
  const signChallenge = signerWith(secrets.hmacSignatureSecret)
  const signKey = signerWith(secrets.hmacKeySignatureSecret)

  /** What altcha-lib says of a challenge of ours, which has both seals, without its way through other threads. */
  const isSolved = ({ challenge, signature, keySignature, derivedKey }: Solution) =>
    isEqual(signature, signChallenge(challenge)) && isEqual(keySignature, signKey(Buffer.from(derivedKey, 'hex')))

  return {
    name: 'altcha',
    challenge: async () => {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(counter, Math.ceil(counter / 2)),
        deriveKey,
        data: { good_until: now().getTime() + VALID_MINUTES * 60_000 }, // signed with the rest; compared with our own clock
        ...secrets,
      })
      return { ...challenge }
    },

    async verify(solution, used_by) {
      const solved = parseSolution(solution)
      if (!solved || !isSolved(solved)) return false
      const { signature, good_until } = solved
      const isGood = now().getTime() < good_until
      return isGood && markSolutionUsed(db, signature, used_by, new Date(good_until))
    },
  }
}

/** What comes back of a challenge. It is no more than what somebody says until its seals are checked. */
type Solution = Record<'challenge' | 'signature' | 'keySignature' | 'derivedKey', string> & { good_until: number }

/** The widget sends base64 of JSON; anything else is not a solution. */
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

function signerWith(secret: string) {
  const key = createSecretKey(secret, 'utf8')
  return (what: string | Buffer) => createHmac('sha256', key).update(what).digest('hex')
}

const isEqual = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** With the names of everything in order, as altcha-lib seals it. */
const canonicalJson = (parameters: object) =>
  JSON.stringify(parameters, (_name, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
