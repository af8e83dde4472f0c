import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { brandOf } from '#server/brand/brand.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

/** Loaded when it is needed first: it takes a tenth of a second, which a start should not wait for. */
const library = () => import('@simplewebauthn/server')

/** ES256, RS256 and Ed25519: what authenticators have. */
const supportedAlgorithmIDs = [-7, -257, -8]

/** Passkeys belong to the host in PUBLIC_URL. */
const siteOf = ({ config }: Pick<World, 'config'>) => ({
  rpID: new URL(config.PUBLIC_URL).hostname,
  origin: config.PUBLIC_URL,
})

type PasskeyData = Record<string, unknown>
const CHALLENGE_MS = 5 * 60_000

/**
 * A challenge that no table has to remember: random bytes and an end, signed for one purpose. When it comes back, it is
 * used up.
 */
function newChallenge({ keys, now }: World, purpose: string): Uint8Array<ArrayBuffer> {
  const text = `${now().getTime() + CHALLENGE_MS}.${randomBytes(16).toString('base64url')}`
  return new Uint8Array(Buffer.from(`${text}.${keys.hmac(CHALLENGES, `${purpose} ${text}`)}`))
}

const CHALLENGES = 'passkey challenges'

/** Checks a challenge that comes back. `consume` is false if it was used before, by any process. */
function challengeFor({ keys, now, db }: World, purpose: string) {
  let seen = { end: 0, random: '' }
  return {
    /** `challenge` as the browser signed it, in base64url. */
    isOurs: (challenge: string): boolean => {
      const [end = '', random = '', mac = ''] = Buffer.from(challenge, 'base64url').toString().split('.')
      seen = { end: Number(end), random }
      return keys.isHmac(CHALLENGES, `${purpose} ${end}.${random}`, mac) && seen.end > now().getTime()
    },
    consume: () => consumeKey(db, { kind: 'passkey', key: seen.random, expires_at: new Date(seen.end) }),
  }
}

type Credential = { credential_id: string }

/** The browser offers the passkeys that it has for this site, or those that are allowed; nobody has to type a name. */
export async function signInOptions(world: World, purpose: string, allowed: Credential[] = []): Promise<PasskeyData> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: siteOf(world).rpID,
    challenge: newChallenge(world, purpose),
    allowCredentials: allowed.map(({ credential_id }) => ({ id: credential_id })),
    userVerification: 'required',
  })
  return { ...options }
}

/** The new counter of a passkey that has signed our challenge, or undefined. */
export async function verifySignIn(
  world: World,
  response: PasskeyData,
  purpose: string,
  passkey: Pick<NewPasskey, 'credential_id' | 'public_key' | 'counter'>,
): Promise<{ counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { rpID, origin } = siteOf(world)
  const challenge = challengeFor(world, purpose)
  const result = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge.isOurs,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: Number(passkey.counter),
    },
    requireUserVerification: true,
  }).catch(refused(world))
  if (!result?.verified || !(await challenge.consume())) return undefined
  return { counter: result.authenticationInfo.newCounter }
}

/** The library throws what is wrong with a response. */
const refused =
  ({ log }: World) =>
  (error: unknown): undefined => {
    log.info({ err: error }, 'a passkey was refused')
  }

type Person = { name: string; email: string; purpose: string; existing?: Credential[] }

/** For a new passkey. `purpose` ties it to a person or an invitation. */
export async function registrationOptions(world: World, { name, email, purpose, existing = [] }: Person) {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: (await brandOf(world)).page.name,
    rpID: siteOf(world).rpID,
    userName: email,
    userDisplayName: name,
    challenge: newChallenge(world, purpose),
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { ...options }
}

/** From the browser, unsigned. */
const isTransport = (value: unknown) => typeof value === 'string' && /^[a-z-]{1,20}$/.test(value)

/** A credential belongs to one person. Someone who knows its id could otherwise claim it as their own. */
export function requireStored({ numInsertedOrUpdatedRows }: { numInsertedOrUpdatedRows?: bigint | undefined }): void {
  if (!numInsertedOrUpdatedRows)
    throw new Refusal(409, 'This passkey is already in use here. Please choose a different one.')
}

export type NewPasskey = { credential_id: string; public_key: string; counter: number; transports: string[] }

/** The passkey that the browser has made, or a refusal. */
export async function verifyRegistration(world: World, response: PasskeyData, purpose: string): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await library()
  const { rpID, origin } = siteOf(world)
  const challenge = challengeFor(world, purpose)
  const result = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge.isOurs,
    expectedOrigin: origin,
    expectedRPID: rpID,
    supportedAlgorithmIDs,
    requireUserVerification: true,
  }).catch(refused(world))
  if (!result?.registrationInfo || !(await challenge.consume()))
    throw new Refusal(422, 'This passkey could not be verified. Please try again.')
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: Array.isArray(transports) ? transports.filter(isTransport).slice(0, 10) : [],
  }
}
