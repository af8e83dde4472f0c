import { toAmount } from '#contract/money.ts'
import type { PaymentState } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { addJob } from '#server/jobs/queue.ts'
import { OperatorError } from '#server/operator-error.ts'
import { endedWithoutCharge } from '#server/payments/payments.ts'
import type { World } from '#server/world.ts'
import { type Difference, difference, knownUnpaidMembers, recordDifferences } from './differences.ts'

/** What a comparison needs of the world. */
type Books = Pick<World, 'config' | 'db' | 'now' | 'payment'>

/**
 * Compares the gateway's books with our journal since then, both ways. A difference is a row; it is cleared by a later
 * comparison that no longer finds it.
 */
export async function reconcile(world: Books, since: Date) {
  const asked_at = world.now()
  const early = await attemptsSince(world, since) // before the gateway is asked: what it says then is at least as new
  const books = await askGateway(world, since)
  const known = new Set(early.map(({ reference }) => reference))
  const late = await attemptsNamed(
    world,
    books.map(({ reference }) => reference).filter((reference) => !known.has(reference)),
  )
  const attempts = [...early, ...late]
  const open = await knownUnpaidMembers(world)
  const settledBy = new Date(asked_at.getTime() - world.config.PAYMENT_IN_FLIGHT_SECONDS * 1000)
  const compared = compare(attempts, books, settledBy)
  const moved = await movedSince(world, asked_at, compared)
  const stayed = ({ reference }: { reference: string }) => !moved.has(reference)
  const differences = [
    ...compared.filter((each) => each.kind !== 'state' || stayed(each)),
    ...(await unpaidMembers(world, since, open)),
  ]
  await recordDifferences(world, differences, [...attempts, ...books, ...open].filter(stayed))
  const waiting = await beingLetGo(world)
  for (const stray of straysOf(attempts.filter(stayed), books))
    if (!waiting.has(stray.transaction_id)) await addJob(world.db, 'void', stray, world.now())
  return { differences, attempts: attempts.length, transactions: books.length }
}

/** Attempts that went on while the gateway was asked: its answer and ours are of different moments. The next comparison tells. */
async function movedSince(world: Books, asked_at: Date, found: Difference[]): Promise<Set<string>> {
  const now = await attemptsNamed(
    world,
    found.filter(({ kind }) => kind === 'state').map(({ reference }) => reference),
  )
  const moved = now.filter(({ state, updated_at }) => updated_at > asked_at && !ASKED_ABOUT.includes(state))
  return new Set(moved.map(({ reference }) => reference))
}

/** What a job is letting go already. */
async function beingLetGo({ db }: Books): Promise<Set<unknown>> {
  const jobs = await db
    .selectFrom('job')
    .select('payload')
    .where('kind', '=', 'void')
    .where('done_at', 'is', null)
    .execute()
  return new Set(jobs.map(({ payload }) => payload.transaction_id))
}

/** The gateway is asked once; its answer may be long. */
const PATIENCE_MS = 120_000
/** Its clock may be behind ours: what we began at the edge may be older in its books. */
const CLOCKS_DIFFER_MS = 3_600_000

function askGateway({ payment }: Books, since: Date) {
  const edge = new Date(since.getTime() - CLOCKS_DIFFER_MS)
  return payment.transactions(edge, AbortSignal.timeout(PATIENCE_MS)).catch((cause: Error) => {
    throw new OperatorError(`The payment gateway '${payment.name}' did not give its books: ${cause.message}`, { cause })
  })
}

const attemptsSince = (world: Books, since: Date) => journal(world).where('payment.created_at', '>=', since).execute()

const CHUNK = 1000
async function attemptsNamed(world: Books, references: string[]) {
  const found: Attempt[] = []
  for (let from = 0; from < references.length; from += CHUNK)
    found.push(
      ...(await journal(world)
        .where('reference', 'in', references.slice(from, from + CHUNK))
        .execute()),
    )
  return found
}

const journal = ({ db, payment }: Books) =>
  db
    .selectFrom('payment')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['payment.enrollment_id', 'attempt', 'reference', 'payment.state', 'amount_cents', 'transaction_id'])
    .select(['payment.created_at', 'updated_at', 'member.id as member_id'])
    .where('gateway', '=', payment.name)

type Attempt = Awaited<ReturnType<typeof attemptsSince>>[number]

type Theirs = Transaction['state'] | 'nothing'

/** What the gateway may say of an attempt that stands like this here. Anything else is a difference. */
const agreed: Record<PaymentState, Theirs[]> = {
  captured: ['captured', 'refunded'],
  declined: ['declined', 'voided', 'nothing'],
  voided: ['voided', 'refunded', 'declined', 'nothing'],
  abandoned: ['nothing', 'declined', 'voided'],
  review: ['review'],
  capture_failed: ['captured', 'refunded'], // somebody has taken it by hand
  // These are on their way somewhere; whatever has stopped on the way is a difference.
  reserved: [],
  authorizing: [],
  authorized: [],
  unknown: [],
  enrolled: [],
}
/** The janitor asks about these again and again, and notes when: they have had their time since they began. */
const ASKED_ABOUT: PaymentState[] = ['reserved', 'authorizing', 'authorized', 'unknown']
const ON_THE_WAY: PaymentState[] = [...ASKED_ABOUT, 'review', 'enrolled', 'abandoned']

/** Money is held or taken. */
const isLive = ({ state }: { state: Theirs }) => state === 'held' || state === 'captured'

function compare(attempts: Attempt[], books: Transaction[], settledBy: Date): Difference[] {
  const byReference = Map.groupBy(books, ({ reference }) => reference)
  const known = new Set(attempts.map(({ reference }) => reference))
  return [
    ...attempts.flatMap((ours) => compareOne(ours, byReference.get(ours.reference) ?? [], settledBy)),
    ...chargedTwice(attempts, byReference),
    ...books
      .filter((theirs) => isLive(theirs) && !known.has(theirs.reference))
      .map((theirs) => difference('unknown here', theirs, 'nothing', inWords(theirs))),
  ]
}

function compareOne(ours: Attempt, books: Transaction[], settledBy: Date): Difference[] {
  const theirs = books.find(isLive) ?? books[0]
  const state = theirs?.state ?? 'nothing'
  const found: Difference[] = []
  const since = ASKED_ABOUT.includes(ours.state) ? ours.created_at : ours.updated_at
  const mayStillMove = ON_THE_WAY.includes(ours.state) && since > settledBy
  if (!agreed[ours.state].includes(state) && !mayStillMove)
    found.push(difference('state', ours, ours.state, inWords(theirs)))
  if (theirs && isLive(theirs) && theirs.amount_cents !== ours.amount_cents)
    found.push(difference('amount', ours, toAmount(ours.amount_cents), toAmount(theirs.amount_cents)))
  if ((ours.state === 'captured' || ours.state === 'enrolled') && !ours.member_id)
    found.push(difference('paid without member', ours, 'no member', inWords(theirs)))
  return found
}

/** Two transactions of one attempt, or two attempts of one enrollment, that both have the money. */
function chargedTwice(attempts: Attempt[], byReference: Map<string, Transaction[]>): Difference[] {
  const live = attempts.flatMap((ours) =>
    (byReference.get(ours.reference) ?? []).filter(isLive).map((theirs) => ({ ...theirs, ...ours, theirs })),
  )
  return [...Map.groupBy(live, ({ enrollment_id }) => enrollment_id).values()]
    .filter((charges) => charges.length > 1)
    .flatMap((charges) =>
      charges.map((charge) =>
        difference('charged twice', charge, charge.state, `${inWords(charge.theirs)}, one of ${charges.length}`),
      ),
    )
}

/** Members whose enrollment holds no payment at all: those of this time, and those we know of. */
async function unpaidMembers({ db }: Books, since: Date, known: { reference: string }[]): Promise<Difference[]> {
  const references = known.map(({ reference }) => reference)
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
            .where('state', 'in', ['enrolled', 'captured', 'capture_failed']),
        ),
      ),
    )
    .execute()
  return members.map(({ enrollment_id }) =>
    difference('member unpaid', { reference: enrollment_id }, 'a member', 'nothing'),
  )
}

/** Money that is held for an attempt which ended here: a request that was on its way for very long. It is let go. */
function straysOf(attempts: Attempt[], books: Transaction[]) {
  const ended = new Map(attempts.filter(endedWithoutCharge).map((ours) => [ours.reference, ours]))
  return books.flatMap(({ state, reference, transaction_id }) => {
    const ours = state === 'held' ? ended.get(reference) : undefined
    return ours ? [{ enrollment_id: ours.enrollment_id, attempt: ours.attempt, transaction_id }] : []
  })
}

const inWords = (theirs: Transaction | undefined) =>
  theirs ? `${theirs.state} ${toAmount(theirs.amount_cents)}` : 'nothing'
