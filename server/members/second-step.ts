import { randomBytes } from 'node:crypto'
import type { PasskeyResponse } from '#contract/credentials.ts'
import type { PendingSignIn } from '#contract/office/security.ts'
import { countAgainstLimit, countAgainstLimits, type LimitUse } from '#server/abuse/limits.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { signInOptions, verifySignIn } from '#server/members/credentials/passkeys.ts'
import { isOurFailure, Refusal, refuseFields } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { factorsOf, passkeysOf, redeemCode } from './factors.ts'
import type { Access } from './grant.ts'
import { isBrowserMark, openSession, startSession } from './session.ts'

/** Signing in with the second factor: after the password, or with a passkey alone. */

const PENDING_MINUTES = 10
/** Each wrong code also counts against a limit of the member, over all sign-ins. */
const MAX_TRIES = 5

const signInAgain = () => new Refusal(401, 'This sign-in has expired. Please enter your password again.')

/** For a member whose password was right: what the page needs to continue; undefined without a second factor. */
export async function beginSecondStep(
  { db, now }: World,
  { id, access_version }: Access,
): Promise<PendingSignIn | undefined> {
  const factors = await factorsOf(db, id)
  if (!factors.has_app && !factors.has_passkey) return undefined
  const token = randomBytes(32).toString('base64url')
  const expires_at = new Date(now().getTime() + PENDING_MINUTES * 60_000)
  await db
    .insertInto('pending_sign_in')
    .values({ key_hash: sha256(token), member_id: id, access_version, expires_at })
    .execute()
  return { token, ...factors }
}

const findPending = ({ db, now }: World, token: string) =>
  db
    .selectFrom('pending_sign_in')
    .innerJoin('member', 'member.id', 'pending_sign_in.member_id')
    .select(['member.id', 'member.password_hash', 'pending_sign_in.access_version'])
    .where('key_hash', '=', sha256(token))
    .where('expires_at', '>', now())
    .where('tries', '<', MAX_TRIES)
    .executeTakeFirst()

/**
 * Wrong codes are limited by sign-in, by address and by member. Only somebody who knows the password gets here, so a stranger
 * cannot use up the member's limit. Trusted browsers have limits of their own: one each, and one together, because whoever
 * knows the password can collect many.
 */
export async function signInWithCode(world: World, input: { token: string; code: string }, visitor: MemberBrowser) {
  const member = await findPending(world, input.token)
  if (!member) {
    await countAgainstLimit(world, 'LIMIT_SIGN_INS', visitor.address)
    throw signInAgain()
  }
  const { trustedBrowser } = visitor
  const isTrusted = trustedBrowser && isBrowserMark(world, member, trustedBrowser.mark)
  const limits: LimitUse[] = isTrusted
    ? [
        ['LIMIT_SECOND_FACTORS', `browser ${trustedBrowser.browser}`],
        ['LIMIT_SECOND_FACTORS', `browsers of ${member.id}`],
      ]
    : [
        ['LIMIT_SIGN_INS', visitor.address],
        ['LIMIT_SECOND_FACTORS', member.id],
      ]
  const failure = await countAgainstLimits(world, limits)
  let isCorrect: boolean | undefined
  try {
    if (!(await countTry(world, input.token))) throw signInAgain() // other requests used the last tries
    isCorrect = await redeemCode(world, member.id, input.code)
  } finally {
    if (isCorrect !== false) await failure.giveBack().catch(() => undefined)
  }
  const event = { member_id: member.id, address: visitor.address }
  if (!isCorrect) {
    await recordEvent(world, { kind: 'second_factor_failed', ...event })
    throw refuseFields({ code: 'This code is not correct, or was used before.' })
  }
  await world.db.deleteFrom('pending_sign_in').where('key_hash', '=', sha256(input.token)).execute()
  const session = await openSession(world, visitor, member)
  if (!session) throw signInAgain()
  await startSession(world, visitor, member, session)
  await recordEvent(world, { kind: 'sign_in', ...event, details: { second_factor: 'code' } })
}

async function countTry({ db }: World, token: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pending_sign_in')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
    .where('key_hash', '=', sha256(token))
    .where('tries', '<', MAX_TRIES)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

const PASSKEY_PURPOSE = 'office sign in'

/** After the password, the browser offers only this member's passkeys; before it, all that it has for this site. */
export async function signInPasskeyOptions(
  world: World,
  { token }: { token?: string | undefined },
  visitor: MemberBrowser,
) {
  await countAgainstLimit(world, 'LIMIT_CHALLENGES', visitor.address)
  const pending = token ? await findPending(world, token) : undefined
  if (token && !pending) throw signInAgain()
  return signInOptions(world, PASSKEY_PURPOSE, pending ? await passkeysOf(world.db, pending.id) : [])
}

/** A passkey that verifies its owner is both factors at once. Each attempt counts as a failure until it succeeds. */
export async function signInWithPasskey(world: World, input: { response: PasskeyResponse }, visitor: MemberBrowser) {
  const passkey = await findPasskey(world, input.response)
  const { trustedBrowser } = visitor
  const isTrusted = passkey && trustedBrowser && isBrowserMark(world, passkey, trustedBrowser.mark)
  const failure = await countAgainstLimits(world, [
    isTrusted ? ['LIMIT_SIGN_INS_BY_NAME', `browser ${trustedBrowser.browser}`] : ['LIMIT_SIGN_INS', visitor.address],
  ])
  const giveBack = () => failure.giveBack().catch(() => undefined)
  const member = await verifyPasskey(world, input.response, passkey).catch(async (error: unknown) => {
    if (isOurFailure(error)) await giveBack()
    throw error
  })
  const session = member && (await openSession(world, visitor, member))
  const { address } = visitor
  if (!session) {
    await recordEvent(world, { kind: 'second_factor_failed', address, details: { second_factor: 'passkey' } })
    throw new Refusal(401, 'This passkey is not known here. Use another one, or sign in with your password.')
  }
  await giveBack()
  await startSession(world, visitor, member, session)
  await recordEvent(world, { kind: 'sign_in', member_id: member.id, address, details: { second_factor: 'passkey' } })
}

const findPasskey = ({ db }: World, response: PasskeyResponse) =>
  db
    .selectFrom('member_passkey')
    .innerJoin('member', 'member.id', 'member_passkey.member_id')
    .select(['member.id', 'password_hash', 'access_version', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', response.id)
    .executeTakeFirst()

async function verifyPasskey(
  world: World,
  response: PasskeyResponse,
  passkey: Awaited<ReturnType<typeof findPasskey>>,
) {
  const result = passkey && (await verifySignIn(world, response, PASSKEY_PURPOSE, passkey))
  if (!result) return undefined
  await world.db
    .updateTable('member_passkey')
    .set({ counter: result.counter, used_at: world.now() })
    .where('credential_id', '=', passkey.credential_id)
    .execute()
  return passkey
}
