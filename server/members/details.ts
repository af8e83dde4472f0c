import { takenMessages } from '#contract/fields.ts'
import { countAgainstLimit, countAgainstLimits } from '#server/abuse/limits.ts'
import { inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob, type WhoChanged } from '#server/jobs/queue.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { availability, claimName, claimValue } from './claims.ts'
import { activateLink, deleteLinks, expiredLinkRefusal, findLink, redeemLink } from './email-links.ts'
import { requireDisplayedMember, requireMember } from './session.ts'
import { tryPassword } from './sign-in.ts'

/** The signed-in member, with the password checked again: a session alone is not enough to change details. */
export async function requirePassword(world: World, current_password: string, visitor: MemberBrowser) {
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

type EmailChange = { email: string; current_password: string }

/**
 * Sends a confirmation link to the new address. A confirmed address stays until that link is used. An address that nobody
 * has confirmed may be a stranger's, so it is replaced at once and can do nothing from then on.
 */
export async function changeEmail(world: World, { email, current_password }: EmailChange, visitor: MemberBrowser) {
  const member = await requirePassword(world, current_password, visitor)
  if (claimValue(email) === claimValue(member.email))
    throw refuseFields({ email: 'This is already your email address.' })
  await countAgainstLimit(world, 'LIMIT_LOOKUPS', member.id) // as when joining: this reveals registered addresses
  const result = await availability(world.db, 'email', email, undefined)
  if (result !== 'Available') throw refuseFields({ email: result })
  await countLetter(world, email, member.id)
  await inTransaction(world.db, (db) => {
    const inner = { ...world, db }
    return member.email_confirmed_at
      ? requestEmail(inner, member.id, email)
      : correctEmail(inner, member.id, email, visitor)
  })
  return member.id
}

const countLetter = (world: World, email: string, member_id: string) =>
  countAgainstLimits(world, [
    ['LIMIT_LETTERS', member_id],
    ['LIMIT_LETTERS_BY_NAME', claimValue(email)],
  ])

/** Call it in a transaction. */
export async function requestEmail(
  world: World,
  member_id: string,
  email: string,
  { by_staff = false } = {},
): Promise<void> {
  const { db } = world
  const created_at = world.now()
  await db.selectFrom('member').select('id').where('id', '=', member_id).forUpdate().execute()
  await activateLink(world, { purpose: 'email', member_id, email, created_at }, { by_staff })
  await addJob(db, 'confirm_email', { member_id }, created_at)
}

async function correctEmail(world: World, member_id: string, email: string, { address }: MemberBrowser): Promise<void> {
  await setEmail(world, member_id, email, { email_confirmed_at: null, who: 'office' })
  await addJob(world.db, 'confirm_address', { member_id }, world.now())
  await recordEvent(world, { kind: 'email_changed', member_id, address })
}

/** Sends the link that confirms the current address again. */
export async function sendEmailLink(
  world: World,
  displayed: { username: string },
  visitor: MemberBrowser,
): Promise<void> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  const { email, email_confirmed_at } = await world.db
    .selectFrom('member')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (email_confirmed_at) throw new Refusal(409, 'Your email address is already confirmed. Please reload the page.')
  await countLetter(world, email, id)
  await addJob(world.db, 'confirm_address', { member_id: id }, world.now())
}

/** Confirms the current address, or changes to the new one: whichever the link was sent to. */
export const confirmEmail = async (
  world: World,
  { token }: { token: string },
  visitor: MemberBrowser,
): Promise<{ email: string }> =>
  (await confirmCurrentEmail(world, token, visitor)) ?? confirmNewEmail(world, token, visitor)

/** A second press confirms again, which changes nothing. The link of an address that was changed since confirms nothing. */
async function confirmCurrentEmail(world: World, token: string, { address }: MemberBrowser) {
  const { now } = world
  const member = await findLink(world, 'address', token)
  if (!member) return undefined
  return inTransaction(world.db, async (db) => {
    const confirmed = await db
      .updateTable('member')
      .from('email_link')
      .set(({ fn, val }) => ({
        email_confirmed_at: fn.coalesce('email_confirmed_at', val(now())),
        email_bounced_at: null,
        email_bounce: null,
      }))
      .whereRef('member.id', '=', 'email_link.member_id')
      .whereRef('member.email', '=', 'email_link.email')
      .where('key_hash', '=', sha256(token))
      .where('purpose', '=', 'address')
      .where('expires_at', '>', now())
      .returning('member.email')
      .executeTakeFirst()
    if (confirmed && !member.email_confirmed_at)
      await recordEvent({ ...world, db }, { kind: 'email_confirmed', member_id: member.id, address })
    return confirmed
  })
}

/** Changes the address, frees the old one for others, and informs its owner. */
async function confirmNewEmail(world: World, token: string, { address }: MemberBrowser): Promise<{ email: string }> {
  if (!(await findLink(world, 'email', token))) throw expiredLinkRefusal() // saves the transaction for most expired links
  return inTransaction(world.db, async (db) => {
    const link = await redeemLink({ ...world, db }, 'email', token)
    if (!link?.email) throw expiredLinkRefusal()
    const who = link.by_staff ? 'team' : 'office'
    await setEmail({ ...world, db }, link.member_id, link.email, { email_confirmed_at: world.now(), who })
    await recordEvent({ ...world, db }, { kind: 'email_changed', member_id: link.member_id, address })
    return { email: link.email }
  })
}

/** Call it in a transaction. */
export async function setEmail(
  { db, now }: World,
  member_id: string,
  email: string,
  { email_confirmed_at, who }: { email_confirmed_at: Date | null; who: WhoChanged },
): Promise<void> {
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
  await db
    .updateTable('member')
    .set({ email, email_confirmed_at, email_bounced_at: null, email_bounce: null })
    .where('id', '=', member_id)
    .execute()
  await deleteLinks(db, member_id, ['password', 'email', 'address', 'invitation']) // including those sent to the old address
  await addEvent(db, now(), { type: 'member.changed', member_id, payload: { fields: ['email'] } })
  const changed = { who, at: now().toISOString() }
  await addJob(db, 'email_changed', { email: member.email, first_name, new_email: email, ...changed }, now())
}
