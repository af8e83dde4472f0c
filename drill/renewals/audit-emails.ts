import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Act, EmailKind, ExpectedEmail } from './book.ts'
import { dayInZone, daysLater, longDate } from './calendar.ts'
import type { Plan } from './members.ts'
import type { SentEmail } from './worker.ts'

export const select = async <Row>(db: Db, query: string): Promise<Row[]> =>
  (await sql<Row>`${sql.raw(query)}`.execute(db)).rows

/** How to tell emails apart. An email with another subject is a finding. */
const subjects: Record<EmailKind, RegExp> = {
  receipt: /^Your receipt/,
  declined: /payment did not go through$/,
  ended: /^Your membership has ended$/,
  canceled: /^Your membership ends on/,
  kept: /^Your membership continues$/,
  resumed: /^Your renewal date has changed$|^Your membership charges have resumed$/,
  waived: /without a charge$/,
  moved: /^We moved your renewal date$/,
  refund: /^Your refund of/,
  price: /^Your price (changes on|stays)|^You pay less/,
  reminder: /^Your yearly reminder/,
  card: /^Your card was changed$/,
  stopped: /^You stopped a package$/,
  held: /^Your membership is on hold$/,
  released: /^Your membership is no longer on hold$/,
}
const kinds = Object.keys(subjects) as EmailKind[]
const kindOf = (subject: string) => kinds.find((kind) => subjects[kind].test(subject)) ?? `'${subject}'`

type Message = { recipient: string; subject: string; body: string; created_at: Date }
export type FoundEmail = SentEmail & { kind: string; subject: string; day: string; copies: number }

/** The emails of each member, oldest first. Copies with the same key count once: mail servers drop them. */
export async function readEmails(db: Db, zone: string): Promise<Map<string, FoundEmail[]>> {
  const rows = await select<Message>(db, "select * from message where channel = 'mail' order by created_at")
  const found = new Map<string, FoundEmail & { recipient: string }>()
  for (const { recipient, subject, body, created_at } of rows) {
    const email = JSON.parse(body) as SentEmail
    const first = found.get(email.key)
    if (first) first.copies += 1
    else {
      const day = dayInZone(zone, created_at)
      found.set(email.key, { ...email, recipient, subject, kind: kindOf(subject), day, copies: 1 })
    }
  }
  return Map.groupBy([...found.values()], ({ recipient }) => recipient)
}

const isSame = ({ day, kind, facts }: ExpectedEmail, email: FoundEmail) =>
  email.day === day && email.kind === kind && haveFacts(facts, email.facts)
const haveFacts = (expected: string[], found: string[]) =>
  expected.at(-1) === '…'
    ? expected.slice(0, -1).every((fact, index) => fact === found[index])
    : expected.length === found.length && expected.every((fact, index) => fact === found[index])

const show = ({ day, kind, facts }: { day: string; kind: string; facts: string[] }) =>
  `${kind} on ${day} [${facts.join(', ')}]`

/** Every expected email was sent on its day with its amounts, dates and cards, and no other. */
export function compareEmails(expected: ExpectedEmail[], sent: FoundEmail[]): string[] {
  const left = [...sent]
  const missing: ExpectedEmail[] = []
  for (const email of expected) {
    const index = left.findIndex((each) => isSame(email, each))
    if (index >= 0) left.splice(index, 1)
    else if (!email.isOptional) missing.push(email)
  }
  return [
    ...missing.map((email) => {
      const index = left.findIndex(({ kind }) => kind === email.kind)
      const [instead] = index < 0 ? [] : left.splice(index, 1)
      return `expected ${show(email)}, found ${instead ? show(instead) : 'none'}`
    }),
    ...left.map((email) => `not expected: ${show(email)}`),
  ]
}

export function missingReceipts(entries: { state: string; reference: string }[], sent: FoundEmail[]): string[] {
  const receipts = new Set(sent.filter(({ kind }) => kind === 'receipt').map(({ reference }) => reference))
  return entries
    .filter(({ state, reference }) => state !== 'declined' && !receipts.has(reference))
    .map(({ reference }) => `no receipt for ${reference}`)
}

/** Only an email whose job was cut short by a kill may be sent again. */
export async function repeatedEmails(db: Db, emails: Map<string, FoundEmail[]>): Promise<string[]> {
  const jobs = await select<{ id: string; tries: number }>(db, 'select id, tries from job')
  const triesOf = new Map(jobs.map(({ id, tries }) => [id, Number(tries)]))
  return [...emails]
    .flatMap(([to, sent]) => sent.map((email) => ({ to, ...email })))
    .filter(({ key, copies }) => copies > (triesOf.get(key) ?? 0))
    .map(({ to, copies, ...email }) => `${to}: ${copies} copies of ${show(email)}`)
}

const LEAST_NOTICE_DAYS = 7
const MOST_NOTICE_DAYS = 30
type CheckedCharge = { n: number; day: string; amount_cents: number }

/** A member who comes back agrees to the price in the dialog. Emails announce any other rise of a charge, 7 to 30 days before its period, and not before the day in them. An email that the renewal date was moved names the next charge, too. */
export function risesWithoutNotice(
  { lines }: Plan,
  charges: CheckedCharge[],
  periods: { n: number; starts_on: string }[],
  sent: FoundEmail[],
  acts: Act[],
): string[] {
  const agreed = new Set(acts.filter(({ kind }) => kind === 'come back').map(({ day }) => day))
  const startOf = new Map(periods.map(({ n, starts_on }) => [n, starts_on]))
  const notices = sent.flatMap(({ subject, day, facts: [before = '', after = ''] }) => {
    const named = /^Your price changes on (.*)$/.exec(subject)?.[1]
    if (!named) return []
    const from = new Date(`${named} UTC`).toISOString().slice(0, 10)
    return [{ from, day, cents: centsOf(after) - centsOf(before) }]
  })
  const toldBefore = (begins: string) =>
    notices
      .filter(({ from, day }) => from <= begins && daysLater(day, LEAST_NOTICE_DAYS) <= begins)
      .filter(({ day }) => begins <= daysLater(day, MOST_NOTICE_DAYS))
      .reduce((sum, { cents }) => sum + cents, 0)
  const movedTo = (begins: string) =>
    sent
      .filter(({ kind, day }) => kind === 'moved' && daysLater(day, LEAST_NOTICE_DAYS) <= begins)
      .filter(({ day, facts }) => begins <= daysLater(day, MOST_NOTICE_DAYS) && facts[1] === longDate(begins))
      .reduce((most, { facts: [amount = ''] }) => Math.max(most, centsOf(amount)), 0)
  let price = lines.reduce((sum, { renewal_cents }) => sum + renewal_cents, 0)
  return charges.flatMap(({ n, day, amount_cents }) => {
    const begins = startOf.get(n) ?? ''
    const told = Math.max(price + toldBefore(begins), movedTo(begins))
    const isUntold = amount_cents > told && !agreed.has(day)
    price = amount_cents // even if it's declined: the member was told of this price in time
    return isUntold ? [`${amount_cents} for period ${n}, which began on ${begins}`] : []
  })
}

const centsOf = (dollars: string) => Math.round(Number(dollars.replace(/[^\d.]/g, '')) * 100)
