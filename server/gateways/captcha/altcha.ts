import { createChallenge, type Payload, randomInt, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Db } from '#server/db/open.ts'
import type { CaptchaGateway } from './port.ts'
import { spendOnce } from './used.ts'

const MINUTES_GOOD = 20

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

  return {
    name: 'altcha',
    challenge: async () => {
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(counter, Math.ceil(counter / 2)),
        deriveKey,
        data: { good_until: now().getTime() + MINUTES_GOOD * 60_000 }, // signed with the rest; compared with our own clock
        ...secrets,
      })
      return { ...challenge }
    },

    async verify(solution, used_by) {
      const payload = unpack(solution)
      if (!payload) return false
      const checked = await verifySolution({ ...payload, deriveKey, ...secrets }).catch(() => undefined) // made-up payloads throw
      const good_until = Number(payload.challenge.parameters.data?.good_until ?? 0)
      if (checked?.verified !== true || now().getTime() >= good_until) return false
      return spendOnce(db, payload.challenge.signature ?? '', used_by, new Date(good_until))
    },
  }
}

/** The widget sends base64 of JSON; anything else is not a solution. */
function unpack(solution: string): Payload | undefined {
  try {
    const payload = JSON.parse(Buffer.from(solution, 'base64').toString('utf8'))
    return payload?.challenge?.parameters && payload?.solution ? payload : undefined
  } catch {
    return undefined
  }
}
