import { randomUUID } from 'node:crypto'
import { toAmount } from '#contract/money.ts'
import { type OperatorNames, operatorNames, publicName } from '#server/brand/public-names.ts'
import { type Db, inTransaction, isPermanentWriteError, isRejectedWrite } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { newEvent } from '#server/events/events.ts'
import { type AttemptKey, referenceOf } from '#server/gateways/payment/attempt-key.ts'
import type { Approval } from '#server/gateways/payment/port.ts'
import { addJob, newJob } from '#server/jobs/queue.ts'
import { memberOfEnrollment } from '#server/members/members.ts'
import { cardColumns, newMembership } from '#server/membership/new-membership.ts'
import { type Attempt, AWAITING_GATEWAY, endedWithoutCharge, transitionQuery } from '#server/payments/payments.ts'
import { recordSummary } from '#server/sponsors/touches.ts'
import type { World } from '#server/world/world.ts'
import { releaseAndEmail } from './release.ts'

/**
 * Makes a member of an approved attempt and returns the member's id. Returns nothing if the attempt has ended in the
 * meantime, or if the member can never be written; the hold is then voided.
 */
export async function admit(
  world: World,
  attempt: AttemptKey | Attempt,
  approval: Approval,
): Promise<string | undefined> {
  const columns = { ...approvalColumns(approval), updated_at: world.now() }
  const admission = { ...world, ours: await operatorNames(world) }
  const member_id = 'details' in attempt && (await admitInOneStatement(admission, attempt, approval, columns))
  if (member_id) return member_id
  const key = keyOf(attempt)
  await transitionQuery(world.db, key, AWAITING_GATEWAY, { state: 'authorized', ...columns }).execute()
  try {
    return await admitInTransaction(admission, key, approval)
  } catch (error) {
    if (!isPermanentWriteError(error)) throw error
    world.log.error({ err: error, reference: referenceOf(key) }, 'the member cannot be written; voiding the hold')
    return voidAndRelease(world, key, approval)
  }
}

const approvalColumns = ({ transaction_id, checks, ...card }: Approval) => ({
  transaction_id,
  vault_reference: card.vault_reference,
  ...cardColumns(card),
  ...(checks ? { address_check: checks.address, cvc_check: checks.cvc } : {}),
})
type ApprovalColumns = ReturnType<typeof approvalColumns> & { updated_at: Date }

/** The operator's names: a member's page must not carry them. */
type Admission = World & { ours: OperatorNames }

/** Only the key: a job with the whole attempt would keep details that the attempt itself deletes. */
const keyOf = ({ enrollment_id, attempt }: AttemptKey): AttemptKey => ({ enrollment_id, attempt })

/** The usual case. If the database rejects the statement, nothing is written, and the transaction finds out why. */
async function admitInOneStatement(
  world: Admission,
  attempt: Attempt,
  approval: Approval,
  columns: ApprovalColumns,
): Promise<string | undefined> {
  try {
    return await writeMember(world, attempt, AWAITING_GATEWAY, approval, columns)
  } catch (error) {
    if (isRejectedWrite(error)) return undefined
    throw error
  }
}

/** The same with the details stored in the journal: for the janitor, and if the single statement was rejected. */
function admitInTransaction(world: Admission, key: AttemptKey, approval: Approval): Promise<string | undefined> {
  return inTransaction(world.db, async (db) => {
    const now = world.now()
    const payment = await db
      .selectFrom('payment')
      .select(['state', 'details', 'password_hash', 'amount_cents', 'created_at'])
      .where('enrollment_id', '=', key.enrollment_id)
      .where('attempt', '=', key.attempt)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const { state, details, password_hash } = payment
    if (state !== 'authorized' || !details || !password_hash) return handleLateApproval(db, key, state, approval, now)
    return writeMember({ ...world, db }, { ...key, ...payment, details, password_hash }, ['authorized'], approval)
  })
}

/** The visitor may only be told "Approved" after this has been committed. */
async function writeMember(
  world: Admission,
  attempt: Attempt,
  from: PaymentState[],
  approval: Approval,
  columns: Partial<ApprovalColumns> = {},
): Promise<string> {
  const now = world.now()
  const rows = newRows(world, attempt, approval, now)
  const change = {
    ...columns,
    state: 'enrolled' as const,
    details: null,
    password_hash: null,
    updated_at: now,
  }
  await insertMember(world.db, { key: keyOf(attempt), from, change, rows })
  return rows.member.id
}

/**
 * Writes member, membership, sponsor site, order, acceptances, event and jobs, and moves the attempt to `enrolled`. If the attempt is in none
 * of the `from` states, `moved` is empty, and the whole statement fails because the member has no enrollment.
 */
const insertMember = statement((db, { key, from, change, rows }: NewMember) =>
  db
    .with('moved', (cte) => transitionQuery(cte, key, from, change).returning('enrollment_id'))
    .with('new_member', (cte) =>
      cte.insertInto('member').values(({ selectFrom }) => ({
        ...rows.member,
        enrollment_id: selectFrom('moved').select('enrollment_id'),
        ...recordSummary(db, key.enrollment_id),
      })),
    )
    .with('new_membership', (cte) => cte.insertInto('membership').values(rows.membership))
    .with('new_period', (cte) => cte.insertInto('period').values(rows.period))
    .with('new_site', (cte) => cte.insertInto('sponsor').values(rows.site))
    .with('new_order', (cte) => cte.insertInto('orders').values(rows.order))
    .with('new_lines', (cte) => cte.insertInto('order_line').values(rows.lines))
    .with('new_acceptances', (cte) => cte.insertInto('acceptance').values(rows.acceptances))
    .with('joined', (cte) => cte.insertInto('new_event').values(rows.event))
    .insertInto('job')
    .values(rows.jobs),
)
type NewMember = {
  key: AttemptKey
  from: PaymentState[]
  change: Parameters<typeof transitionQuery>[3]
  rows: ReturnType<typeof newRows>
}

function newRows(world: Admission, { enrollment_id, attempt, ...payment }: Attempt, approval: Approval, now: Date) {
  const { member, sponsor_id, shipping, lines, acceptances } = payment.details
  const [id, order_id] = [randomUUID(), randomUUID()]
  return {
    member: {
      id,
      sponsor_id,
      level: 'Member',
      ...member,
      password_hash: payment.password_hash,
      joined_at: now,
      welcome_until: new Date(now.getTime() + WELCOME_MINUTES * 60_000),
    },
    ...newMembership(world, { member_id: id, amount_cents: payment.amount_cents, lines, approval }),
    site: {
      id: randomUUID(),
      site: member.username,
      name: publicName(member, world.ours),
      active: true,
      member_id: id,
      created_at: now,
    },
    order: { id: order_id, member_id: id, attempt, grand_total: payment.amount_cents, ...shipping, created_at: now },
    lines: lines.map((line) => ({ order_id, ...line })),
    acceptances: acceptances.map((row) => ({ member_id: id, ...row, accepted_at: payment.created_at })), // when the visitor accepted, not when the bank approved
    event: newEvent({ type: 'member.joined', member_id: id, payload: joinedPayload(payment, payment.details) }, now),
    jobs: [
      newJob('capture', { enrollment_id, attempt }, now),
      newJob('welcome', { member_id: id }, now),
      newJob('consent', { member_id: id }, now),
      newJob('referral', { member_id: id }, now),
    ],
  }
}

const joinedPayload = ({ amount_cents }: Pick<Attempt, 'amount_cents'>, { sponsor_id, lines }: Attempt['details']) => ({
  sponsor_id,
  product_ids: lines.map(({ product_id }) => product_id),
  amount: toAmount(amount_cents),
})

/** How long the page that paid can still get a token for the office. After that the member signs in. */
const WELCOME_MINUTES = 30

/** The attempt is no longer open: it has led to a member already, or it has ended and must not be charged. */
async function handleLateApproval(
  db: Db,
  key: AttemptKey,
  state: PaymentState,
  { transaction_id }: Approval,
  now: Date,
): Promise<string | undefined> {
  const member = await memberOfEnrollment(db, key.enrollment_id)
  if (endedWithoutCharge({ state })) await addJob(db, 'void', { ...key, transaction_id }, now)
  return member?.id
}

const voidAndRelease = (world: World, key: AttemptKey, { transaction_id }: Approval): Promise<undefined> =>
  inTransaction(world.db, async (db) => {
    const isReleased = await releaseAndEmail({ ...world, db }, key, 'abandoned', ['authorized'])
    if (isReleased) await addJob(db, 'void', { ...key, transaction_id }, world.now())
    return undefined
  })
