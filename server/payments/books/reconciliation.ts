import type { PaymentState } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { OperatorError } from '#server/operator-error.ts'
import { endedWithoutCharge } from '#server/payments/payments.ts'
import type { World } from '#server/world/world.ts'
import { compareBooks, isPolledByJanitor } from './comparison.ts'
import { type Discrepancy, knownUnpaidMembers, newDiscrepancy, recordDiscrepancies } from './discrepancies.ts'
import { recordDisputes } from './disputes.ts'

type Context = Pick<World, 'config' | 'db' | 'log' | 'now' | 'payment'>

/**
 * Compares the gateway's books since a date with our journal, in both directions. Each discrepancy is a row, which is
 * cleared by the first comparison that no longer finds it. Holds for attempts that have ended are voided, and a dispute puts
 * the membership on hold. Returns the discrepancies that nobody has resolved.
 */
export async function reconcile(context: Context, since: Date) {
  const startedAt = context.now()
  const recent = await attemptsSince(context, since) // read first, so that the gateway's answer is at least as new
  const books = await fetchBooks(context, since)
  const recentReferences = new Set(recent.map(({ reference }) => reference))
  const older = await attemptsByReference(
    context,
    books.map(({ reference }) => reference).filter((reference) => !recentReferences.has(reference)),
  )
  const attempts = await recordDisputes(context, [...recent, ...older], books)
  const knownUnpaid = await knownUnpaidMembers(context)
  const settledBefore = new Date(startedAt.getTime() - context.config.PAYMENT_IN_FLIGHT_SECONDS * 1000)
  const candidates = compareBooks(attempts, books, settledBefore)
  const changed = await changedSince(context, startedAt, attempts, candidates)
  const isUnchanged = ({ reference }: { reference: string }) => !changed.has(reference)
  const found = [
    ...candidates.filter((candidate) => !MOVING_KINDS.includes(candidate.kind) || isUnchanged(candidate)),
    ...(await unpaidMembers(context, since, knownUnpaid)),
  ]
  const compared = [...attempts, ...books, ...knownUnpaid].filter(isUnchanged)
  const discrepancies = await recordDiscrepancies(context, found, compared)
  const beingVoided = await transactionsBeingVoided(context)
  for (const hold of orphanedHolds(attempts.filter(isUnchanged), books))
    if (!beingVoided.has(hold.transaction_id)) await addJob(context.db, 'void', hold, context.now())
  return { discrepancies, attempts: attempts.length, transactions: books.length }
}

const attemptsSince = (context: Context, since: Date) =>
  selectAttempts(context).where('payment.created_at', '>=', since).execute()

const selectAttempts = ({ db, payment }: Context) =>
  db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['payment.enrollment_id', 'attempt', 'period', 'reference', 'payment.state', 'amount_cents'])
    .select(['refunded_cents', 'transaction_id', 'payment.created_at', 'updated_at', 'member.id as member_id'])
    .select((select) =>
      select.fn
        .coalesce(
          select
            .selectFrom('refund')
            .select(({ fn, cast }) => cast<number>(fn.sum('refund.amount_cents'), 'integer').as('sum'))
            .whereRef('payment_reference', '=', 'payment.reference')
            .where('refund.state', '=', 'requested'),
          select.lit(0),
        )
        .$castTo<number>()
        .as('requested_cents'),
    )
    .where('gateway', '=', payment.name)

type JournalRow = Awaited<ReturnType<typeof attemptsSince>>[number]

/** A list of transactions may be long. */
const BOOKS_DEADLINE_MS = 120_000
/** If the gateway's clock is behind ours, an attempt at the start of the period looks older in its books. */
const CLOCK_TOLERANCE_MS = 3_600_000

function fetchBooks({ payment }: Context, since: Date) {
  const start = new Date(since.getTime() - CLOCK_TOLERANCE_MS)
  return payment.transactions(start, AbortSignal.timeout(BOOKS_DEADLINE_MS)).catch((cause: Error) => {
    throw new OperatorError(`The payment gateway '${payment.name}' did not return its books: ${cause.message}`, {
      cause,
    })
  })
}

const BATCH_SIZE = 1000
async function attemptsByReference(context: Context, references: string[]) {
  const attempts: JournalRow[] = []
  for (let start = 0; start < references.length; start += BATCH_SIZE)
    attempts.push(
      ...(await selectAttempts(context)
        .where('reference', 'in', references.slice(start, start + BATCH_SIZE))
        .execute()),
    )
  return attempts
}

/** Discrepancies in what may change while we compare. */
const MOVING_KINDS = ['state', 'refund']

/** Attempts that changed during the comparison: our state and the gateway's were read at different times. The next run decides. */
async function changedSince(
  context: Context,
  startedAt: Date,
  attempts: JournalRow[],
  candidates: Discrepancy[],
): Promise<Set<string>> {
  const references = candidates.filter(({ kind }) => MOVING_KINDS.includes(kind)).map(({ reference }) => reference)
  const current = await attemptsByReference(context, references)
  const before = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const changed = current.filter(
    (attempt) =>
      (attempt.updated_at > startedAt && !isPolledByJanitor(attempt)) ||
      attempt.refunded_cents !== before.get(attempt.reference)?.refunded_cents ||
      attempt.requested_cents !== before.get(attempt.reference)?.requested_cents,
  )
  return new Set(changed.map(({ reference }) => reference))
}

const PAID: PaymentState[] = ['enrolled', 'captured', 'capture_failed', 'refunded', 'disputed']

/** Members without any successful payment: those who joined in this period, and those recorded earlier. */
async function unpaidMembers(
  { db }: Context,
  since: Date,
  knownUnpaid: { reference: string }[],
): Promise<Discrepancy[]> {
  const references = knownUnpaid.map(({ reference }) => reference)
  const members = await db
    .selectFrom('member')
    .select(['enrollment_id'])
    .where((where) =>
      where.or([
        where('joined_at', '>=', since),
        ...(references.length ? [where('enrollment_id', 'in', references)] : []),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('payment')
            .select('reference')
            .whereRef('payment.enrollment_id', '=', 'member.enrollment_id')
            .where('state', 'in', PAID),
        ),
      ),
    )
    .execute()
  return members.map(({ enrollment_id }) =>
    newDiscrepancy('member unpaid', { reference: enrollment_id }, 'a member', 'nothing'),
  )
}

async function transactionsBeingVoided({ db }: Context): Promise<Set<unknown>> {
  const jobs = await db
    .selectFrom('job')
    .select('payload')
    .where('kind', '=', 'void')
    .where('done_at', 'is', null)
    .execute()
  return new Set(jobs.map(({ payload }) => payload.transaction_id))
}

/** Money that is held for an attempt which has ended here: our request was in flight for too long. */
function orphanedHolds(attempts: JournalRow[], books: Transaction[]) {
  const ended = new Map(attempts.filter(endedWithoutCharge).map((attempt) => [attempt.reference, attempt]))
  return books.flatMap(({ state, reference, transaction_id }) => {
    const ours = state === 'held' ? ended.get(reference) : undefined
    return ours ? [{ enrollment_id: ours.enrollment_id, attempt: ours.attempt, transaction_id }] : []
  })
}
