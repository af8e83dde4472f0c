import { inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob, type WhoChanged } from '#server/jobs/queue.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { maskPhone, rejectImpossible, toDialable } from '#server/phone/numbers.ts'
import { areCodesSent, sendCodeToMember, verifyCode } from '#server/phone/phone.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { recordEvent } from '#server/security/security-log.ts'
import type { World } from '#server/world/world.ts'
import { requirePassword } from './details.ts'
import { requireDisplayedMember } from './session.ts'

type PhoneChange = { mobile_phone: string; current_password: string }

/** Where codes are sent, a new number counts once the code that was sent to it is entered. */
export async function changePhone(world: World, change: PhoneChange, visitor: MemberBrowser): Promise<string> {
  const mobile_phone = await toDialable(change.mobile_phone)
  if (areCodesSent(world)) await rejectImpossible(mobile_phone)
  const { id, enrollment_id, ...member } = await requirePassword(world, change.current_password, visitor)
  if (mobile_phone === member.mobile_phone) throw refuseFields({ mobile_phone: 'This is already your phone number.' })
  if (areCodesSent(world)) await requestCode(world, { id, enrollment_id, mobile_phone }, visitor)
  else await setOwnPhone(world, id, mobile_phone, visitor)
  return id
}

type Pending = { id: string; enrollment_id: string; mobile_phone: string }

async function requestCode(world: World, { id, enrollment_id, mobile_phone }: Pending, visitor: MemberBrowser) {
  const refusal = await sendCodeToMember(world, mobile_phone, visitor, enrollment_id)
  if (refusal) throw refuseFields({ mobile_phone: refusal })
  await world.db
    .updateTable('member')
    .set({ unconfirmed_phone: mobile_phone, unconfirmed_phone_at: world.now() })
    .where('id', '=', id)
    .execute()
}

type Displayed = { username: string }

/** Sends another code to the new number. The password was asked for with the first one. */
export async function sendPhoneCode(world: World, displayed: Displayed, visitor: MemberBrowser): Promise<void> {
  await requestCode(world, await requirePending(world, displayed, visitor), visitor)
}

/** Changes the number if the code is right. */
export async function confirmPhone(world: World, input: Displayed & { code: string }, visitor: MemberBrowser) {
  const { id, enrollment_id, mobile_phone } = await requirePending(world, input, visitor)
  const { status, message } = await verifyCode(world, { mobile_phone, code: input.code }, visitor, enrollment_id)
  if (status !== 1) throw refuseFields({ code: message })
  await setOwnPhone(world, id, mobile_phone, visitor)
  await world.db.deleteFrom('phone_check').where('enrollment_id', '=', enrollment_id).execute() // it serves nothing else
  return id
}

async function requirePending(world: World, displayed: Displayed, visitor: MemberBrowser): Promise<Pending> {
  const { id } = await requireDisplayedMember(world, displayed, visitor)
  const member = await world.db
    .selectFrom('member')
    .select(['enrollment_id', 'unconfirmed_phone', 'unconfirmed_phone_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const mobile_phone = pendingPhone(world, member)
  if (!mobile_phone) throw new Refusal(409, 'This took too long. Please enter your new number again.')
  return { id, enrollment_id: member.enrollment_id, mobile_phone }
}

const setOwnPhone = (world: World, member_id: string, mobile_phone: string, { address }: MemberBrowser) =>
  inTransaction(world.db, async (db) => {
    await setPhone({ ...world, db }, member_id, mobile_phone, 'office')
    await recordEvent({ ...world, db }, { kind: 'phone_changed', member_id, address })
  })

/** Call it in a transaction. The email goes out with the change, or not at all. */
export async function setPhone({ db, now }: World, member_id: string, mobile_phone: string, who: WhoChanged) {
  await db
    .updateTable('member')
    .set({ mobile_phone, unconfirmed_phone: null, unconfirmed_phone_at: null })
    .where('id', '=', member_id)
    .execute()
  await addEvent(db, now(), { type: 'member.changed', member_id, payload: { fields: ['mobile_phone'] } })
  const changed = { who, at: now().toISOString() }
  await addJob(db, 'phone_changed', { member_id, masked_phone: maskPhone(mobile_phone), ...changed }, now())
}

/** How long a new number waits for its code. */
const PENDING_MS = 3_600_000

type PendingColumns = { unconfirmed_phone: string | null; unconfirmed_phone_at: Date | null }

/** The new number that waits for its code. */
export const pendingPhone = ({ now }: Pick<World, 'now'>, member: PendingColumns): string | undefined =>
  member.unconfirmed_phone &&
  member.unconfirmed_phone_at &&
  now().getTime() - member.unconfirmed_phone_at.getTime() < PENDING_MS
    ? member.unconfirmed_phone
    : undefined
