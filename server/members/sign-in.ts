import { countAgainstLimits, type LimitUse } from '#server/abuse/limits.ts'
import { networkOf } from '#server/client.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { Refusal } from '#server/refusal.ts'
import { type HashApplicant, verifyPassword } from '#server/secrets/password-hash.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { claimValue } from './claims.ts'
import { redeemGrant } from './grant.ts'
import { beginSecondStep } from './second-step.ts'
import { isBrowserMark, openSession, startSession } from './session.ts'

/** With the one-time grant that a new member gets. */
export async function signInWithGrant(
  world: World,
  { token }: { token: string },
  visitor: MemberBrowser,
): Promise<void> {
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
export async function signIn(world: World, { name, password }: Credentials, visitor: MemberBrowser) {
  const member = await findByName(world, name)
  const { trustedBrowser } = visitor
  const isTrusted = member && trustedBrowser && isBrowserMark(world, member, trustedBrowser.mark)
  const guesser: Guesser = isTrusted
    ? { member_id: member.id, known_by: `browser ${trustedBrowser.browser}` }
    : { member_id: member?.id, name: claimValue(name), visitor }
  const isCorrect = await tryPassword(world, password, member?.password_hash, guesser)
  const second_factor = member && isCorrect ? await beginSecondStep(world, member) : undefined
  if (second_factor) return { second_factor }
  const session = member && isCorrect ? await openSession(world, visitor, member) : undefined
  const event = { member_id: member?.id, address: visitor.address }
  if (!member || !session) {
    await recordEvent(world, { kind: 'sign_in_failed', ...event })
    throw new Refusal(401, 'Wrong username or password.')
  }
  await startSession(world, visitor, member, session)
  await recordEvent(world, { kind: 'sign_in', ...event })
  return {}
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

/** Somebody in a session or a browser of the member, or a stranger. */
type Guesser =
  | { member_id: string; known_by: string }
  | { member_id: string | undefined; name: string; visitor: MemberBrowser }

/**
 * Whether a password is correct, within the limits for failures. Each attempt counts as a failure until it succeeds, so that
 * many parallel attempts cannot exceed a limit. Strangers are limited by address and by member, whatever name of the member
 * they type. Known browsers and sessions have limits of their own: strangers cannot lock the member out of those.
 */
export async function tryPassword(
  world: World,
  password: string,
  password_hash: string | undefined,
  guesser: Guesser,
): Promise<boolean> {
  const { member_id } = guesser
  const failure = await countAgainstLimits(world, limitsOf(guesser), { member_id })
  let isCorrect: boolean | undefined
  try {
    isCorrect = await verifyPassword(password, password_hash, world.config, applicantOf(guesser))
    return isCorrect
  } finally {
    if (isCorrect !== false) await failure.giveBack().catch(() => undefined) // also when the server was too busy to check
  }
}

const limitsOf = (guesser: Guesser): LimitUse[] =>
  'known_by' in guesser
    ? [['LIMIT_SIGN_INS_BY_NAME', guesser.known_by]]
    : [
        ['LIMIT_SIGN_INS', guesser.visitor.address],
        ['LIMIT_SIGN_INS_BY_NAME', guesser.member_id ? `member ${guesser.member_id}` : guesser.name],
      ]

const applicantOf = (guesser: Guesser): HashApplicant =>
  'known_by' in guesser
    ? { lane: 'known', key: guesser.member_id }
    : { lane: 'sign_in', key: networkOf(guesser.visitor) }
