import { dateOf, daysBetween, daysLater, monthsLater } from './calendar.ts'
import type { ActionKind, Line, Plan } from './members.ts'
import type { PriceChange } from './price-changes.ts'

// What the drill knows about one member on a day. It shares no code with the product.

export type Attempt = { n: number; day: string; outcome: string; amount_cents: number; card: string }
export type Period = { n: number; starts_on: string; ends_on: string; state: 'paid' | 'due' | 'waived' | 'unpaid' }
/** A line with a price that was announced for a later day. It isn't charged before the member was told. */
export type PricedLine = Line & {
  announced?: { cents: number; from: string; isTold: boolean; writtenOn?: string; notBefore?: string }
}
type Receipt = { n: number; day: string; lines: Line[]; card: string; refunded_cents: number; isDisputed?: true }
/** Something that was done to a membership, and what the dialog showed before. */
export type Act = { day: string; kind: ActionKind; shown?: string; isRefused?: true }

export type EmailKind =
  | ('receipt' | 'declined' | 'ended' | 'canceled' | 'kept' | 'resumed' | 'waived' | 'moved')
  | ('refund' | 'price' | 'reminder' | 'card' | 'stopped' | 'held' | 'released')
/** An email, with every amount, date and card in its text. '…': what follows depends on who won a race. */
export type ExpectedEmail = { day: string; kind: EmailKind; facts: string[]; isOptional?: true }
/** Written when it can be sent. Undefined: it no longer applies. */
type WaitingEmail = { kind: EmailKind; write: () => string[] | undefined; onSent?: () => void; isOptional?: true }

export type MadeChange = { change: PriceChange; madeOn: string }

export type Book = {
  plan: Plan
  today: string
  /** False while RENEWALS is off. */
  isCharging: boolean
  /** At the moment of a race, the order of two events is open. */
  isRacing: boolean
  /** Periods are counted from here, on this date of the month. */
  anchor: { day: string; n: number; date: number }
  periods: Period[]
  attempts: Attempt[]
  receipts: Receipt[]
  lines: PricedLine[]
  /** What the newest period costs. Until it is paid, it can only go down. */
  due: Line[]
  /** Years are counted from here. */
  yearsFrom: string
  remindOn: string
  /** The day of the next scheduled try, if one is left. */
  nextTry: string | undefined
  card: { lastFour: string; answer: string }
  /** What the bank says to the next charges of the first card. */
  bank: string[]
  isForbidden: boolean
  isHeld: boolean
  /** The next period is not charged. */
  isNextWaived: boolean
  canceledOn: string | undefined
  /** The newest price change of each package since the member canceled, and since the hold began. */
  missed: Record<'canceled' | 'held', Map<number, MadeChange>>
  /** The last day of the membership, once it is known. */
  endsOn: string | undefined
  isEnded: boolean
  waiting: WaitingEmail[]
  emails: ExpectedEmail[]
  acts: Act[]
}

export const FIRST_CARD = '4242'

export function newBook(plan: Plan): Book {
  const day = plan.joinedOn
  const book: Book = {
    plan,
    today: day,
    isCharging: true,
    isRacing: false,
    anchor: { day, n: 0, date: dateOf(day) },
    periods: [],
    attempts: [],
    receipts: [],
    lines: plan.lines,
    due: [],
    yearsFrom: day,
    remindOn: day,
    nextTry: undefined,
    card: { lastFour: FIRST_CARD, answer: 'as scripted' },
    bank: [],
    isForbidden: false,
    isHeld: false,
    isNextWaived: false,
    canceledOn: undefined,
    missed: { canceled: new Map(), held: new Map() },
    endsOn: undefined,
    isEnded: false,
    waiting: [],
    emails: [],
    acts: [],
  }
  addPeriod(book, 'paid')
  return book
}

/** The first day of a period. */
export const startOf = ({ anchor, plan }: Book, n: number): string =>
  monthsLater(anchor.day, (n - anchor.n) * plan.months, anchor.date)

export function newest({ periods }: Book): Period {
  const period = periods.at(-1)
  if (!period) throw new Error('A member has no period.')
  return period
}

export function addPeriod(book: Book, state: Period['state'], n = book.periods.length): Period {
  const period = { n, starts_on: startOf(book, n), ends_on: startOf(book, n + 1), state }
  book.periods.push(period)
  return period
}

export const first = (one: string, other: string): string => (one < other ? one : other)
export const sum = (lines: Line[]): number => lines.reduce((total, { renewal_cents }) => total + renewal_cents, 0)

/** The period that was paid last or, where renewals are charged elsewhere, the one of today. */
function lastPeriod(book: Book): number {
  let { n } = newest(book)
  if (!book.isCharging) while (startOf(book, n + 1) <= book.today) n++
  return n
}

/** When what is paid ends. A canceled membership keeps the day that the member was told. */
export const paidUntil = (book: Book): string => book.endsOn ?? startOf(book, lastPeriod(book) + 1)

/** The period that staff have made free. */
export const waivedPeriod = (book: Book): { starts_on: string; ends_on: string } | undefined => {
  const { n } = newest(book)
  if (!book.isNextWaived || book.canceledOn) return undefined
  return { starts_on: startOf(book, n + 1), ends_on: startOf(book, n + 2) }
}

/** The lines of a period that begins on a day. */
export const linesFrom = (lines: PricedLine[], day: string): PricedLine[] =>
  lines.map(({ announced, ...line }) => {
    if (!announced) return line
    return announced.isTold && announced.from <= day
      ? { ...line, renewal_cents: announced.cents }
      : { ...line, announced }
  })

/** The next charge, as far as it is known today. */
export function nextCharge(book: Book): { on: string; cents: number } {
  const on = waivedPeriod(book)?.ends_on ?? paidUntil(book)
  return { on, cents: sum(linesFrom(book.lines, on)) }
}

export const isOver = ({ endsOn, isEnded, today }: Book): boolean => isEnded || (endsOn !== undefined && endsOn < today)
export const isRenewing = ({ isEnded, canceledOn, isHeld }: Book): boolean => !isEnded && !canceledOn && !isHeld

/** What an unpaid period costs now: dropped packages are gone, and prices can only have gone down. */
export const dueLines = ({ due, lines }: Book): Line[] =>
  due.flatMap(({ product_id, name, renewal_cents }) => {
    const now = lines.find((line) => line.product_id === product_id)
    return now ? [{ product_id, name, renewal_cents: Math.min(renewal_cents, now.renewal_cents) }] : []
  })

/** Periods begin on this day from now on. The years move by as little as possible, so that reminders stay about a year apart. */
export function moveTo(book: Book, day: string, n: number, date = dateOf(day)): void {
  book.anchor = { day, n, date }
  const fits = (each: string) =>
    dateOf(each) === date && (book.plan.months === 1 || each.slice(5, 7) === day.slice(5, 7))
  const before = daysBetween(monthsLater(yearAgo(book.yearsFrom), 0), day).filter(fits)
  book.yearsFrom = before.find((each) => each >= book.yearsFrom) ?? before.at(-1) ?? day
  book.remindOn = first(book.remindOn, daysLater(book.today, 1))
}
const yearAgo = (day: string) => `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
