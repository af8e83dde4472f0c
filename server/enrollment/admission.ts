import { randomUUID } from 'node:crypto'
import { type Db, inTransaction, isPermanentWriteError, isRejectedWrite } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { PaymentState } from '#server/db/tables.ts'
import type { Authorization } from '#server/gateways/payment/port.ts'
import { addJob, newJob } from '#server/jobs/queue.ts'
import {
  type Attempt,
  AWAITING_GATEWAY,
  endedWithoutCharge,
  referenceOf,
  releaseAndEmail,
  transitionQuery,
} from '#server/payments/payments.ts'
import { recordSummary } from '#server/sponsors/touches.ts'
import type { World } from '#server/world.ts'
import { memberOfEnrollment } from './members.ts'
import type { AttemptKey } from './visitor.ts'

type Approval = Extract<Authorization, { outcome: 'approved' }>

/**
 * From an approval to a member. Nothing, when the attempt had ended meanwhile, or when the member can never be written:
 * then the hold is let go. Who has the attempt at hand needs one statement for all of it.
 */
export async function admit(world: World, attempt: AttemptKey | Attempt, hold: Approval): Promise<string | undefined> {
  const approved = { ...approvalOf(hold), updated_at: world.now() }
  const admitted = 'details' in attempt && (await admitAtOnce(world, attempt, approved))
  if (admitted) return admitted
  const key = keyOf(attempt)
  await transitionQuery(world.db, key, AWAITING_GATEWAY, { state: 'authorized', ...approved }).execute()
  try {
    return await makeMember(world, key, hold)
  } catch (error) {
    if (!isPermanentWriteError(error)) throw error
    world.log.error({ err: error, reference: referenceOf(key) }, 'a member can never be written; the hold is let go')
    return giveUp(world, key, hold)
  }
}

/** Nothing else of an attempt is handed on: a job would keep what the attempt itself forgets. */
const keyOf = ({ enrollment_id, attempt }: AttemptKey): AttemptKey => ({ enrollment_id, attempt })

/** What the journal keeps of it. */
const approvalOf = ({ transaction_id, vault_reference, checks }: Approval) => ({
  transaction_id,
  vault_reference,
  ...(checks ? { address_check: checks.address, cvc_check: checks.cvc } : {}),
})
type Approved = ReturnType<typeof approvalOf> & { updated_at: Date }

/** Nothing, when something stands in the way: then nothing is written either. */
async function admitAtOnce(world: World, attempt: Attempt, approved: Approved): Promise<string | undefined> {
  try {
    return await writeMember(world.db, attempt, AWAITING_GATEWAY, { ...approved, now: approved.updated_at }, approved)
  } catch (error) {
    if (isRejectedWrite(error)) return undefined
    throw error
  }
}

/** The same with what the journal kept, by whoever finds it there. */
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
    return writeMember(db, { ...key, ...kept, details, password_hash }, ['authorized'], { ...hold, now })
  })
}

/** Only after its commit may anyone hear "Approved". */
async function writeMember(
  db: Db,
  attempt: Attempt,
  from: PaymentState[],
  joining: Joining,
  approved: Partial<Approved> = {},
): Promise<string> {
  const rows = rowsOf(attempt, joining)
  const ended = { ...approved, state: 'enrolled' as const, details: null, password_hash: null, updated_at: joining.now }
  await writeAll(db, { key: keyOf(attempt), from, ended, rows })
  return rows.member.id
}

/**
 * The statement that makes a member: member, sponsor site, order, acceptances, vault reference and what has to follow. It
 * fails as a whole when the attempt is in none of these states, since its member then belongs to no enrollment.
 */
const writeAll = statement((db, { key, from, ended, rows }: Writing) =>
  db
    .with('moved', (write) => transitionQuery(write, key, from, ended).returning('enrollment_id'))
    .with('new_member', (write) =>
      write.insertInto('member').values(({ selectFrom }) => ({
        ...rows.member,
        enrollment_id: selectFrom('moved').select('enrollment_id'),
        ...recordSummary(db, key),
      })),
    )
    .with('new_site', (write) => write.insertInto('sponsor').values(rows.site))
    .with('new_order', (write) => write.insertInto('orders').values(rows.order))
    .with('new_lines', (write) => write.insertInto('order_line').values(rows.lines))
    .with('new_acceptances', (write) => write.insertInto('acceptance').values(rows.acceptances))
    .insertInto('job')
    .values(rows.jobs),
)
type Writing = {
  key: AttemptKey
  from: PaymentState[]
  ended: Parameters<typeof transitionQuery>[3]
  rows: ReturnType<typeof rowsOf>
}

const WELCOME_MINUTES = 30

/** How long the page that paid may still hand out keys to the office. Later, one signs in. */
const welcomeUntil = (joined_at: Date) => new Date(joined_at.getTime() + WELCOME_MINUTES * 60_000)

const giveUp = (world: World, key: AttemptKey, { transaction_id }: Approval) =>
  inTransaction(world.db, async (db) => {
    const released = await releaseAndEmail({ ...world, db }, key, 'abandoned', ['authorized'])
    if (released) await addJob(db, 'void', { ...key, transaction_id }, world.now())
    return undefined
  })

/** A late approval: of an attempt that has become a member, or of one that was given up and must not be charged. */
async function alreadyEnded(db: Db, key: AttemptKey, state: PaymentState, { transaction_id }: Approval, now: Date) {
  const member = await memberOfEnrollment(db, key.enrollment_id)
  if (endedWithoutCharge({ state })) await addJob(db, 'void', { ...key, transaction_id }, now)
  return member?.id
}

type Joining = { vault_reference: string; now: Date }

/** What a new member brings into the tables. */
function rowsOf({ enrollment_id, attempt, ...kept }: Attempt, { vault_reference, now }: Joining) {
  const { member, sponsor_id, shipping, lines, acceptances } = kept.details
  const [id, order_id] = [randomUUID(), randomUUID()]
  const name = member.business_name || `${member.first_name} ${member.last_name}`
  return {
    member: {
      id,
      sponsor_id,
      level: 'Member',
      ...member,
      password_hash: kept.password_hash,
      vault_reference,
      joined_at: now,
      welcome_until: welcomeUntil(now),
    },
    site: { id: randomUUID(), site: member.username, name, active: true, member_id: id, created_at: now },
    order: { id: order_id, member_id: id, attempt, grand_total: kept.amount_cents, ...shipping, created_at: now },
    lines: lines.map((line) => ({ order_id, ...line })),
    acceptances: acceptances.map((accepted) => ({ member_id: id, ...accepted, accepted_at: kept.created_at })), // when they were accepted
    jobs: [
      newJob('capture', { enrollment_id, attempt }, now),
      newJob('welcome', { member_id: id }, now),
      newJob('consent', { member_id: id }, now),
    ],
  }
}
