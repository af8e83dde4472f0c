import { operatorNames } from '#server/brand/public-names.ts'
import { isOfficeOurs } from '#server/config/operator.ts'
import { inTransaction } from '#server/db/db.ts'
import { addEvent } from '#server/events/events.ts'
import { availability, claimValue } from '#server/members/claims.ts'
import { requestEmail, setEmail } from '#server/members/details.ts'
import { findNewestLink } from '#server/members/email-links.ts'
import { setName } from '#server/members/name.ts'
import { setPhone } from '#server/members/phone.ts'
import { rejectImpossible, toDialable } from '#server/phone/numbers.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { requireVersion, versionOf } from '../form-version.ts'
import { type Acting, actOnMember } from './member-actions.ts'

const names = ['first_name', 'last_name', 'business_name'] as const
const contact = ['mobile_phone', 'address', 'address2', 'city', 'state', 'post_code'] as const
type Detail = (typeof names)[number] | (typeof contact)[number] | 'email'
type Details = Record<Detail, string>

/** What the form shows. If a new email address is waiting to be confirmed, that one. */
const shownOf = (details: Details, unconfirmed_email: string | undefined | null) => ({
  ...pick(details, [...names, ...contact]),
  email: unconfirmed_email ?? details.email,
})

export const detailsVersion = (...shown: Parameters<typeof shownOf>): string => versionOf(shownOf(...shown))

type NewDetails = Details & { member_id: string; version: string }

/** Corrects what the member typed. The rules are those of the form that they joined with. */
export async function changeDetails(world: World, input: NewDetails, session: Acting) {
  const { member_id } = input
  const mobile_phone = await toDialable(input.mobile_phone)
  if (world.config.PHONE_VERIFICATION && mobile_phone) await rejectImpossible(mobile_phone) // an imported member may have none
  const wanted: Details = { ...input, mobile_phone }
  const ours = await operatorNames(world)
  const { after } = await actOnMember(world, session, { act: 'change_details', member_id }, async (world) => {
    const { db } = world
    const current = await db
      .selectFrom('member')
      .select([...names, ...contact, 'email'])
      .where('id', '=', member_id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const unconfirmed = await findNewestLink(world, 'email', member_id)
    const shown = shownOf(current, unconfirmed?.email)
    requireVersion(shown, input.version)
    const isChanged = (name: Detail) => wanted[name] !== current[name] && wanted[name] !== shown[name]
    const changedNames = names.filter(isChanged)
    const changedContact = contact.filter(isChanged)
    if (!changedNames.length && !changedContact.length && !isChanged('email'))
      throw new Refusal(409, 'This is so already.')
    if (changedNames.length) await setName(world, member_id, pick(wanted, names), ours)
    if (changedContact.length)
      await db.updateTable('member').set(pick(wanted, changedContact)).where('id', '=', member_id).execute()
    const fields = changedContact.filter((name) => name !== 'mobile_phone') // that has an event of its own
    if (fields.length) await addEvent(db, world.now(), { type: 'member.changed', member_id, payload: { fields } })
    if (isChanged('mobile_phone')) await setPhone(world, member_id, wanted.mobile_phone, 'team') // the member is told
    const changed: Detail[] = [...changedNames, ...changedContact]
    const email = isChanged('email') ? await changeEmail(world, member_id, current.email, wanted.email) : {}
    return {
      before: { ...pick(current, changed), ...(isChanged('email') ? { email: current.email } : {}) },
      after: { ...pick(wanted, changed), ...email },
    }
  })
  return after
}

/** For another system, which has no form: fields left out don't change. Returns the names of what has changed. */
export const correctDetails = (
  world: World,
  { member_id, ...changes }: Partial<Details> & { member_id: string },
  session: Acting,
): Promise<string[]> =>
  inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    const current = await db
      .selectFrom('member')
      .select([...names, ...contact, 'email'])
      .where('id', '=', member_id)
      .forUpdate()
      .executeTakeFirst()
    if (!current) throw new Refusal(404, 'There is no such member.')
    const unconfirmed = await findNewestLink(inner, 'email', member_id)
    const version = detailsVersion(current, unconfirmed?.email)
    return Object.keys(await changeDetails(inner, { ...current, ...changes, member_id, version }, session))
  })

const pick = <Name extends Detail>(details: Details, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, details[name]])) as Record<Name, string>

/**
 * As in the office: the new address counts when its owner has confirmed it, and the old one is told then. An operator's own
 * office has no page for that, so there it counts at once.
 */
async function changeEmail(world: World, member_id: string, old: string, email: string) {
  const isOnlyCase = claimValue(email) === claimValue(old)
  if (isOnlyCase) {
    await world.db.updateTable('member').set({ email }).where('id', '=', member_id).execute()
    const payload = { fields: ['email'] }
    await addEvent(world.db, world.now(), { type: 'member.changed', member_id, payload })
    return { email }
  }
  const result = await availability(world.db, 'email', email, undefined)
  if (result !== 'Available') throw refuseFields({ email: result })
  if (isOfficeOurs(world.config)) {
    await requestEmail(world, member_id, email, { by_staff: true })
    return { unconfirmed_email: email }
  }
  await setEmail(world, member_id, email, { email_confirmed_at: null, who: 'team' })
  return { email }
}
