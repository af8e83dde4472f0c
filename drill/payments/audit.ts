import type { Database, Db } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import type { Transaction } from '#server/gateways/payment/port.ts'
import type { Place } from '../drill.ts'
import type { Sandbox } from '../site/processes.ts'
import type { Heard } from '../visitor/visitor.ts'

/** Every way in which money and members may disagree. Each must be empty. */
const harms = {
  doubleCharge: 'double charges',
  paidWithoutMember: 'paid without member',
  heldForNobody: 'held and not let go',
  memberUnpaid: 'member unpaid',
  acknowledgedLost: 'acknowledged lost',
  declinedButCharged: 'declined but charged',
  open: 'attempts open',
  wrongAmount: 'wrong amounts',
  namesAstray: 'names kept by nobody or lost',
  oddRefusal: 'visitors refused without reason',
  died: 'servers that ended by themselves',
} as const
type Harm = keyof typeof harms
export type Findings = Record<Harm, string[]>

const OPEN: PaymentState[] = [
  'reserved',
  'authorizing',
  'authorized',
  'unknown',
  'review',
  'enrolled',
  'capture_failed',
]
const TAKEN: Transaction['state'][] = ['held', 'captured', 'review']

/** What our database says at the end. */
type Books = Awaited<ReturnType<typeof readBooks>>

async function readBooks(db: Db) {
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
  return { attempts, members, orders, claims }
}

type Audited = { books: Books; transactions: Transaction[]; heard: Heard[]; died: string[] }

/** The one judge of all drills: our books, the gateway's books and what visitors were told, against each other. */
function judge({ books, transactions, heard, died }: Audited): Findings {
  const { attempts, members, orders, claims } = books
  const byReference = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const byTransaction = new Map(attempts.map((attempt) => [attempt.transaction_id, attempt]))
  const charges = transactions.map((transaction) => ({
    ...transaction,
    attempt: byReference.get(transaction.reference) ?? byTransaction.get(transaction.transaction_id),
  }))
  const memberOf = new Map(members.map((member) => [member.enrollment_id, member]))
  const taken = charges.filter(({ state }) => TAKEN.includes(state))
  const takenBy = Map.groupBy(taken, ({ attempt, reference }) => attempt?.enrollment_id ?? reference)
  const paid = new Set(
    charges.flatMap(({ state, attempt }) => (state === 'captured' && attempt ? [attempt.enrollment_id] : [])),
  )
  const open = new Set(attempts.filter(({ state }) => OPEN.includes(state)).map(({ enrollment_id }) => enrollment_id))
  const told = new Set(
    heard.flatMap(({ enrollment_id, declined }) => declined.map((attempt) => `${enrollment_id}.${attempt}`)),
  )
  const order = Map.groupBy(orders, ({ member_id }) => member_id)
  const name = ({ transaction_id, reference, state, attempt }: (typeof charges)[number]) =>
    `${transaction_id} ${state}, reference ${reference}${attempt ? `, attempt ${attempt.enrollment_id}.${attempt.attempt} ${attempt.state}` : ', no attempt of ours'}`

  return {
    doubleCharge: [...takenBy]
      .filter(([, several]) => several.length > 1)
      .map(([, several]) => several.map(name).join(' AND ')),
    paidWithoutMember: charges
      .filter(({ state, attempt }) => state === 'captured' && !memberOf.has(attempt?.enrollment_id ?? ''))
      .map(name),
    heldForNobody: charges
      .filter(
        ({ state, attempt }) => (state === 'held' || state === 'review') && !(attempt && OPEN.includes(attempt.state)),
      )
      .map(name),
    memberUnpaid: members
      .filter(({ enrollment_id }) => !paid.has(enrollment_id))
      .map(({ enrollment_id }) => enrollment_id),
    acknowledgedLost: heard
      .filter(
        ({ approved, enrollment_id, takenBack }) => (approved && !memberOf.has(enrollment_id)) || takenBack.length,
      )
      .map(
        ({ enrollment_id, takenBack }) =>
          `${enrollment_id} ${takenBack.length ? `was then told ${takenBack[0]}` : 'has no member'}`,
      ),
    declinedButCharged: taken
      .filter(
        ({ attempt }) =>
          attempt && (attempt.state === 'declined' || told.has(`${attempt.enrollment_id}.${attempt.attempt}`)),
      )
      .map(name),
    open: attempts
      .filter(({ state }) => OPEN.includes(state))
      .map(
        ({ enrollment_id, attempt, state, reference }) =>
          `${enrollment_id}.${attempt} ${state}, reference ${reference}`,
      ),
    wrongAmount: [
      ...taken.filter(({ attempt, amount_cents }) => attempt && attempt.amount_cents !== amount_cents).map(name),
      ...members
        .filter(({ id, enrollment_id }) => {
          const [only, ...more] = order.get(id) ?? []
          const bought = attempts.find(
            (attempt) => attempt.enrollment_id === enrollment_id && attempt.attempt === only?.attempt,
          )
          return !only || more.length > 0 || bought?.amount_cents !== only.grand_total
        })
        .map(({ enrollment_id }) => `the order of ${enrollment_id}`),
    ],
    namesAstray: [
      ...claims
        .filter(({ enrollment_id }) => enrollment_id && !memberOf.has(enrollment_id) && !open.has(enrollment_id))
        .map(({ kind, value }) => `${kind} ${value} is kept by nobody`),
      ...members
        .filter(({ enrollment_id }) => claims.filter((claim) => claim.enrollment_id === enrollment_id).length !== 2)
        .map(({ enrollment_id }) => `the names of ${enrollment_id} are not theirs`),
    ],
    oddRefusal: heard.flatMap(({ enrollment_id, odd }) => odd.map((words) => `${enrollment_id}: ${words}`)),
    died,
  }
}

/** Opens the database, asks the gateway, and judges. No Foyer may run on an embedded database meanwhile. */
export async function audit(place: Place, sandbox: Sandbox, heard: Heard[], died: string[]) {
  const database: Database = await place.open()
  const books = await readBooks(database.db).finally(database.close)
  const transactions = await sandbox.transactions()
  return { books, transactions, findings: judge({ books, transactions, heard, died }) }
}
export type Verdict = Awaited<ReturnType<typeof audit>>

export const isClean = (findings: Findings) => Object.values(findings).every((list) => list.length === 0)

/** The findings in few words. */
export const inWords = (findings: Findings): string => {
  const found = (Object.keys(harms) as Harm[]).filter((harm) => findings[harm].length)
  return found.map((harm) => `${findings[harm].length} ${harms[harm]}`).join(', ') || 'no harm'
}

/** How long it took until nothing was under way any more. */
export const settledIn = (took: number | undefined): string =>
  `settled ${took === undefined ? 'not in time' : `after ${took.toFixed(0)} s`}`

const FIRST = 3

/** The first of each kind, so that a failure can be looked into. */
export const examples = (findings: Findings): string[] =>
  (Object.keys(harms) as Harm[]).flatMap((harm) =>
    findings[harm].slice(0, FIRST).map((words) => `  ${harms[harm]}: ${words}`),
  )
