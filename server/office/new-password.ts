import { countAgainstLimits } from '#server/abuse/limits.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { passwordResetEmail } from '#server/emails/emails.ts'
import { claimValue } from '#server/enrollment/claims.ts'
import { rejectGuessablePassword } from '#server/enrollment/screening.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import { hashNetwork, recordEvent } from '#server/security/security-log.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import { requirePassword } from './details.ts'
import { activateLinkOnce, deleteLinks, expiredLinkRefusal, findLink, linkToken, redeemLink } from './email-links.ts'
import { browserMark, closeAllSessions, openSession } from './session.ts'
import { findByName } from './sign-in.ts'

type Change = { password: string; current_password: string }

/** Signs out every browser. This one gets a new session. */
export async function changePassword(world: World, { password, current_password }: Change, visitor: Visitor) {
  const member = await requirePassword(world, current_password, visitor)
  rejectGuessablePassword(world, { ...member, password })
  const password_hash = await hashPassword(password, world.config, { lane: 'known', key: member.id })
  const session = await inTransaction(world.db, async (db) => {
    const result = await db
      .updateTable('member')
      .set({ password_hash })
      .where('id', '=', member.id)
      .where('password_hash', '=', member.password_hash)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) === 0)
      throw new Refusal(409, 'Your password was just changed. Please sign in again.')
    const access = await revokeAccess(db, member.id, world.now())
    await recordEvent({ ...world, db }, { kind: 'password_changed', member_id: member.id, address: visitor.address })
    return openSession({ ...world, db }, visitor, access)
  })
  if (!session) throw new Refusal(401, 'Please sign in.') // the member was erased
  visitor.setOfficeCookie(browserMark(world, { id: member.id, password_hash }), session)
}

/** Anyone with the old password loses access: sessions are closed, and links that were already emailed no longer work. */
async function revokeAccess(db: Db, member_id: string, now: Date) {
  await deleteLinks(db, member_id)
  const access = await closeAllSessions(db, member_id)
  await addJob(db, 'password_changed', { member_id }, now)
  return access
}

/** Does the same for every name, so that response and timing do not reveal members. A job looks the name up later. */
export async function requestPasswordReset(world: World, { name }: { name: string }, visitor: Visitor): Promise<void> {
  await countAgainstLimits(world, [
    ['LIMIT_LETTERS', visitor.address],
    ['LIMIT_LETTERS_BY_NAME', claimValue(name)],
  ])
  const now = world.now()
  const network = hashNetwork(world.keys, visitor.address)
  await addJob(world.db, 'forgotten', { name, asked_at: now.toISOString(), network }, now)
}

/** The password reset email; undefined for an unknown name, or if the link was used or has expired in the meantime. */
export async function passwordResetEmailFor(world: World, { name, asked_at, network }: JobPayloads['forgotten']) {
  const member = await findByName(world, name)
  if (!member) return undefined
  const seed = { purpose: 'password' as const, member_id: member.id, email: null, created_at: new Date(asked_at) }
  const { email, first_name } = await inTransaction(world.db, async (db) => {
    const lockedMember = db.selectFrom('member').select(['email', 'first_name']).where('id', '=', member.id).forUpdate()
    const recipient = await lockedMember.executeTakeFirstOrThrow() // the address may have changed since the lookup
    if (await activateLinkOnce({ ...world, db }, seed))
      await recordEvent({ ...world, db }, { kind: 'password_reset_requested', member_id: member.id, network })
    return recipient
  })
  const token = linkToken(world, seed)
  const isValid = await findLink(world, 'password', token)
  return isValid ? passwordResetEmail(world, { email, first_name, token }) : undefined
}

type Reset = { token: string; password: string }

export async function resetPassword(world: World, { token, password }: Reset, visitor: Visitor): Promise<void> {
  const member = await findLink(world, 'password', token) // a rejected password does not use up the link
  if (!member) throw expiredLinkRefusal('Please request a new one.')
  rejectGuessablePassword(world, { ...member, password })
  const password_hash = await hashPassword(password, world.config, { lane: 'known', key: member.id })
  await inTransaction(world.db, async (db) => {
    const link = await redeemLink({ ...world, db }, 'password', token)
    if (!link) throw expiredLinkRefusal('Please request a new one.')
    await db.updateTable('member').set({ password_hash }).where('id', '=', link.member_id).execute()
    await revokeAccess(db, link.member_id, world.now())
    await recordEvent({ ...world, db }, { kind: 'password_reset', member_id: link.member_id, address: visitor.address })
  })
  visitor.trustBrowser(browserMark(world, { id: member.id, password_hash })) // strangers' guesses cannot lock the member out
}
