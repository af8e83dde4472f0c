import { spendAll } from '#server/abuse/limits.ts'
import { claimValue } from '#server/enrollment/claims.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { Refusal } from '#server/refusal.ts'
import { isPassword } from '#server/secrets/password-hash.ts'
import type { World } from '#server/world.ts'
import { handOver, markOf, openSessionWith } from './session.ts'

type Asked = { name: string; password: string }

/** By username or email, and password. Who is not known is asked the same questions and waits as long. */
export async function signIn(world: World, { name, password }: Asked, visitor: Visitor): Promise<void> {
  const member = await findByName(world, name)
  const { knownAs } = visitor
  const counted = member && knownAs?.mark === markOf(world, member) ? knownAs.browser : claimValue(name) // strangers lock out strangers
  const isRight = await tryPassword(world, password, member?.password_hash, { name: counted, visitor })
  const session = member && isRight ? await openSessionWith(world, member) : undefined
  if (!member || !session) throw new Refusal(401, 'Wrong username or password.')
  await handOver(world, visitor, member, session)
}

/** The member of that name. A username has no @, an email address has one. */
export const findByName = ({ db }: Pick<World, 'db'>, name: string) =>
  db
    .selectFrom('claim')
    .innerJoin('member', 'member.enrollment_id', 'claim.enrollment_id')
    .select(['member.id', 'member.password_hash'])
    .where('kind', '=', name.includes('@') ? 'email' : 'username')
    .where('value', '=', claimValue(name))
    .executeTakeFirst()

/**
 * Whether a password is right, as long as there were not too many wrong ones from this address or for this name. It counts
 * as wrong until it is right, so that many at once cannot outrun a limit.
 */
export async function tryPassword(
  world: World,
  password: string,
  password_hash: string | undefined,
  { name, visitor }: { name: string; visitor: Visitor },
): Promise<boolean> {
  const failure = await spendAll(world, [
    ['LIMIT_SIGN_INS', visitor.address],
    ['LIMIT_SIGN_INS_BY_NAME', name],
  ])
  let isRight: boolean | undefined
  try {
    isRight = await isPassword(password, password_hash, world.config)
    return isRight
  } finally {
    if (isRight !== false) await failure.giveBack().catch(() => undefined) // what could not be tried was not wrong
  }
}
