import type { Database, Db } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import { findUntold } from '../feed/playback.ts'
import type { VisitorRecord } from '../visitor/visitor.ts'
import type { Sandbox } from './processes.ts'
import type { Workspace } from './workspace.ts'

/** Every way in which money and members can disagree. Each list of findings must be empty. */
const harms = {
  doubleCharge: 'double charges',
  paidWithoutMember: 'payments without a member',
  orphanedHold: 'holds that were never released',
  memberUnpaid: 'members who did not pay',
  acknowledgedLost: 'approvals that were lost or changed later',
  declinedButCharged: 'declined but charged',
  open: 'attempts still open',
  wrongAmount: 'wrong amounts',
  wrongClaims: 'usernames or emails claimed by the wrong enrollment',
  countedWithoutDecline: 'limits used up without a decline',
  untold: 'changes without an event',
  unexpectedRefusal: 'unexpected refusals',
  serverCrash: 'server crashes',
} as const
type Harm = keyof typeof harms
export type Findings = Record<Harm, string[]>

const OPEN_STATES: PaymentState[] = [
  'reserved',
  'authorizing',
  'authorized',
  'unknown',
  'review',
  'enrolled',
  'capture_failed',
]
const CHARGED_STATES: Transaction['state'][] = ['held', 'captured', 'review']

/** What our own database says at the end. */
type FinalState = Awaited<ReturnType<typeof readFinalState>>

async function readFinalState(db: Db) {
  const attempts = await db
    .selectFrom('payment')
    .select(['enrollment_id', 'attempt', 'state', 'reference', 'transaction_id', 'amount_cents'])
    .execute()
  const members = await db.selectFrom('member').select(['id', 'enrollment_id', 'username', 'email']).execute()
  const orders = await db.selectFrom('orders').select(['member_id', 'attempt', 'grand_total']).execute()
  const claims = await db
    .selectFrom('claim')
    .select(['kind', 'value', 'enrollment_id'])
    .where('enrollment_id', 'is not', null)
    .execute()
  return { attempts, members, orders, claims, countedDeclines: await countDeclines(db), untold: await findUntold(db) }
}

/** Declines that the limit by card has counted. What an attempt has only counted so far is given back later. */
async function countDeclines(db: Db): Promise<number> {
  const ofCards = 'LIMIT_DECLINES_BY_CARD'
  const counts = await db.selectFrom('limit_count').select('count').where('name', '=', ofCards).execute()
  const attempts = await db.selectFrom('open_use').select('uses').execute()
  const open = attempts.flatMap(({ uses }) => uses).filter(({ name }) => name === ofCards)
  return counts.reduce((sum, { count }) => sum + count, 0) - open.length
}

type AuditInput = {
  state: FinalState
  transactions: Transaction[]
  visitors: VisitorRecord[]
  crashes: string[]
}

/** Compares our journal, the gateway's transactions and what visitors were told. All drills use this one audit. */
function findHarm({ state, transactions, visitors, crashes }: AuditInput): Findings {
  const { attempts, members, orders, claims, countedDeclines, untold } = state
  const declines = attempts.filter(({ state }) => state === 'declined').length
  const byReference = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const byTransaction = new Map(attempts.map((attempt) => [attempt.transaction_id, attempt]))
  const allTransactions = transactions.map((transaction) => ({
    ...transaction,
    attempt: byReference.get(transaction.reference) ?? byTransaction.get(transaction.transaction_id),
  }))
  const memberOf = new Map(members.map((member) => [member.enrollment_id, member]))
  const charges = allTransactions.filter(({ state }) => CHARGED_STATES.includes(state))
  const chargesOf = Map.groupBy(charges, ({ attempt, reference }) => attempt?.enrollment_id ?? reference)
  const paidEnrollments = new Set(
    allTransactions.flatMap(({ state, attempt }) => (state === 'captured' && attempt ? [attempt.enrollment_id] : [])),
  )
  const openEnrollments = new Set(
    attempts.filter(({ state }) => OPEN_STATES.includes(state)).map(({ enrollment_id }) => enrollment_id),
  )
  const attemptsToldDeclined = new Set(
    visitors.flatMap(({ enrollment_id, declined }) => declined.map((attempt) => `${enrollment_id}.${attempt}`)),
  )
  const ordersOf = Map.groupBy(orders, ({ member_id }) => member_id)
  const describeCharge = ({ transaction_id, reference, state, attempt }: (typeof charges)[number]) =>
    `${transaction_id} ${state}, reference ${reference}${attempt ? `, attempt ${attempt.enrollment_id}.${attempt.attempt} ${attempt.state}` : ', no attempt of ours'}`

  return {
    doubleCharge: [...chargesOf]
      .filter(([, several]) => several.length > 1)
      .map(([, several]) => several.map(describeCharge).join(' AND ')),
    paidWithoutMember: allTransactions
      .filter(({ state, attempt }) => state === 'captured' && !memberOf.has(attempt?.enrollment_id ?? ''))
      .map(describeCharge),
    orphanedHold: allTransactions
      .filter(
        ({ state, attempt }) =>
          (state === 'held' || state === 'review') && !(attempt && OPEN_STATES.includes(attempt.state)),
      )
      .map(describeCharge),
    memberUnpaid: members
      .filter(({ enrollment_id }) => !paidEnrollments.has(enrollment_id))
      .map(({ enrollment_id }) => enrollment_id),
    acknowledgedLost: visitors
      .filter(
        ({ approved, enrollment_id, retractions }) => (approved && !memberOf.has(enrollment_id)) || retractions.length,
      )
      .map(
        ({ enrollment_id, retractions }) =>
          `${enrollment_id} ${retractions.length ? `was told "${retractions[0]}" after "Approved"` : 'has no member'}`,
      ),
    declinedButCharged: charges
      .filter(
        ({ attempt }) =>
          attempt &&
          (attempt.state === 'declined' || attemptsToldDeclined.has(`${attempt.enrollment_id}.${attempt.attempt}`)),
      )
      .map(describeCharge),
    open: attempts
      .filter(({ state }) => OPEN_STATES.includes(state))
      .map(
        ({ enrollment_id, attempt, state, reference }) =>
          `${enrollment_id}.${attempt} ${state}, reference ${reference}`,
      ),
    wrongAmount: [
      ...charges
        .filter(({ attempt, amount_cents }) => attempt && attempt.amount_cents !== amount_cents)
        .map(describeCharge),
      ...members
        .filter(({ id, enrollment_id }) => {
          const [order, ...more] = ordersOf.get(id) ?? []
          const payment = attempts.find(
            (attempt) => attempt.enrollment_id === enrollment_id && attempt.attempt === order?.attempt,
          )
          return !order || more.length > 0 || payment?.amount_cents !== order.grand_total
        })
        .map(({ enrollment_id }) => `the order of ${enrollment_id}`),
    ],
    wrongClaims: [
      ...claims
        .filter(
          ({ enrollment_id }) => enrollment_id && !memberOf.has(enrollment_id) && !openEnrollments.has(enrollment_id),
        )
        .map(({ kind, value }) => `${kind} ${value} was not released`),
      ...members
        .filter(({ enrollment_id }) => claims.filter((claim) => claim.enrollment_id === enrollment_id).length !== 2)
        .map(({ enrollment_id }) => `${enrollment_id} does not own its username and email`),
    ],
    countedWithoutDecline: countedDeclines > declines ? [`${countedDeclines} counted, ${declines} declined`] : [],
    untold,
    unexpectedRefusal: visitors.flatMap(({ enrollment_id, unexpectedRefusals }) =>
      unexpectedRefusals.map((message) => `${enrollment_id}: ${message}`),
    ),
    serverCrash: crashes,
  }
}

/** Reads our database and the gateway's transactions and compares them. No Foyer may run on an embedded database. */
export async function audit(workspace: Workspace, sandbox: Sandbox, visitors: VisitorRecord[], crashes: string[]) {
  const database: Database = await workspace.open()
  const state = await readFinalState(database.db).finally(database.close)
  const transactions = await sandbox.transactions()
  return { state, transactions, findings: findHarm({ state, transactions, visitors, crashes }) }
}
export type AuditResult = Awaited<ReturnType<typeof audit>>

export const isClean = (findings: Findings) => Object.values(findings).every((list) => list.length === 0)

/** The findings in one line. */
export const summarize = (findings: Findings): string => {
  const present = (Object.keys(harms) as Harm[]).filter((harm) => findings[harm].length)
  return present.map((harm) => `${findings[harm].length} ${harms[harm]}`).join(', ') || 'no harm'
}

export const formatSettled = (seconds: number | undefined): string =>
  seconds === undefined ? 'not settled in time' : `settled after ${seconds.toFixed(0)} s`

const MAX_EXAMPLES = 3

/** The first findings of each kind, for debugging. */
export const examples = (findings: Findings): string[] =>
  (Object.keys(harms) as Harm[]).flatMap((harm) =>
    findings[harm].slice(0, MAX_EXAMPLES).map((finding) => `  ${harms[harm]}: ${finding}`),
  )
