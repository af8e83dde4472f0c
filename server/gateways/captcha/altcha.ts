import { createChallenge, type Payload, randomInt, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Db } from '#server/db/open.ts'
import type { CaptchaGateway } from './port.ts'

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

    async verify(solution) {
      const payload = unpack(solution)
      if (!payload) return false
      const checked = await verifySolution({ ...payload, deriveKey, ...secrets }).catch(() => undefined) // made-up payloads throw
      const good_until = Number(payload.challenge.parameters.data?.good_until ?? 0)
      return checked?.verified === true && now().getTime() < good_until && remember(payload, new Date(good_until))
    },
  }

  /** The signature is written down until the challenge expires; only the first to write it gets in. */
  async function remember({ challenge: { signature = '' } }: Payload, expires_at: Date): Promise<boolean> {
    const written = await db
      .insertInto('spent')
      .values({ kind: 'captcha', key: signature, expires_at })
      .onConflict((clash) => clash.doNothing())
      .executeTakeFirst()
    return Number(written.numInsertedOrUpdatedRows) === 1
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
