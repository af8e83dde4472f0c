import { spendAll } from '#server/abuse/limits.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { newPasswordLetter } from '#server/emails/emails.ts'
import { claimValue } from '#server/enrollment/claims.ts'
import { refuseGuessable } from '#server/enrollment/screening.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { addJob, type Jobs } from '#server/jobs/queue.ts'
import { Refusal } from '#server/refusal.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import type { World } from '#server/world.ts'
import { requireOwner } from './details.ts'
import { findKey, forgetKeys, makeGoodOnce, spentWord, useKey, wordOf } from './email-links.ts'
import { closeAllSessions, markOf, openSession } from './session.ts'
import { findByName } from './sign-in.ts'

type Change = { password: string; current_password: string }

/** Every session ends, and this browser begins a new one. */
export async function changePassword(world: World, { password, current_password }: Change, visitor: Visitor) {
  const member = await requireOwner(world, current_password, visitor)
  refuseGuessable({ ...member, password })
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
  visitor.letIn(markOf(world, { id: member.id, password_hash }), session)
}

/** A new password shuts out whoever had the old one: sessions, and letters that are still on their way. */
async function shutOut(db: Db, member_id: string, now: Date) {
  await forgetKeys(db, member_id)
  await closeAllSessions(db, member_id)
  await addJob(db, 'password_changed', { member_id }, now)
}

/** Does the same for every name: whether it is anybody's is found out later, when nobody waits for the answer. */
export async function forgetPassword(world: World, { name }: { name: string }, visitor: Visitor): Promise<void> {
  await spendAll(world, [
    ['LIMIT_LETTERS', visitor.address],
    ['LIMIT_LETTERS_BY_NAME', claimValue(name)],
  ])
  const now = world.now()
  await addJob(world.db, 'forgotten', { name, asked_at: now.toISOString() }, now)
}

/** The letter to who forgot their password; none to a name that is nobody's, or when the word was used or is too old. */
export async function newPasswordLetterTo(world: World, { name, asked_at }: Jobs['forgotten']) {
  const member = await findByName(world, name)
  if (!member) return undefined
  const asked = { purpose: 'password' as const, member_id: member.id, email: null, created_at: new Date(asked_at) }
  const { email, first_name } = await inTransaction(world.db, async (db) => {
    const held = db.selectFrom('member').select(['email', 'first_name']).where('id', '=', member.id).forUpdate()
    const reader = await held.executeTakeFirstOrThrow() // the address may have changed since the name was looked up
    await makeGoodOnce({ ...world, db }, asked)
    return reader
  })
  const word = wordOf(world, asked)
  return (await findKey(world, 'password', word)) ? newPasswordLetter(world, { email, first_name, word }) : undefined
}

type Reset = { token: string; password: string }

export async function resetPassword(world: World, { token, password }: Reset, visitor: Visitor): Promise<void> {
  const member = await findKey(world, 'password', token) // a word is not lost to a password that will not do
  if (!member) throw spentWord('Please ask for a new one.')
  refuseGuessable({ ...member, password })
  const password_hash = await hashPassword(password, world.config)
  await inTransaction(world.db, async (db) => {
    const used = await useKey({ ...world, db }, 'password', token)
    if (!used) throw spentWord('Please ask for a new one.')
    await db.updateTable('member').set({ password_hash }).where('id', '=', used.member_id).execute()
    await shutOut(db, used.member_id, world.now())
  })
  visitor.makeKnown(markOf(world, { id: member.id, password_hash })) // strangers who guess at the door keep nobody out who reads the member's mail
}
