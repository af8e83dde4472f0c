import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { findUntold } from '../feed/playback.ts'
import type { Look, Outcome } from './advance-clock.ts'
import {
  compareEmails,
  missingReceipts,
  readEmails,
  repeatedEmails,
  risesWithoutNotice,
  select,
} from './audit-emails.ts'
import { dayInZone, monthsLater } from './calendar.ts'
import type { Screen } from './expected-screen.ts'
import type { Golden } from './golden-ledger.ts'
import type { Plan } from './members.ts'
import { memberId } from './population.ts'

/** What is wrong, by kind. Every kind is listed, so that a report can say that there was none. */
export type Findings = Record<(typeof kinds)[number], string[]>
const kinds = [
  'charged otherwise than the golden ledger says',
  'charged twice for a period',
  'charged twice within a month',
  'charged nothing',
  'periods with a gap, an overlap or another state',
  'in another state',
  'emails missing, wrong or too many',
  'screens with another amount or day',
  'actions answered otherwise',
  'dearer without notice',
  'gateway and journal differ',
  'still open',
  'the database allows a second charge',
  'changes without an event',
  'errors in the log',
] as const

type Entry = {
  at: string
  transaction_id: string
  reference: string
  state: string
  amount_cents: number
  vault_reference: string
  issuer_code?: string
}
type Payment = { email: string; reference: string; state: string; amount_cents: number; period: number }
type Member = {
  member_id: string
  state: string
  ends_at: Date | null
  active_until: Date | null
  on_hold_since: Date | null
}
type PeriodRow = { member_id: string; n: number; starts_on: string; ends_on: string; state: string }

type Audited = Pick<Outcome, 'ledgerFile' | 'log' | 'looks' | 'wrongAnswers'> & {
  zone: string
  plans: Plan[]
  golden: Golden[][]
}

/** Compares the database, the emails, the screens and the gateway's books with the golden ledger of each member. Where a race decides, one of several ledgers must fit. */
export async function auditRenewals(
  db: Db,
  { zone, plans, golden, ledgerFile, log, looks, wrongAnswers }: Audited,
): Promise<{ findings: Findings; captures: number; attempts: number; emails: number }> {
  const findings = Object.fromEntries(kinds.map((kind) => [kind, [] as string[]])) as Findings
  const { entries, cardOf } = readBooks(ledgerFile)
  const payments = await select<Payment>(
    db,
    'select m.email, p.* from payment p join member m using (enrollment_id) where p.period > 0',
  )
  const byReference = new Map(payments.map((payment) => [payment.reference, payment]))
  findings['gateway and journal differ'] = comparePayments(entries, payments)
  findings['still open'] = [
    ...payments
      .filter(({ state }) => ['authorizing', 'unknown', 'review'].includes(state))
      .map(({ email, reference, state }) => `${email} ${reference} ${state}`),
    ...(await select<{ kind: string }>(db, 'select kind from job where done_at is null')).map(({ kind }) => kind),
  ]
  findings['charged nothing'] = entries.filter((entry) => entry.amount_cents <= 0).map(({ reference }) => reference)
  findings['actions answered otherwise'] = wrongAnswers

  const members = await select<Member>(
    db,
    'select m.email, m.ends_at, s.active_until, c.* from member m join membership c on c.member_id = m.id join sponsor s on s.member_id = m.id',
  )
  const memberOf = new Map(members.map((member) => [member.member_id, member]))
  const periodsOf = Map.groupBy(
    await select<PeriodRow>(db, 'select * from period order by member_id, n'),
    (row) => row.member_id,
  )
  const entriesOf = Map.groupBy(entries, ({ reference }) => byReference.get(reference)?.email)
  const emailsOf = await readEmails(db, zone)
  const looksOf = Map.groupBy(looks, ({ plan }) => plan.number)

  for (const [index, plan] of plans.entries()) {
    const { email } = plan
    const name = `${email}, joined ${plan.joinedOn} (${plan.fate})`
    const find = (kind: keyof Findings, texts: string[]) =>
      findings[kind].push(...texts.map((text) => `${name}: ${text}`))
    const charges = (entriesOf.get(email) ?? []).map((entry) => ({
      n: byReference.get(entry.reference)?.period ?? 0,
      day: dayInZone(zone, new Date(entry.at)),
      outcome: entry.state === 'declined' ? (entry.issuer_code ?? '') : 'captured',
      amount_cents: entry.amount_cents,
      card: cardOf.get(entry.vault_reference) ?? '',
    }))
    const rows = periodsOf.get(memberId(plan)) ?? []
    const periods = rows.map(({ n, starts_on, ends_on, state }) => ({ n, starts_on, ends_on, state }))
    const captured = charges.filter(({ outcome }) => outcome === 'captured').map(({ n }) => n)
    if (new Set(captured).size < captured.length) find('charged twice for a period', [String(captured)])
    find('charged twice within a month', tooClose(plan, captured, rows))
    const options = golden[index] ?? []
    const right = options.find((one) => same([one.attempts, one.periods], [charges, periods])) ?? options[0]
    if (!right) continue
    find('charged otherwise than the golden ledger says', firstDifference(right.attempts, charges))
    find('periods with a gap, an overlap or another state', firstDifference(right.periods, periods))
    find('in another state', compareState(right, memberOf.get(memberId(plan))))
    const sent = emailsOf.get(email) ?? []
    find('dearer without notice', risesWithoutNotice(plan, charges, rows, sent, right.acts))
    find('emails missing, wrong or too many', [
      ...compareEmails(right.emails, sent),
      ...missingReceipts(entriesOf.get(email) ?? [], sent),
    ])
    find('screens with another amount or day', compareScreens(right.screens, looksOf.get(plan.number) ?? []))
  }

  findings['emails missing, wrong or too many'].push(...(await repeatedEmails(db, emailsOf)))
  const discrepancies = await select<{ kind: string }>(db, "select * from difference where kind <> 'dispute'")
  for (const row of discrepancies) findings['gateway and journal differ'].push(JSON.stringify(row))
  if (await allowsSecondCharge(db)) findings['the database allows a second charge'].push('payment_one_per_period')
  findings['changes without an event'] = await findUntold(db, 'kept_event')
  findings['errors in the log'] = log
    .split('\n')
    .filter((line) => line && !onPurpose.some((text) => line.includes(text)))
  return {
    findings,
    captures: entries.filter(({ state }) => state !== 'declined').length,
    attempts: entries.length,
    emails: [...emailsOf.values()].flat().length,
  }
}

/** Answers are lost and charges disputed on purpose, and the log says so. */
const onPurpose = [
  ...['the payment gateway does not answer', 'did not return its books'],
  ...['a payment is disputed', 'our payments differ'],
]

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function firstDifference(expected: object[], found: object[]): string[] {
  const index = Array.from({ length: Math.max(expected.length, found.length) }).findIndex(
    (_, at) => !same(expected[at], found[at]),
  )
  if (index < 0) return []
  return [`expected ${JSON.stringify(expected[index])}, found ${JSON.stringify(found[index])}`]
}

function comparePayments(entries: Entry[], payments: Payment[]): string[] {
  const ours = new Map(payments.map((payment) => [payment.reference, payment]))
  const theirs = new Set(entries.map(({ reference }) => reference))
  const ended = payments.filter(({ state }) => !['authorizing', 'unknown', 'review', 'abandoned'].includes(state))
  return [
    ...entries.flatMap(({ reference, state, amount_cents }) => {
      const payment = ours.get(reference)
      const isSame = payment?.state === state && payment.amount_cents === amount_cents
      return isSame ? [] : [`${reference}: ${state} ${amount_cents}, ours ${payment?.state} ${payment?.amount_cents}`]
    }),
    ...ended
      .filter(({ reference }) => !theirs.has(reference))
      .map(({ reference, state }) => `${reference}: ${state}, unknown to the gateway`),
  ]
}

/** Two paid periods begin at least a period apart. */
function tooClose({ months }: Plan, captured: number[], rows: PeriodRow[]): string[] {
  const starts = captured.map((n) => rows.find((row) => row.n === n)?.starts_on ?? '')
  return starts.flatMap((day, index) => {
    const before = starts[index - 1]
    return before && day < monthsLater(before, months) ? [`${before} and ${day}`] : []
  })
}

function compareState({ state, isOnHold }: Golden, member: Member | undefined): string[] {
  const isActive = member?.active_until === null
  const isHeld = member?.on_hold_since !== null
  return [
    ...(member?.state !== state || isActive !== (state !== 'ended' && member?.ends_at === null)
      ? [`${member?.state}, page ${isActive ? 'active' : 'inactive'}, expected ${state}`]
      : []),
    ...(isHeld === isOnHold ? [] : [`${isHeld ? '' : 'not '}on hold`]),
  ]
}

/** What the office showed, compared with the newest screen that was expected by then. */
function compareScreens(screens: Golden['screens'], looks: Look[]): string[] {
  return looks.flatMap(({ day, screen }) => {
    const expected = [...screens].findLast(([since]) => since <= day)?.[1]
    if (!expected || same(expected, screen)) return []
    const names = Object.keys({ ...expected, ...screen }) as (keyof Screen)[]
    return names
      .filter((name) => !same(expected[name], screen[name]))
      .map((name) => `on ${day}, ${name}: expected ${text(expected[name])}, found ${text(screen[name])}`)
  })
}
const text = (value: unknown) => JSON.stringify(value) ?? 'nothing'

/** The renewals in the gateway's books, oldest first, and the last digits of its cards. A later line about the same charge is a new state. */
function readBooks(file: string) {
  const entries = new Map<string, Entry>()
  const refunded = new Map<string, number>()
  const cardOf = new Map<string, string>()
  for (const json of readFileSync(file, 'utf8').split('\n')) {
    if (!json) continue
    const line = JSON.parse(json) as Entry & {
      last_four?: string
      is_renewal?: true
      refund_cents?: number
    }
    if (line.last_four) cardOf.set(line.vault_reference, line.last_four)
    if (line.refund_cents)
      refunded.set(line.transaction_id, (refunded.get(line.transaction_id) ?? 0) + line.refund_cents)
    if (!line.is_renewal) continue
    const first = entries.get(line.reference)
    entries.set(line.reference, first ? { ...line, at: first.at } : line)
  }
  const isRefunded = ({ transaction_id, amount_cents }: Entry) => refunded.get(transaction_id) === amount_cents
  return {
    entries: [...entries.values()].map((entry) => (isRefunded(entry) ? { ...entry, state: 'refunded' } : entry)),
    cardOf,
  }
}

/** The last guard: a process that overlooks everything else cannot write a second charge for a period. */
async function allowsSecondCharge(db: Db): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`insert into payment (enrollment_id, attempt, reference, state, amount_cents, period, gateway, leased_until, created_at, updated_at)
        select enrollment_id, attempt + 1000, 'second charge', 'authorizing', amount_cents, period, gateway, leased_until, created_at, updated_at
        from payment where period > 0 and state = 'captured' limit 1`.execute(transaction)
      throw new Error('allowed')
    })
  } catch (error) {
    return error instanceof Error && error.message === 'allowed'
  }
  return true
}
