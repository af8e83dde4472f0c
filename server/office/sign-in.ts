import { countAgainstLimits } from '#server/abuse/limits.ts'
import { claimValue } from '#server/enrollment/claims.ts'
import { Refusal } from '#server/refusal.ts'
import { verifyPassword } from '#server/secrets/password-hash.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { redeemGrant } from './grant.ts'
import { isBrowserMark, openSession, startSession } from './session.ts'

/** With the one-time grant that a new member gets. */
export async function signInWithGrant(world: World, { token }: { token: string }, visitor: Visitor): Promise<void> {
  const access = await redeemGrant(world, token)
  const session = access && (await openSession(world, visitor, access))
  const { address } = visitor
  if (!session) {
    await recordEvent(world, { kind: 'grant_refused', member_id: access?.id, address })
    throw new Refusal(401, 'This sign-in link has expired or was already used.')
  }
  const member = await world.db
    .selectFrom('member')
    .select(['id', 'password_hash'])
    .where('id', '=', access.id)
    .executeTakeFirstOrThrow()
  await startSession(world, visitor, member, session)
  await recordEvent(world, { kind: 'grant_used', member_id: access.id, address })
}

type Credentials = { name: string; password: string }

/** With username or email, and password. An unknown name takes the same steps and the same time as a known one. */
export async function signIn(world: World, { name, password }: Credentials, visitor: Visitor): Promise<void> {
  const member = await findByName(world, name)
  const { trustedBrowser } = visitor
  const isTrusted = member && trustedBrowser && isBrowserMark(world, member, trustedBrowser.mark)
  // A trusted browser has a limit of its own: strangers who guess passwords cannot lock the member out.
  const limitedName = isTrusted ? trustedBrowser.browser : claimValue(name)
  const isCorrect = await tryPassword(world, password, member?.password_hash, { name: limitedName, visitor })
  const session = member && isCorrect ? await openSession(world, visitor, member) : undefined
  const event = { member_id: member?.id, address: visitor.address }
  if (!member || !session) {
    await recordEvent(world, { kind: 'sign_in_failed', ...event })
    throw new Refusal(401, 'Wrong username or password.')
  }
  await startSession(world, visitor, member, session)
  await recordEvent(world, { kind: 'sign_in', ...event })
}

/** Finds a member by username or email. Only an email address contains an @. */
export const findByName = ({ db }: Pick<World, 'db'>, name: string) =>
  db
    .selectFrom('claim')
    .innerJoin('member', 'member.enrollment_id', 'claim.enrollment_id')
    .select(['member.id', 'member.password_hash', 'access_version'])
    .where('kind', '=', name.includes('@') ? 'email' : 'username')
    .where('value', '=', claimValue(name))
    .where('erased_at', 'is', null)
    .executeTakeFirst()

/**
 * Whether a password is correct, within the limits for failures by address and by name. Each attempt counts as a failure
 * until it succeeds, so that many parallel attempts cannot exceed a limit.
 */
export async function tryPassword(
  world: World,
  password: string,
  password_hash: string | undefined,
  { name, visitor }: { name: string; visitor: Visitor },
): Promise<boolean> {
  const failure = await countAgainstLimits(world, [
    ['LIMIT_SIGN_INS', visitor.address],
    ['LIMIT_SIGN_INS_BY_NAME', name],
  ])
  let isCorrect: boolean | undefined
  try {
    isCorrect = await verifyPassword(password, password_hash, world.config)
    return isCorrect
  } finally {
    if (isCorrect !== false) await failure.giveBack().catch(() => undefined) // also when the server was too busy to check
  }
}
