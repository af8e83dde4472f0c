import { randomUUID } from 'node:crypto'
import { type Db, inTransaction, isHopeless } from './db/open.ts'
import type { Details, PaymentState, Tables } from './db/tables.ts'
import type { Authorization } from './gateways/payment/port.ts'
import { isFree, moveTo, moving, referenceOf, releaseByLetter } from './payment.ts'
import { addJob, jobOf } from './queue.ts'
import { recordOf } from './touches.ts'
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
 * The transaction that makes a member: member, sponsor site, order, acceptances, vault reference and what has to follow,
 * all in one statement. Only after its commit may anyone hear "Approved".
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

    const { details, password_hash } = kept
    const rows = rowsOf(key, { ...kept, details, password_hash, vault_reference: hold.vault_reference, now })
    const ended = { state: 'enrolled' as const, details: null, password_hash: null, updated_at: now }
    await db
      .with('moved', (write) => moving(write, key, ['authorized'], ended))
      .with('new_member', (write) => write.insertInto('member').values({ ...rows.member, ...recordOf(db, key) }))
      .with('new_site', (write) => write.insertInto('sponsor').values(rows.site))
      .with('new_order', (write) => write.insertInto('orders').values(rows.order))
      .with('new_lines', (write) => write.insertInto('order_line').values(rows.lines))
      .with('new_acceptances', (write) => write.insertInto('acceptance').values(rows.acceptances))
      .insertInto('job')
      .values(rows.jobs)
      .execute()
    return rows.member.id
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

type Kept = Pick<Tables['payment'], 'amount_cents' | 'created_at' | 'vault_reference'> & {
  details: Details
  password_hash: string
  now: Date
}

/** What a new member brings into the tables. */
function rowsOf({ enrollment_id, attempt }: AttemptKey, kept: Kept) {
  const { password_hash, vault_reference, now } = kept
  const { member, sponsor_id, shipping, lines, acceptances } = kept.details
  const [id, order_id] = [randomUUID(), randomUUID()]
  const name = member.business_name || `${member.first_name} ${member.last_name}`
  return {
    member: {
      id,
      enrollment_id,
      sponsor_id,
      level: 'Member',
      ...member,
      password_hash,
      vault_reference,
      joined_at: now,
      welcome_until: welcomeUntil(now),
    },
    site: { id: randomUUID(), site: member.username, name, active: true, member_id: id, created_at: now },
    order: { id: order_id, member_id: id, attempt, grand_total: kept.amount_cents, ...shipping, created_at: now },
    lines: lines.map((line) => ({ order_id, ...line })),
    acceptances: acceptances.map((accepted) => ({ member_id: id, ...accepted, accepted_at: kept.created_at })), // when they were accepted
    jobs: [
      jobOf('capture', { enrollment_id, attempt }, now),
      jobOf('welcome', { member_id: id }, now),
      jobOf('consent', { member_id: id }, now),
    ],
  }
}
