import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { World } from '#server/world.ts'

const SECONDS_GOOD = 60

/** A key to the office for one member: signed, for one office, good once and for a minute. */
export const mintGrant = (
  { keys, config, now }: Pick<World, 'keys' | 'config' | 'now'>,
  member_id: string,
): Promise<string> => {
  const seconds = Math.floor(now().getTime() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keys.grant.kid, typ: 'JWT' })
    .setIssuer(config.PUBLIC_URL)
    .setAudience(config.OFFICE_URL)
    .setSubject(member_id)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + SECONDS_GOOD)
    .sign(keys.grant.privateKey)
}
