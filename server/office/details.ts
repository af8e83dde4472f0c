import { countAgainstLimit, countAgainstLimits } from '#server/abuse/limits.ts'
import { inTransaction } from '#server/db/db.ts'
import { confirmAddressEmail } from '#server/emails/emails.ts'
import { availability, claimName, claimValue, takenMessages } from '#server/enrollment/claims.ts'
import { findMember } from '#server/enrollment/members.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { rejectImpossible, toDialable } from '#server/phone/numbers.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { Visitor } from '#server/visitor.ts'
import type { World } from '#server/world.ts'
import {
  activateLink,
  deleteLinks,
  expiredLinkRefusal,
  findLink,
  findNewestLink,
  linkToken,
  redeemLink,
} from './email-links.ts'
import { requireMember } from './session.ts'
import { tryPassword } from './sign-in.ts'

/** The signed-in member, with the password checked again: a session alone is not enough to change details. */
export async function requirePassword(world: World, current_password: string, visitor: Visitor) {
  const { id } = await requireMember(world, visitor)
  const member = await world.db.selectFrom('member').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const isCorrect = await tryPassword(world, current_password, member.password_hash, {
    member_id: id,
    known_by: `session of ${id}`,
  })
  if (!isCorrect) {
    await recordEvent(world, { kind: 'sign_in_failed', member_id: id, address: visitor.address })
    throw refuseFields({ current_password: 'This is not your current password.' })
  }
  return member
}

type PhoneChange = { mobile_phone: string; current_password: string }

export async function changePhone(world: World, change: PhoneChange, visitor: Visitor) {
  const mobile_phone = await toDialable(change.mobile_phone)
  await rejectImpossible(mobile_phone)
  const { id } = await requirePassword(world, change.current_password, visitor)
  await inTransaction(world.db, async (db) => {
    await db.updateTable('member').set({ mobile_phone }).where('id', '=', id).execute()
    await recordEvent({ ...world, db }, { kind: 'phone_changed', member_id: id, address: visitor.address })
  })
  return id
}

type EmailChange = { email: string; current_password: string }

/** Sends a confirmation link to the new address. The address changes only when the link is used. */
export async function changeEmail(world: World, { email, current_password }: EmailChange, visitor: Visitor) {
  const member = await requirePassword(world, current_password, visitor)
  if (claimValue(email) === claimValue(member.email))
    throw refuseFields({ email: 'This is already your email address.' })
  await countAgainstLimit(world, 'LIMIT_LOOKUPS', member.id) // as when joining: this reveals registered addresses
  const result = await availability(world.db, 'email', email, undefined)
  if (result !== 'Available') throw refuseFields({ email: result })
  await countAgainstLimits(world, [
    ['LIMIT_LETTERS', member.id],
    ['LIMIT_LETTERS_BY_NAME', claimValue(email)],
  ])
  await inTransaction(world.db, (db) => requestEmail({ ...world, db }, member.id, email))
  return member.id
}

/** Call it in a transaction. */
export async function requestEmail(world: World, member_id: string, email: string): Promise<void> {
  const { db } = world
  const created_at = world.now()
  await db.selectFrom('member').select('id').where('id', '=', member_id).forUpdate().execute()
  await activateLink(world, { purpose: 'email', member_id, email, created_at })
  await addJob(db, 'confirm_email', { member_id }, created_at)
}

/** The email to a new address, unless the link was used or replaced in the meantime. */
export async function confirmAddressEmailFor(world: World, { member_id }: JobPayloads['confirm_email']) {
  const link = await findNewestLink(world, 'email', member_id)
  if (!link?.email) return undefined
  const { first_name } = await findMember(world, member_id)
  return confirmAddressEmail(world, { email: link.email, first_name, token: linkToken(world, link) })
}

/** Changes the address, frees the old one for others, and informs its owner. */
export async function confirmEmail(
  world: World,
  { token }: { token: string },
  { address }: Visitor,
): Promise<{ email: string }> {
  if (!(await findLink(world, 'email', token))) throw expiredLinkRefusal() // saves the transaction for most expired links
  return inTransaction(world.db, async (db) => {
    const link = await redeemLink({ ...world, db }, 'email', token)
    if (!link?.email) throw expiredLinkRefusal()
    await setEmail({ ...world, db }, link.member_id, link.email)
    await recordEvent({ ...world, db }, { kind: 'email_changed', member_id: link.member_id, address })
    return { email: link.email }
  })
}

/** Call it in a transaction. */
export async function setEmail({ db, now }: World, member_id: string, email: string): Promise<void> {
  const member = await db
    .selectFrom('member')
    .select(['enrollment_id', 'email', 'first_name'])
    .where('id', '=', member_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const { enrollment_id, first_name } = member
  const isClaimed = await claimName(db, { kind: 'email', value: claimValue(email), enrollment_id })
  if (!isClaimed) throw new Refusal(409, takenMessages.email)
  await db
    .deleteFrom('claim')
    .where('kind', '=', 'email')
    .where('value', '=', claimValue(member.email))
    .where('enrollment_id', '=', enrollment_id)
    .execute()
  await db.updateTable('member').set({ email }).where('id', '=', member_id).execute()
  await deleteLinks(db, member_id) // also password links sent to the old address
  await addJob(db, 'email_changed', { email: member.email, first_name, new_email: email }, now())
}
