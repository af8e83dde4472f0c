import {
  addPeriod,
  type Book,
  dueLines,
  first,
  isOver,
  isRenewing,
  linesFrom,
  moveTo,
  newest,
  paidUntil,
  startOf,
  sum,
} from './book.ts'
import { dateOf, daysBefore, daysLater, monthsLater } from './calendar.ts'
import {
  canceledEmail,
  cardEmail,
  declinedEmail,
  endedEmail,
  GIVES_UP,
  heldEmail,
  keptEmail,
  movedEmail,
  receiptEmail,
  refundEmail,
  releasedEmail,
  reminderEmail,
  resumedEmail,
  stoppedEmail,
  waivedEmail,
} from './expected-emails.ts'
import { type ActionKind, type NewCard, newCards } from './members.ts'
import { announceRises, applyChanges, startsSoon, tellAgain } from './price-rules.ts'

// What has to happen to a membership, from the rules in words.

const TRIES = [0, 3, 7, 14]
/** Where the issuer says: never again. */
const FORBIDDEN = ['41', '43', 'R1']
/** A year of membership is announced so many days before it begins. */
const REMINDER_DAYS = 30
export const PART_CENTS = 100

function end(book: Book): void {
  const period = newest(book)
  if (period.state === 'due') period.state = 'unpaid'
  book.endsOn ??= book.today
  Object.assign(book, { isEnded: true, isHeld: false, isNextWaived: false })
  endedEmail(book)
}

/** Asks the bank, and writes down a capture. */
function askBank(book: Book): string {
  const { card, today } = book
  const lines = dueLines(book)
  const outcome = card.answer === 'as scripted' ? (book.bank.shift() ?? 'captured') : card.answer
  const amount_cents = sum(lines)
  const period = newest(book)
  book.due = lines
  book.attempts.push({ n: period.n, day: today, outcome, amount_cents, card: card.lastFour })
  book.isForbidden ||= FORBIDDEN.includes(outcome)
  if (outcome !== 'captured') return outcome
  period.state = 'paid'
  book.receipts.push({ n: period.n, day: today, lines, card: card.lastFour, refunded_cents: 0 })
  return outcome
}

/** A charge settles when the next month begins, so that its price can be announced. */
function charge(book: Book): void {
  tryCard(book)
  if (!book.isRacing) announceRises(book)
}

/** Only scheduled tries are counted: the member may try new cards until the last one. A card is tried once a day. */
function tryCard(book: Book): void {
  const { today } = book
  const card = book.card.lastFour
  const { starts_on } = newest(book)
  if (askBank(book) === 'captured') {
    receiptEmail(book, book.due, card)
    return
  }
  const tries = TRIES.map((each) => daysLater(starts_on, each))
  book.nextTry = tries.find((each) => each > today)
  const isLast = book.isForbidden ? today >= daysLater(starts_on, GIVES_UP) : !book.nextTry
  if (isLast) end(book)
  else declinedEmail(book, sum(book.due), card)
}

/** On the renewal day, or later: then the time in between is free, and the renewal day moves. */
export function beginPeriod(book: Book): void {
  const { today } = book
  let period = newest(book)
  const missedFrom = period.state === 'due' ? period.starts_on : period.ends_on
  if (period.state === 'due') Object.assign(period, { state: 'waived', ends_on: first(period.ends_on, today) })
  while (period.ends_on < today) {
    period = addPeriod(book, 'waived')
    period.ends_on = first(period.ends_on, today)
  }
  const n = period.n + 1
  if (missedFrom < today) {
    resumedEmail(book, missedFrom, today)
    book.remindOn = first(book.remindOn, daysLater(today, 1))
    tellAgain(book, (from) => startOf(book, n) === today && from >= today, today)
  }
  if (startOf(book, n) !== today) moveTo(book, today, n)
  addPeriod(book, 'due')
  book.lines = linesFrom(book.lines, today)
  book.due = book.lines
}

/** What the site does on its own. */
export function work(book: Book): void {
  const { today } = book
  if (book.isEnded || !book.isCharging) return
  if (book.canceledOn) {
    if (isOver(book)) end(book)
    return
  }
  if (book.isHeld) return
  if (book.isNextWaived && newest(book).state !== 'due' && today >= newest(book).ends_on) {
    book.isNextWaived = false
    addPeriod(book, 'waived')
    book.lines = linesFrom(book.lines, newest(book).starts_on)
  }
  const period = newest(book)
  const lastDay = daysLater(period.starts_on, GIVES_UP)
  if (book.isForbidden && (period.state === 'due' || today >= period.ends_on)) {
    if (today >= (period.state === 'due' ? first(lastDay, period.ends_on) : period.ends_on)) end(book)
    return
  }
  const isMissed = period.state === 'due' ? today > lastDay : today >= period.ends_on
  if (isMissed) beginPeriod(book)
  else if (period.state !== 'due' || !book.nextTry || today < book.nextTry) return
  charge(book)
}

/** The first reminder on or after a day, a number of days before a new year of membership. */
export function reminderFrom({ yearsFrom }: Book, day: string): string {
  for (let years = 1; ; years++) {
    const reminder = daysBefore(monthsLater(yearsFrom, 12 * years), REMINDER_DAYS)
    if (reminder >= day) return reminder
  }
}

export function remind(book: Book): void {
  const { today } = book
  if (!book.isCharging || today < book.remindOn) return
  if (reminderFrom(book, book.remindOn) <= today && isRenewing(book)) reminderEmail(book)
  book.remindOn = reminderFrom(book, daysLater(today, 1))
}

/** 'refused': the site has to say no. 'nothing': the drill doesn't try. Otherwise, what the dialog shows before. */
type Done = 'refused' | 'nothing' | { shown: string } | undefined
type Rule = (book: Book, prices: ReadonlyMap<number, number>) => Done

const isUndisturbed = (book: Book) => book.isCharging && isRenewing(book) && newest(book).ends_on > book.today

const putOnFile =
  (kind: NewCard): Rule =>
  (book) => {
    const { number, answer } = newCards[kind]
    if (answer === 'refused') return undefined
    book.card = { lastFour: number.slice(-4), answer }
    book.isForbidden = false
    cardEmail(book)
    if (newest(book).state === 'due' && book.isCharging && !book.isHeld && !book.isEnded) charge(book)
    return undefined
  }

function hold(book: Book): void {
  if (book.isHeld) return
  heldEmail(book)
  book.isHeld = true
  book.missed.held.clear()
}

const refund =
  (part?: number): Rule =>
  (book) => {
    const receipt = book.receipts.at(-1)
    const isSettled = receipt && receipt.day < daysBefore(book.today, 1)
    if (!isSettled || receipt.isDisputed) return 'nothing'
    const paid_cents = sum(receipt.lines)
    const cents = part ?? paid_cents - receipt.refunded_cents
    if (cents + receipt.refunded_cents > paid_cents) return 'nothing'
    receipt.refunded_cents += cents
    refundEmail(book, { cents, paid_cents, paidOn: receipt.day, card: receipt.card })
    return undefined
  }

export const rules: Record<ActionKind, Rule> = {
  cancel: (book) => {
    if (book.canceledOn || book.isEnded) return 'nothing'
    const endsOn = paidUntil(book)
    book.canceledOn = book.today
    book.missed.canceled.clear()
    if (newest(book).state === 'due' || endsOn < book.today) {
      end(book)
      return { shown: '' }
    }
    book.endsOn = endsOn
    canceledEmail(book)
    return { shown: endsOn }
  },
  resume: (book) => {
    if (isOver(book)) return 'refused'
    if (!book.canceledOn) return 'nothing'
    Object.assign(book, { canceledOn: undefined, endsOn: undefined })
    applyChanges(book, book.missed.canceled.values())
    keptEmail(book)
    return undefined
  },
  'come back': (book, prices) => {
    if (!isOver(book)) return 'nothing'
    if (!book.isCharging || book.isForbidden) return 'refused'
    if (!book.isEnded) return 'nothing' // on the day on which renewals are switched on
    const { today } = book
    const lines = book.lines.map(({ announced: _announced, ...line }) => ({
      ...line,
      renewal_cents: prices.get(line.product_id) ?? line.renewal_cents,
    }))
    const n = newest(book).n + 1
    Object.assign(book, { lines, due: lines, anchor: { day: today, n, date: dateOf(today) }, yearsFrom: today })
    book.remindOn = first(book.remindOn, daysLater(today, 1))
    const period = addPeriod(book, 'due')
    const shown = (sum(lines) / 100).toFixed(2)
    if (askBank(book) !== 'captured') period.state = 'unpaid'
    else {
      Object.assign(book, { isEnded: false, endsOn: undefined, canceledOn: undefined })
      receiptEmail(book, book.due, book.card.lastFour)
    }
    return { shown }
  },
  drop: (book) => {
    if (book.lines.length === 1) return undefined
    book.lines = book.lines.slice(0, 1)
    stoppedEmail(book)
    return undefined
  },
  'new card': putOnFile('new card'),
  'poor card': putOnFile('poor card'),
  'stolen card': putOnFile('stolen card'),
  'refused card': putOnFile('refused card'),
  dispute: (book) => {
    const receipt = book.receipts.at(-1)
    if (!receipt || receipt.refunded_cents || receipt.isDisputed || book.isEnded) return 'nothing'
    receipt.isDisputed = true
    hold(book)
    return undefined
  },
  hold: (book) => {
    if (book.isEnded) return 'nothing'
    hold(book)
    return undefined
  },
  'lift hold': (book) => {
    if (!book.isHeld) return 'nothing'
    book.isHeld = false
    const tries = book.attempts.length
    applyChanges(book, book.missed.held.values(), () => work(book))
    if (book.attempts.length === tries) releasedEmail(book) // the emails about a charge tell the rest
    return undefined
  },
  move: (book) => {
    const { moveTo: date } = book.plan
    const period = newest(book)
    const inMonth = monthsLater(period.ends_on, 0, date)
    const shown = inMonth >= period.ends_on ? inMonth : monthsLater(`${period.ends_on.slice(0, 8)}01`, 1, date)
    if (!isUndisturbed(book) || period.state === 'due' || book.anchor.date === date) return 'refused'
    moveTo(book, shown, period.n + 1, date)
    period.ends_on = shown
    tellAgain(book, startsSoon(book))
    movedEmail(book)
    return { shown }
  },
  waive: (book) => {
    if (!isUndisturbed(book) || book.isNextWaived) return 'refused'
    const period = newest(book)
    const { n } = period
    if (period.state === 'due') Object.assign(period, { state: 'waived' })
    else {
      book.isNextWaived = true
      tellAgain(book, (from) => from > startOf(book, n + 1))
    }
    const free = book.isNextWaived ? n + 1 : n
    waivedEmail(book, startOf(book, free), startOf(book, free + 1))
    return undefined
  },
  refund: refund(),
  'refund part': refund(PART_CENTS),
}
