import { randomUUID } from 'node:crypto'
import { subscriptionConsent } from '#contract/legal.ts'
import { type Db, inTransaction, isHopeless } from './db/open.ts'
import type { Details, PaymentState } from './db/tables.ts'
import type { Authorization } from './gateways/payment/port.ts'
import { isFree, moveTo, referenceOf, releaseByLetter } from './payment.ts'
import { addJob } from './queue.ts'
import { touchesOf } from './touches.ts'
import type { AttemptKey } from './visitor.ts'
import type { World } from './world.ts'

type Approval = Extract<Authorization, { outcome: 'approved' }>

/**
 * From an approval to a member. Nothing, when the attempt had ended meanwhile, or when the member can never be written:
 * then the hold is let go.
 */
export async function admit(world: World, key: AttemptKey, hold: Approval): Promise<string | undefined> {
  const { transaction_id, vault_reference, checks } = hold
  await moveTo(world, key, ['authorizing', 'unknown', 'review'], {
    state: 'authorized',
    transaction_id,
    vault_reference,
    ...(checks ? { address_check: checks.address, cvc_check: checks.cvc } : {}),
  })
  try {
    return await makeMember(world, key, hold)
  } catch (error) {
    if (!isHopeless(error)) throw error
    world.log.error({ err: error, reference: referenceOf(key) }, 'a member can never be written; the hold is let go')
    return giveUp(world, key, hold)
  }
}

/**
 * The transaction that makes a member: member, sponsor site, order, acceptances, vault reference and what has to follow.
 * Only after its commit may anyone hear "Approved".
 */
function makeMember(world: World, key: AttemptKey, hold: Approval): Promise<string | undefined> {
  return inTransaction(world.db, async (db) => {
    const now = world.now()
    const kept = await db
      .selectFrom('payment')
      .select(['state', 'details', 'password_hash', 'amount_cents', 'created_at'])
      .where('enrollment_id', '=', key.enrollment_id)
      .where('attempt', '=', key.attempt)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (kept.state !== 'authorized' || !kept.details || !kept.password_hash)
      return alreadyEnded(db, key, kept.state, hold, now)

    const member_id = await writeMember(db, key, kept.details, kept.password_hash, hold.vault_reference, now)
    await writeOrder(db, key, member_id, kept.details, kept.amount_cents, now)
    await writeAcceptances(db, member_id, kept.details.acceptances, kept.created_at) // when they were accepted
    await moveTo({ ...world, db }, key, ['authorized'], { state: 'enrolled', details: null, password_hash: null })
    await addJob(db, 'capture', { ...key }, now)
    await addJob(db, 'welcome', { member_id }, now)
    await addJob(db, 'consent', { member_id }, now)
    return member_id
  })
}

const WELCOME_MINUTES = 30

/** How long the page that paid may still hand out keys to the office. Later, one signs in. */
export const welcomeUntil = (joined_at: Date) => new Date(joined_at.getTime() + WELCOME_MINUTES * 60_000)

const giveUp = (world: World, key: AttemptKey, { transaction_id }: Approval) =>
  inTransaction(world.db, async (db) => {
    const released = await releaseByLetter({ ...world, db }, key, 'abandoned', ['authorized'])
    if (released) await addJob(db, 'void', { ...key, transaction_id }, world.now())
    return undefined
  })

/** A late approval: of an attempt that has become a member, or of one that was given up and must not be charged. */
async function alreadyEnded(db: Db, key: AttemptKey, state: PaymentState, { transaction_id }: Approval, now: Date) {
  const member = await db
    .selectFrom('member')
    .select('id')
    .where('enrollment_id', '=', key.enrollment_id)
    .executeTakeFirst()
  if (isFree({ state })) await addJob(db, 'void', { ...key, transaction_id }, now)
  return member?.id
}

async function writeMember(
  db: Db,
  { enrollment_id }: AttemptKey,
  details: Details,
  password_hash: string,
  vault_reference: string,
  now: Date,
) {
  const id = randomUUID()
  const { member, sponsor_id } = details
  const touches = await touchesOf(db, enrollment_id)
  await db
    .insertInto('member')
    .values({
      id,
      enrollment_id,
      sponsor_id,
      level: 'Member',
      ...member,
      password_hash,
      vault_reference,
      joined_at: now,
      welcome_until: welcomeUntil(now),
      touches: touches.length,
      touch_seal: touches.at(-1)?.hash ?? null,
    })
    .execute()
  const name = member.business_name || `${member.first_name} ${member.last_name}`
  await db
    .insertInto('sponsor')
    .values({ id: randomUUID(), site: member.username, name, active: true, member_id: id, created_at: now })
    .execute()
  return id
}

async function writeOrder(
  db: Db,
  { attempt }: AttemptKey,
  member_id: string,
  details: Details,
  grand_total: number,
  created_at: Date,
) {
  const id = randomUUID()
  await db
    .insertInto('orders')
    .values({ id, member_id, attempt, grand_total, ...details.shipping, created_at })
    .execute()
  await db
    .insertInto('order_line')
    .values(details.lines.map((line) => ({ order_id: id, ...line })))
    .execute()
}

async function writeAcceptances(db: Db, member_id: string, acceptances: Details['acceptances'], accepted_at: Date) {
  const consent = acceptances.find(({ agreement }) => agreement === 'agreement_2')
  if (consent)
    await db
      .insertInto('legal_text')
      .values({ sha256: consent.sha256, content: subscriptionConsent.text })
      .onConflict((clash) => clash.doNothing())
      .execute()
  await db
    .insertInto('acceptance')
    .values(acceptances.map((accepted) => ({ member_id, ...accepted, accepted_at })))
    .execute()
}
