import { sql } from 'kysely'
import { ERASED_ROWS } from '#server/audit/audit.ts'
import { eraseStaged } from '#server/connect/import/import.ts'
import type { Db } from '#server/db/db.ts'
import { maskEmail } from '#server/emails/changes.ts'
import { addEvent } from '#server/events/events.ts'
import { emailKinds } from '#server/jobs/queue.ts'
import { claimValue } from '#server/members/claims.ts'
import { endMembership } from '#server/membership/membership.ts'
import { lockMembership, setEnd, updateMembership } from '#server/membership/rows.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import { eraseAudit } from './erase-audit.ts'
import { actOnMember } from './member-actions.ts'

type Erasure = { member_id: string; username: string; reason: string }

/**
 * Removes a person. What the books and the law need stays under the member's id: payments with their amounts, the card's last
 * four digits, periods, orders, accepted texts, and how they joined. The username stays claimed, so that nobody else gets the
 * link. All in one transaction.
 */
export const erasePerson = (world: World, { member_id, username, reason }: Erasure, session: StaffSession) =>
  actOnMember(world, session, { act: 'erase_person', member_id, reason }, async (world) => {
    const { db } = world
    const person = await lockPerson(db, member_id)
    if (username !== person.username) throw refuseFields({ username: 'This is not the username of this member.' })
    if (holds(reason, person))
      throw refuseFields({ reason: 'Please leave out the name and address: the reason is kept.' })
    await requireSettled(db, person.enrollment_id)
    const addresses = await addressesOf(db, person)
    await eraseStaged(db, { member_id, emails: addresses.map(claimValue) })
    await endNow(world, member_id)
    await eraseMember(world, person)
    await eraseBooks(db, person)
    await eraseSites(db, person)
    await eraseWork(db, person, addresses)
    await eraseMessages(db, person, addresses)
    await addEvent(db, world.now(), { type: 'member.erased', member_id, payload: {} })
    return { after: { [ERASED_ROWS]: await eraseAudit(db, person, addresses) } }
  })

const lockPerson = (db: Db, member_id: string) =>
  db.selectFrom('member').selectAll().where('id', '=', member_id).forUpdate().executeTakeFirstOrThrow()
type Person = Awaited<ReturnType<typeof lockPerson>>

/** What a free text must not hold. Short values, such as a state or an initial, would be found everywhere. */
const valuesOf = (person: Person): string[] =>
  [
    ...[person.email, person.mobile_phone, person.address, person.business_name, person.last_name, person.first_name],
    ...[person.joined_first_name ?? '', person.joined_last_name ?? ''],
  ].filter((value) => value.length > 1)

const holds = (text: string, person: Person) =>
  valuesOf(person).some((value) => text.toLowerCase().includes(value.toLowerCase()))

/** The current email address, those that wait to be confirmed, and earlier ones that staff have corrected. */
async function addressesOf(db: Db, { id, email }: Person): Promise<string[]> {
  const links = await db.selectFrom('email_link').select('email').where('member_id', '=', id).execute()
  const actions = await db
    .selectFrom('audit')
    .select('details')
    .where('subject_kind', '=', 'member')
    .where('subject', '=', id)
    .where('act', '=', 'change_details')
    .execute()
  const corrected = actions.flatMap(({ details }) => {
    const { before, after } = JSON.parse(details ?? '{}')
    return [before?.email, after?.email, after?.unconfirmed_email]
  })
  return [...new Set([email, ...links.map((link) => link.email), ...corrected])].filter(Boolean)
}

const UNSETTLED = ['reserved', 'authorizing', 'authorized', 'enrolled', 'unknown', 'review'] as const

/** Refused while a payment or refund is in progress, or a dispute is open, because the bank asks who paid. */
async function requireSettled(db: Db, enrollment_id: string) {
  const open = await db
    .selectFrom('payment')
    .leftJoin('refund', (join) =>
      join.onRef('payment_reference', '=', 'payment.reference').on('refund.state', '=', 'requested'),
    )
    .leftJoin('difference', (join) =>
      join.onRef('difference.reference', '=', 'payment.reference').on('difference.kind', '=', 'dispute'),
    )
    .select(['payment.state', 'refund.id as refund_id'])
    .where('enrollment_id', '=', enrollment_id)
    .where((row) =>
      row.or([
        row('payment.state', 'in', UNSETTLED),
        row('refund.id', 'is not', null),
        row.and([row('payment.state', '=', 'disputed'), row('difference.resolved_at', 'is', null)]),
      ]),
    )
    .executeTakeFirst()
  if (!open) return
  if (open.state === 'disputed')
    throw new Refusal(409, 'A payment is disputed. You can erase this person once the dispute is resolved.')
  const what = open.refund_id ? 'refund' : 'payment'
  throw new Refusal(409, `A ${what} is in progress. You can erase this person once it’s complete.`)
}

async function endNow(world: World, member_id: string) {
  const { db } = world
  const membership = await lockMembership(db, member_id)
  if (membership.state !== 'ended') await endMembership(world, { ...membership, ends_at: null }, 'canceled')
  else if (!membership.ends_at || membership.ends_at > world.now()) await setEnd(db, member_id, world.now())
  await updateMembership(db, member_id, {
    vault_reference: '',
    card_brand: null,
    card_last_four: null,
    card_expires: null,
    network_transaction_id: null,
    series_cents: null,
    hold_reason: null,
    on_hold_since: null,
    due_at: null,
    notice_at: null,
  })
}

/** Together: what lists, emails and the sponsor's office say from now on. */
export const FORMER = { first_name: 'A former', last_name: 'member' }
const FORMER_MEMBER = `${FORMER.first_name} ${FORMER.last_name}`

const personalTables = [
  ...(['office_session', 'email_link', 'picture', 'member_event'] as const),
  ...(['member_app', 'member_passkey', 'member_recovery', 'pending_sign_in'] as const),
]

async function eraseMember({ db, now }: World, { id, enrollment_id, mobile_phone }: Person) {
  for (const table of personalTables) await db.deleteFrom(table).where('member_id', '=', id).execute()
  await db.updateTable('webhook_delivery').set({ answer: null }).where('member_id', '=', id).execute() // a receiver may have answered with anything
  await db.deleteFrom('phone_check').where('enrollment_id', '=', enrollment_id).execute()
  await db.deleteFrom('sandbox_code').where('mobile_phone', '=', mobile_phone).execute()
  await db.deleteFrom('claim').where('enrollment_id', '=', enrollment_id).where('kind', '=', 'email').execute()
  await db
    .updateTable('member')
    .set({
      ...FORMER,
      business_name: '',
      email: '',
      mobile_phone: '',
      password_hash: '',
      welcome_until: null,
      address: '',
      address2: '',
      city: '',
      country: '',
      state: '',
      post_code: '',
      join_emails: false,
      renewal_emails: false,
      joined_first_name: null,
      joined_last_name: null,
      erased_at: now(),
      email_confirmed_at: null,
      email_bounced_at: null,
      email_bounce: null,
      unconfirmed_phone: null,
      unconfirmed_phone_at: null,
    })
    .where('id', '=', id)
    .execute()
}

/** Amounts, days, references and the last four digits stay: they are the books. */
async function eraseBooks(db: Db, person: Person) {
  const { id, enrollment_id } = person
  await db
    .updateTable('payment')
    .set({ details: null, password_hash: null, vault_reference: null, card_expires: null })
    .where('enrollment_id', '=', enrollment_id)
    .execute()
  await db
    .updateTable('orders')
    .set({
      ship_address: '',
      ship_address2: '',
      ship_city: '',
      ship_country: '',
      ship_state: '',
      ship_zip_code: '',
    })
    .where('member_id', '=', id)
    .execute()
  const refunds = await db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.reference', 'payment_reference')
    .select(['refund.id', 'reason'])
    .where('enrollment_id', '=', enrollment_id)
    .execute()
  for (const { id, reason } of refunds)
    if (holds(reason, person)) await db.updateTable('refund').set({ reason: '(erased)' }).where('id', '=', id).execute()
  const differences = await db
    .selectFrom('difference')
    .innerJoin('payment', 'payment.reference', 'difference.reference')
    .select(['difference.reference', 'kind', 'reason'])
    .where('enrollment_id', '=', enrollment_id)
    .execute()
  for (const { reference, kind, reason } of differences)
    if (holds(reason ?? '', person))
      await db
        .updateTable('difference')
        .set({ reason: '(erased)' })
        .where('reference', '=', reference)
        .where('kind', '=', kind)
        .execute()
}

/** The person's links lead nowhere, and nobody who joined through them keeps the name. */
async function eraseSites(db: Db, person: Person) {
  const ownSites = db.selectFrom('sponsor').select('sponsor.id').where('member_id', '=', person.id)
  for (const joinedThrough of ['sponsor_id', 'joined_sponsor_id'] as const)
    await db
      .updateTable('member')
      .set({ joined_sponsor_name: null })
      .where(joinedThrough, 'in', ownSites)
      .where('joined_sponsor_name', 'is not', null)
      .execute()
  await db
    .updateTable('sponsor')
    .set({ name: FORMER_MEMBER, picture_url: null, active: false })
    .where('member_id', '=', person.id)
    .execute()
  await db.updateTable('sponsor_move').set({ reason: null }).where('member_id', '=', person.id).execute()
  await db.updateTable('placement_move').set({ reason: null }).where('member_id', '=', person.id).execute()
  const moves = await db
    .selectFrom('sponsor_move')
    .select(['id', 'reason'])
    .where((row) => row.or([row('from_id', 'in', ownSites), row('to_id', 'in', ownSites)]))
    .where('reason', 'is not', null)
    .execute()
  const placements = await db
    .selectFrom('placement_move')
    .select(['id', 'reason'])
    .where('parent_id', '=', person.id)
    .where('reason', 'is not', null)
    .execute()
  const named = (rows: { id: string; reason: string | null }[]) =>
    rows.flatMap(({ id, reason }) => (holds(reason ?? '', person) ? [id] : []))
  for (const id of named(moves))
    await db.updateTable('sponsor_move').set({ reason: null }).where('id', '=', id).execute()
  for (const id of named(placements))
    await db.updateTable('placement_move').set({ reason: null }).where('id', '=', id).execute()
}

/** Emails that wait, and what a mail server said about the address. */
async function eraseWork(db: Db, { id, enrollment_id, username }: Person, addresses: string[]) {
  const anyAddress = sql.join(addresses)
  await db
    .deleteFrom('job')
    .where('done_at', 'is', null)
    .where('kind', 'in', emailKinds)
    .where(
      sql<boolean>`(payload ->> 'member_id' = ${id} or payload ->> 'enrollment_id' = ${enrollment_id}
        or payload ->> 'email' in (${anyAddress}) or payload ->> 'new_email' in (${anyAddress})
        or payload ->> 'name' in (${username}, ${anyAddress}))`,
    )
    .execute()
  for (const address of addresses)
    await db
      .updateTable('job')
      .set({ last_error: 'erased' })
      .where('last_error', 'is not', null)
      .where(sql<boolean>`position(${address.toLowerCase()} in lower(last_error)) > 0`)
      .execute()
}

/** Only the embedded mail of a trial keeps messages. Those to others keep their text, without the name. */
async function eraseMessages(db: Db, person: Person, addresses: string[]) {
  const { mobile_phone, first_name, last_name, business_name } = person
  await db
    .deleteFrom('message')
    .where('recipient', 'in', [...addresses, mobile_phone])
    .execute()
  // These went to the member's earlier addresses, which we no longer know. Each email shows the next one, masked. On the test
  // pages, it's better to delete one message too many.
  for (let known = addresses; known.length; ) {
    const changed = await db
      .deleteFrom('message')
      .where('subject', '=', 'Your email address was changed')
      .where((row) => row.or(known.map((email) => sql<boolean>`position(${maskEmail(email)} in body) > 0`)))
      .returning('recipient')
      .execute()
    known = changed.map(({ recipient }) => recipient)
  }
  const joined = `${person.joined_first_name ?? first_name} ${person.joined_last_name ?? last_name}`
  for (const name of new Set([business_name, `${first_name} ${last_name}`, joined]))
    if (name) await replaceName(db, name, sql`true`)
  await replaceName(db, first_name, sql`position(${`${first_name} joined through your link`} in body) > 0`)
}

async function replaceName(db: Db, name: string, condition: ReturnType<typeof sql>) {
  const inHtml = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  await sql`
    update message set subject = replace(subject, ${name}, ${FORMER_MEMBER}), body = replace(body, ${name}, ${FORMER_MEMBER}),
      html = replace(replace(html, ${inHtml}, ${FORMER_MEMBER}), ${name}, ${FORMER_MEMBER})
    where ${condition} and (position(${name} in subject) > 0 or position(${name} in body) > 0)`.execute(db)
}
