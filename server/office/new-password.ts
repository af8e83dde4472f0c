import { countAgainstLimits } from '#server/abuse/limits.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { passwordResetEmail } from '#server/emails/emails.ts'
import { claimValue } from '#server/enrollment/claims.ts'
import { rejectGuessablePassword } from '#server/enrollment/screening.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import type { World } from '#server/world.ts'
import { requirePassword } from './details.ts'
import { activateLinkOnce, deleteLinks, expiredLinkRefusal, findLink, linkToken, redeemLink } from './email-links.ts'
import { browserMark, closeAllSessions, openSession } from './session.ts'
import { findByName } from './sign-in.ts'

type Change = { password: string; current_password: string }

/** Every session ends, and this browser begins a new one. */
export async function changePassword(world: World, { password, current_password }: Change, visitor: Visitor) {
  const member = await requirePassword(world, current_password, visitor)
  rejectGuessablePassword({ ...member, password })
  const password_hash = await hashPassword(password, world.config)
  const session = await inTransaction(world.db, async (db) => {
    const changed = await db
      .updateTable('member')
      .set({ password_hash })
      .where('id', '=', member.id)
      .where('password_hash', '=', member.password_hash)
      .executeTakeFirst()
    if (Number(changed.numUpdatedRows) === 0) throw new Refusal(409, 'Your password was changed a moment ago.')
    await shutOut(db, member.id, world.now())
    return openSession({ ...world, db }, member.id)
  })
  visitor.setOfficeCookie(browserMark(world, { id: member.id, password_hash }), session)
}

/** A new password shuts out whoever had the old one: sessions, and letters that are still on their way. */
async function shutOut(db: Db, member_id: string, now: Date) {
  await deleteLinks(db, member_id)
  await closeAllSessions(db, member_id)
  await addJob(db, 'password_changed', { member_id }, now)
}

/** Does the same for every name: whether it is anybody's is found out later, when nobody waits for the answer. */
export async function requestPasswordReset(world: World, { name }: { name: string }, visitor: Visitor): Promise<void> {
  await countAgainstLimits(world, [
    ['LIMIT_LETTERS', visitor.address],
    ['LIMIT_LETTERS_BY_NAME', claimValue(name)],
  ])
  const now = world.now()
  await addJob(world.db, 'forgotten', { name, asked_at: now.toISOString() }, now)
}

/** The letter to who forgot their password; none to a name that is nobody's, or when the word was used or is too old. */
export async function passwordResetEmailFor(world: World, { name, asked_at }: JobPayloads['forgotten']) {
  const member = await findByName(world, name)
  if (!member) return undefined
  const asked = { purpose: 'password' as const, member_id: member.id, email: null, created_at: new Date(asked_at) }
  const { email, first_name } = await inTransaction(world.db, async (db) => {
    const held = db.selectFrom('member').select(['email', 'first_name']).where('id', '=', member.id).forUpdate()
    const reader = await held.executeTakeFirstOrThrow() // the address may have changed since the name was looked up
    await activateLinkOnce({ ...world, db }, asked)
    return reader
  })
  const word = linkToken(world, asked)
  return (await findLink(world, 'password', word)) ? passwordResetEmail(world, { email, first_name, word }) : undefined
}

type Reset = { token: string; password: string }

export async function resetPassword(world: World, { token, password }: Reset, visitor: Visitor): Promise<void> {
  const member = await findLink(world, 'password', token) // a word is not lost to a password that will not do
  if (!member) throw expiredLinkRefusal('Please ask for a new one.')
  rejectGuessablePassword({ ...member, password })
  const password_hash = await hashPassword(password, world.config)
  await inTransaction(world.db, async (db) => {
    const used = await redeemLink({ ...world, db }, 'password', token)
    if (!used) throw expiredLinkRefusal('Please ask for a new one.')
    await db.updateTable('member').set({ password_hash }).where('id', '=', used.member_id).execute()
    await shutOut(db, used.member_id, world.now())
  })
  visitor.trustBrowser(browserMark(world, { id: member.id, password_hash })) // strangers who guess at the door keep nobody out who reads the member's mail
}
