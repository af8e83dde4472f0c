import { randomUUID } from 'node:crypto'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { signJws } from '#server/secrets/secrets.ts'
import type { World } from '#server/world/world.ts'

const VALID_SECONDS = 60

/** Other documents signed with the same key have another type. */
const GRANT_JWS_TYPE = 'JWT'

/** A member, and how often all of their sessions had ended. A session opens only while that number is the same. */
export type Access = { id: string; access_version: number }

/** A signed token that opens the office for one member: valid once, for one minute, at one office URL. */
export const mintGrant = (
  { keys, config, now }: Pick<World, 'keys' | 'config' | 'now'>,
  { id, access_version }: Access,
): string => {
  const seconds = Math.floor(now().getTime() / 1000)
  const { payload, ...jws } = signJws(keys.signing, GRANT_JWS_TYPE, {
    iss: config.PUBLIC_URL,
    aud: config.OFFICE_URL,
    sub: id,
    jti: randomUUID(),
    iat: seconds,
    exp: seconds + VALID_SECONDS,
    access_version,
  })
  return `${jws.protected}.${payload}.${jws.signature}`
}

/** What a grant is for; undefined if it was changed, has expired, was used before, or is for another office. */
export async function redeemGrant({ db, keys, config, now }: World, token: string): Promise<Access | undefined> {
  const expected = {
    algorithms: ['ES256'],
    typ: GRANT_JWS_TYPE,
    issuer: config.PUBLIC_URL,
    audience: config.OFFICE_URL,
    currentDate: now(),
  }
  const { importJWK, jwtVerify } = await import('jose') // loaded on demand, to start faster
  const keyOf = ({ kid = '' }) => importJWK(keys.grantKey(kid) ?? {}, 'ES256')
  const result = await jwtVerify(token, keyOf, expected).catch(() => undefined)
  const { sub, jti, exp, access_version } = result?.payload ?? {}
  if (!sub || !jti || !exp || typeof access_version !== 'number') return undefined
  const isFirst = await consumeKey(db, { kind: 'grant', key: jti, expires_at: new Date(exp * 1000) })
  return isFirst ? { id: sub, access_version } : undefined
}
