import { randomUUID } from 'node:crypto'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { signJws } from '#server/secrets/secrets.ts'
import type { World } from '#server/world.ts'

const SECONDS_GOOD = 60

/** What else is signed with the same key says that it is something else. */
const GRANT = 'JWT'

/** A key to the office for one member: signed, for one office, good once and for a minute. */
export const mintGrant = ({ keys, config, now }: Pick<World, 'keys' | 'config' | 'now'>, member_id: string): string => {
  const seconds = Math.floor(now().getTime() / 1000)
  const { payload, ...said } = signJws(keys.signing, GRANT, {
    iss: config.PUBLIC_URL,
    aud: config.OFFICE_URL,
    sub: member_id,
    jti: randomUUID(),
    iat: seconds,
    exp: seconds + SECONDS_GOOD,
  })
  return `${said.protected}.${payload}.${said.signature}`
}

/** The member whom a grant lets in, once; nobody for one that is changed, late, used, or for another office. */
export async function redeemGrant({ db, keys, config, now }: World, token: string): Promise<string | undefined> {
  const { publicJwk } = keys.signing
  const rules = {
    algorithms: ['ES256'],
    typ: GRANT,
    issuer: config.PUBLIC_URL,
    audience: config.OFFICE_URL,
    currentDate: now(),
  }
  const { importJWK, jwtVerify } = await import('jose') // a start should not wait for it
  const checked = await jwtVerify(token, await importJWK(publicJwk, 'ES256'), rules).catch(() => undefined)
  const { sub, jti, exp } = checked?.payload ?? {}
  if (!sub || !jti || !exp) return undefined
  const isFirst = await consumeKey(db, { kind: 'grant', key: jti, expires_at: new Date(exp * 1000) })
  return isFirst ? sub : undefined
}
