import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import { dayInZone, daysLater } from './calendar.ts'
import type { Golden } from './golden-ledger.ts'
import type { Plan } from './members.ts'
import { firstCard, memberId } from './population.ts'

/** What is wrong, by kind. Every kind is listed, so that a report can say that there was none. */
export type Findings = Record<(typeof kinds)[number], string[]>
const kinds = [
  'charged otherwise than the golden ledger says',
  'charged twice for a period',
  'periods with a gap, an overlap or another state',
  'in another state',
  'dearer without notice',
  'gateway and journal differ',
  'still open',
  'receipt or notice missing',
  'receipts or notices too many',
  'the database allows a second charge',
  'errors in the log',
] as const

type Entry = {
  at: string
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
  hold_reason: string | null
}
type PeriodRow = { member_id: string; n: number; starts_on: string; ends_on: string; state: string }
type Message = { recipient: string; subject: string; body: string; created_at: Date }

/** Compares the database and the gateway's books with the golden ledger of each member. Where a race decides, one of several ledgers must fit. */
export async function auditRenewals(
  db: Db,
  {
    zone,
    plans,
    golden,
    ledgerFile,
    log,
  }: { zone: string; plans: Plan[]; golden: Golden[][]; ledgerFile: string; log: string },
): Promise<{ findings: Findings; captures: number; attempts: number }> {
  const findings = Object.fromEntries(kinds.map((kind) => [kind, [] as string[]])) as Findings
  const entries = readEntries(ledgerFile)
  const payments = await select<Payment>(
    db,
    'select m.email, p.* from payment p join member m using (enrollment_id) where p.period > 0',
  )
  const byReference = new Map(payments.map((payment) => [payment.reference, payment]))
  for (const { reference, state, amount_cents } of entries) {
    const ours = byReference.get(reference)
    if (!ours || ours.state !== state || ours.amount_cents !== amount_cents)
      findings['gateway and journal differ'].push(`${reference}: ${state} ${amount_cents}, ours ${ours?.state}`)
  }
  const known = new Set(entries.map(({ reference }) => reference))
  for (const { email, reference, state } of payments) {
    if (['authorizing', 'unknown', 'review'].includes(state))
      findings['still open'].push(`${email} ${reference} ${state}`)
    else if (state !== 'abandoned' && !known.has(reference))
      findings['gateway and journal differ'].push(`${reference}: ${state}, unknown to the gateway`)
  }

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
  const emails = await select<Message>(db, "select * from message where channel = 'mail' order by created_at")
  const emailsOf = Map.groupBy(emails, ({ recipient }) => recipient)
  const expected = { receipts: 0, declines: 0, ends: 0, prices: 0, reminders: 0, resumed: 0 }

  for (const [index, plan] of plans.entries()) {
    const { email } = plan
    const charges = (entriesOf.get(email) ?? []).map((entry) => ({
      n: byReference.get(entry.reference)?.period,
      day: dayInZone(zone, new Date(entry.at)),
      outcome: entry.state === 'declined' ? (entry.issuer_code ?? '') : 'captured',
      amount_cents: entry.amount_cents,
      card: entry.vault_reference === firstCard(plan) ? 0 : 1,
    }))
    const captured = charges.filter(({ outcome }) => outcome === 'captured').map(({ n }) => n)
    if (new Set(captured).size < captured.length) findings['charged twice for a period'].push(`${email}: ${captured}`)

    const rows = periodsOf.get(memberId(plan)) ?? []
    const periods = rows.map(({ n, starts_on, ends_on, state }) => ({ n, starts_on, ends_on, state }))
    const options = golden[index] ?? []
    const right = options.find((one) => same([one.attempts, one.periods], [charges, periods])) ?? options[0]
    if (!right) continue
    const { attempts, state, isOnHold, emails: counts } = right
    if (!same(attempts, charges))
      findings['charged otherwise than the golden ledger says'].push(
        `${email}, joined ${plan.joinedOn}: ${firstDifference(attempts, charges)}`,
      )
    if (!same(right.periods, periods))
      findings['periods with a gap, an overlap or another state'].push(
        `${email}, joined ${plan.joinedOn}: ${firstDifference(right.periods, periods)}`,
      )
    const member = memberOf.get(memberId(plan))
    const isActive = member?.active_until === null
    if (member?.state !== state || isActive !== (state !== 'ended' && member?.ends_at === null))
      findings['in another state'].push(
        `${email}: ${member?.state}, page ${isActive ? 'active' : 'inactive'}, expected ${state}`,
      )
    if (isOnHold !== (member?.hold_reason === 'dispute'))
      findings['in another state'].push(`${email}: on hold ${member?.hold_reason}, expected ${isOnHold}`)
    const startOf = new Map(rows.map(({ n, starts_on }) => [n, starts_on]))
    for (const problem of risesWithoutNotice(plan, charges, startOf, zone, emailsOf.get(email) ?? []))
      findings['dearer without notice'].push(`${email}: ${problem}`)
    for (const name of names) expected[name] += counts[name]
    for (const problem of missingEmails(right, charges.length, entriesOf.get(email) ?? [], emailsOf.get(email) ?? []))
      findings['receipt or notice missing'].push(`${email}: ${problem}`)
  }

  for (const problem of await countEmails(db, expected, emails)) findings['receipts or notices too many'].push(problem)
  const discrepancies = await select<{ kind: string }>(db, "select * from difference where kind <> 'dispute'")
  for (const row of discrepancies) findings['gateway and journal differ'].push(JSON.stringify(row))
  if (await allowsSecondCharge(db)) findings['the database allows a second charge'].push('payment_one_per_period')
  findings['errors in the log'] = log
    .split('\n')
    .filter((line) => line && !onPurpose.some((text) => line.includes(text)))
  return { findings, captures: entries.filter(({ state }) => state !== 'declined').length, attempts: entries.length }
}

/** Answers are lost and charges disputed on purpose, and the log says so. */
const onPurpose = [
  ...['the payment gateway does not answer', 'did not return its books'],
  ...['a payment is disputed', 'our payments differ'],
]

const select = async <Row>(db: Db, query: string): Promise<Row[]> =>
  (await sql<Row>`${sql.raw(query)}`.execute(db)).rows
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function firstDifference(expected: object[], found: object[]): string {
  const index = Array.from({ length: Math.max(expected.length, found.length) }).findIndex(
    (_, at) => !same(expected[at], found[at]),
  )
  return `expected ${JSON.stringify(expected[index])}, found ${JSON.stringify(found[index])}`
}

/** The renewals in the gateway's books, oldest first. A later line about the same one is a new state. */
function readEntries(file: string): Entry[] {
  const entries = new Map<string, Entry>()
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    if (!text.includes('"is_renewal"')) continue
    const line = JSON.parse(text) as Entry
    const first = entries.get(line.reference)
    entries.set(line.reference, first ? { ...line, at: first.at } : line)
  }
  return [...entries.values()]
}

const subjects = {
  receipts: /^Your receipt/,
  declines: /payment did not go through$/,
  ends: /^Your membership has ended$/,
  prices: /^Your price (changes on|stays)|^You pay less/,
  reminders: /^Your yearly reminder/,
  resumed: /^Your renewal date has changed$|^Your membership charges have resumed$/,
}
const jobKinds: Record<keyof typeof subjects, string> = {
  receipts: 'renewed',
  declines: 'renewal_declined',
  ends: 'membership_ended',
  prices: 'price_changed',
  reminders: 'yearly_reminder',
  resumed: 'charging_resumed',
}
const names = Object.keys(subjects) as (keyof typeof subjects)[]

function missingEmails({ emails }: Golden, attempts: number, entries: Entry[], sent: Message[]): string[] {
  const receipts = new Set(sent.filter(({ subject }) => subjects.receipts.test(subject)).map(({ body }) => body))
  const unpaid = entries.filter(({ state }) => state !== 'declined').filter(({ reference }) => !receipts.has(reference))
  const counts = names.map((name) => ({
    name,
    count: sent.filter(({ subject }) => subjects[name].test(subject)).length,
  }))
  return [
    ...unpaid.map(({ reference }) => `no receipt for ${reference}`),
    ...counts
      .filter(({ name, count }) => count < emails[name])
      .map(({ name, count }) => `${count} ${name} for ${attempts} attempts, expected ${emails[name]}`),
  ]
}

const LEAST_NOTICE_DAYS = 7
const MOST_NOTICE_DAYS = 30
type CheckedCharge = { n: number | undefined; outcome: string; amount_cents: number }

/** Before a charge rises, an email names the day, and the period begins on that day or later, 7 to 30 days after the email. */
function risesWithoutNotice(
  { lines }: Plan,
  charges: CheckedCharge[],
  startOf: Map<number, string>,
  zone: string,
  sent: Message[],
): string[] {
  const notices = sent.flatMap(({ subject, created_at }) => {
    const day = /^Your price changes on (.*)$/.exec(subject)?.[1]
    const from = day ? new Date(`${day} UTC`).toISOString().slice(0, 10) : ''
    const sent_on = dayInZone(zone, created_at)
    return day && from <= daysLater(sent_on, MOST_NOTICE_DAYS)
      ? [{ from, earliest: daysLater(sent_on, LEAST_NOTICE_DAYS) }]
      : []
  })
  let price = lines.reduce((sum, { renewal_cents }) => sum + renewal_cents, 0)
  return charges.flatMap(({ n = 0, outcome, amount_cents }) => {
    const begins = startOf.get(n) ?? ''
    const isTold = notices.some(({ from, earliest }) => from <= begins && earliest <= begins)
    const isDearer = amount_cents > price
    if (outcome === 'captured') price = amount_cents
    return isDearer && !isTold ? [`${amount_cents} for period ${n}, which began on ${begins}`] : []
  })
}

/** One job for each event. Only an email whose job was cut short by a kill may arrive twice. */
async function countEmails(db: Db, expected: Golden['emails'], emails: Message[]): Promise<string[]> {
  const problems: string[] = []
  for (const name of names) {
    const [jobs] = await select<{ count: number; tries: number }>(
      db,
      `select count(*) as count, coalesce(sum(tries), 0) as tries from job where kind = '${jobKinds[name]}'`,
    )
    const sent = emails.filter(({ subject }) => subjects[name].test(subject)).length
    if (Number(jobs?.count) !== expected[name]) problems.push(`${jobs?.count} jobs for ${expected[name]} ${name}`)
    if (sent > Number(jobs?.tries)) problems.push(`${sent} ${name} were sent in ${jobs?.tries} runs`)
  }
  return problems
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
