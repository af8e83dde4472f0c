import { countAgainstLimit, countAgainstLimits } from '#server/abuse/limits.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { addJob, type JobPayloads, type WhoChanged } from '#server/jobs/queue.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { rejectGuessablePassword } from '#server/secrets/common-passwords.ts'
import { hashPassword } from '#server/secrets/password-hash.ts'
import { hashNetwork, recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { claimValue } from './claims.ts'
import { requirePassword } from './details.ts'
import {
  activateLinkOnce,
  countLinkTry,
  deleteLinks,
  expiredLinkRefusal,
  findLink,
  linkToken,
  redeemLink,
} from './email-links.ts'
import { browserMark, closeAllSessions, openSession } from './session.ts'
import { findByName } from './sign-in.ts'

type Change = { password: string; current_password: string }

/** Signs out every browser. This one gets a new session. */
export async function changePassword(world: World, { password, current_password }: Change, visitor: MemberBrowser) {
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
    const access = await revokeAccess(db, member.id, 'office', world.now())
    await recordEvent({ ...world, db }, { kind: 'password_changed', member_id: member.id, address: visitor.address })
    return openSession({ ...world, db }, visitor, access)
  })
  if (!session) throw new Refusal(401, 'Please sign in.') // the member was erased
  visitor.setOfficeCookie(browserMark(world, { id: member.id, password_hash }), session)
}

/** Anyone with the old password loses access: sessions are closed, and links that were already emailed no longer work. */
async function revokeAccess(db: Db, member_id: string, who: WhoChanged, now: Date) {
  await deleteLinks(db, member_id, ['password', 'email', 'invitation'])
  const access = await closeAllSessions(db, member_id)
  await addJob(db, 'password_changed', { member_id, who, at: now.toISOString() }, now)
  return access
}

/** Does the same for every name, so that response and timing do not reveal members. A job looks the name up later. */
export async function requestPasswordReset(
  world: World,
  { name }: { name: string },
  visitor: MemberBrowser,
): Promise<void> {
  await countAgainstLimits(world, [
    ['LIMIT_LETTERS', visitor.address],
    ['LIMIT_LETTERS_BY_NAME', claimValue(name)],
  ])
  const now = world.now()
  const network = hashNetwork(world.keys, visitor.address)
  await addJob(world.db, 'forgotten', { name, asked_at: now.toISOString(), network }, now)
}

/** Makes the link of a password reset; undefined for an unknown name, or if the link was used or has expired in the meantime. */
export async function makeResetLink(world: World, { name, asked_at, network }: JobPayloads['forgotten']) {
  const member = await findByName(world, name)
  if (!member) return undefined
  const seed = { purpose: 'password' as const, member_id: member.id, email: null, created_at: new Date(asked_at) }
  const { email, first_name, email_confirmed_at, proof } = await inTransaction(world.db, async (db) => {
    const lockedMember = db
      .selectFrom('member')
      .select(['id', 'email', 'first_name', 'email_confirmed_at'])
      .where('id', '=', member.id)
      .forUpdate()
    const recipient = await lockedMember.executeTakeFirstOrThrow() // the address may have changed since the lookup
    const proof = await proofFor(db, recipient)
    if (proof !== 'support' && (await activateLinkOnce({ ...world, db }, seed)))
      await recordEvent({ ...world, db }, { kind: 'password_reset_requested', member_id: member.id, network })
    return { ...recipient, proof }
  })
  const token = linkToken(world, seed)
  const isValid = proof === 'support' || (await findLink(world, 'password', token))
  return isValid ? { email, first_name, email_confirmed_at, token, proof } : undefined
}

/** The link with which an imported member sets a first password; undefined once there is one. */
export const makeInvitationLink = (world: World, member_id: string) =>
  inTransaction(world.db, async (db) => {
    const member = await db
      .selectFrom('member')
      .innerJoin('imported_member', 'imported_member.member_id', 'member.id')
      .select(['member.id', 'email', 'first_name', 'username', 'email_confirmed_at', 'invited_at'])
      .where('member.id', '=', member_id)
      .where('password_hash', '=', '')
      .where('erased_at', 'is', null)
      .forUpdate('member')
      .executeTakeFirst()
    if (!member?.invited_at) return undefined
    const { email, first_name, username, email_confirmed_at, invited_at } = member
    const seed = { purpose: 'invitation' as const, member_id, email: null, created_at: invited_at }
    await activateLinkOnce({ ...world, db }, seed)
    const token = linkToken(world, seed)
    if (!(await findLink({ ...world, db }, 'invitation', token))) return undefined
    const asksCard = !email_confirmed_at && Boolean(await cardDigits(db, member_id))
    return { email, first_name, email_confirmed_at, username, token, asksCard }
  })

type Confirmable = { id: string; email_confirmed_at: Date | null }

/** Nobody knows whose an unconfirmed address is, so there the link alone is not enough. */
/** What a reset needs besides the link. `support`: there is nothing that we could ask for. */
export type ResetProof = 'link' | 'card' | 'support'

const proofFor = async (db: Db, member: Confirmable): Promise<ResetProof> =>
  member.email_confirmed_at ? 'link' : (await cardDigits(db, member.id)) ? 'card' : 'support'

/** The last four digits of the card on file. */
const cardDigits = async (db: Db, member_id: string) =>
  (await db.selectFrom('membership').select('card_last_four').where('member_id', '=', member_id).executeTakeFirst())
    ?.card_last_four

type Reset = { token: string; password: string; card_last_four?: string | undefined }

export async function resetPassword(world: World, { token, ...reset }: Reset, visitor: MemberBrowser): Promise<void> {
  const { password } = reset
  const invited = await findLink(world, 'invitation', token)
  const member = invited ?? (await findLink(world, 'password', token)) // a rejected password does not use up the link
  if (!member) throw expiredLinkRefusal('Please request a new one.')
  rejectGuessablePassword(world, { ...member, password })
  const isVouchedFor = member.email_confirmed_at || (invited && !(await cardDigits(world.db, member.id))) // by the operator's file
  if (!isVouchedFor) await requireCardDigits(world, member.id, token, reset.card_last_four, visitor)
  const password_hash = await hashPassword(password, world.config, { lane: 'known', key: member.id })
  await inTransaction(world.db, async (db) => {
    const link = await redeemLink({ ...world, db }, invited ? 'invitation' : 'password', token)
    if (!link) throw expiredLinkRefusal('Please request a new one.')
    await db
      .updateTable('member')
      .set({ password_hash, email_bounced_at: null, email_bounce: null })
      .set(({ fn, val }) => ({ email_confirmed_at: fn.coalesce('email_confirmed_at', val(world.now())) })) // the link was in their mailbox
      .where('id', '=', link.member_id)
      .execute()
    await revokeAccess(db, link.member_id, 'link', world.now())
    const event = { member_id: link.member_id, address: visitor.address }
    await recordEvent({ ...world, db }, { kind: 'password_reset', ...event })
    if (!member.email_confirmed_at) await recordEvent({ ...world, db }, { kind: 'email_confirmed', ...event })
  })
  visitor.trustBrowser(browserMark(world, { id: member.id, password_hash })) // strangers' guesses cannot lock the member out
}

const MAX_DIGIT_TRIES = 5

/** Each try counts as wrong until it is right: for the link, which then ends, and for the member over all links. */
async function requireCardDigits(
  world: World,
  member_id: string,
  token: string,
  typed: string | undefined,
  { address }: MemberBrowser,
) {
  if (!typed) throw refuseFields({ card_last_four: 'Please enter the last four digits of your card.' })
  if (!(await countLinkTry(world, token, MAX_DIGIT_TRIES))) throw expiredLinkRefusal('Please request a new one.')
  const { giveBack } = await countAgainstLimit(world, 'LIMIT_CARD_DIGITS', member_id)
  if (typed !== (await cardDigits(world.db, member_id))) {
    await recordEvent(world, { kind: 'card_digits_failed', member_id, address })
    throw refuseFields({ card_last_four: 'These are not the last four digits of your card on file.' })
  }
  await giveBack().catch(() => undefined)
}
