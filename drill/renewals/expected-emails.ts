import { type Book, dueLines, type EmailKind, isRenewing, newest, nextCharge, paidUntil, sum } from './book.ts'
import { daysLater, longDate } from './calendar.ts'
import type { Line } from './members.ts'

// Every amount, date and card that an email has to name, in the order of its text.

export const GIVES_UP = 14

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`
export const cardName = (lastFour: string): string => `ending in ${lastFour}`

type Write = () => string[] | undefined

/** Puts an email in line. It says what is true when it is sent. */
export function write(book: Book, kind: EmailKind, facts: Write, onSent?: () => void): void {
  const isAfterRace = kind === 'receipt' || kind === 'ended'
  if (!book.isRacing) book.waiting.push({ kind, write: facts, ...(onSent ? { onSent } : {}) })
  else if (isAfterRace) book.waiting.push({ kind, write: () => facts() && ['…'] })
  else book.waiting.push({ kind, write: () => ['…'], isOptional: true })
}

/**
 * The mail server takes what is waiting, in any order: an email may be written before or after the others have been sent, and
 * one about a price changes what the next charge is.
 */
export function sendEmails(book: Book): void {
  const { lines } = book
  const waiting = book.waiting.splice(0)
  for (const email of waiting) {
    const facts = email.write()
    for (const other of waiting) if (other !== email) other.onSent?.()
    const orFacts = email.write() ?? facts
    book.lines = lines
    if (facts)
      book.emails.push({
        day: book.today,
        kind: email.kind,
        facts: same(facts, orFacts ?? facts),
        ...(email.isOptional ? { isOptional: true } : {}),
      })
  }
  for (const { onSent } of waiting) onSent?.()
}

/** What two versions of an email have in common. */
function same(facts: string[], orFacts: string[]): string[] {
  const index = facts.findIndex((fact, at) => fact !== orFacts[at])
  return index < 0 ? facts : [...facts.slice(0, index), '…']
}

/** '$99.00', 'March 31, 2028' */
export function next(book: Book): string[] {
  const { on, cents } = nextCharge(book)
  return [dollars(cents), longDate(on)]
}

const whatComesNext = (book: Book): string[] => {
  if (book.isEnded) return []
  if (book.canceledOn) return [longDate(paidUntil(book))]
  return isRenewing(book) ? next(book) : []
}

/** The same after a change: a charge that was declined is tried again. */
const whatHappensNext = (book: Book): string[] => {
  const period = newest(book)
  if (!isRenewing(book) || period.state !== 'due') return whatComesNext(book)
  if (book.isForbidden) return [longDate(daysLater(period.starts_on, GIVES_UP))]
  const { nextTry = '' } = book
  return [dollars(sum(dueLines(book))), ...(nextTry > book.today ? [longDate(nextTry)] : [])]
}

export function receiptEmail(book: Book, lines: Line[], card: string): void {
  const period = newest(book)
  const day = longDate(book.today)
  const amount = dollars(sum(lines))
  const prices = lines.map(({ renewal_cents }) => dollars(renewal_cents))
  write(book, 'receipt', () => [
    ...[amount, cardName(card), longDate(period.starts_on), longDate(period.ends_on)],
    ...[...prices, amount, day],
    ...whatComesNext(book),
  ])
}

export function declinedEmail(book: Book, amount_cents: number, card: string): void {
  const period = newest(book)
  write(book, 'declined', () => {
    if (period.state !== 'due') return undefined // paid in the meantime
    const last = book.isForbidden ? daysLater(period.starts_on, GIVES_UP) : (book.nextTry ?? '')
    return [dollars(amount_cents), cardName(card), longDate(period.starts_on), longDate(last)]
  })
}

export const endedEmail = (book: Book): void => write(book, 'ended', () => [])

export function canceledEmail(book: Book): void {
  write(book, 'canceled', () => {
    if (!book.canceledOn) return undefined
    const end = longDate(paidUntil(book))
    return [longDate(book.canceledOn), end, end]
  })
}

export const keptEmail = (book: Book): void => write(book, 'kept', () => (book.canceledOn ? undefined : next(book)))

export function resumedEmail(book: Book, missedFrom: string, day: string): void {
  write(book, 'resumed', () => [missedFrom, day, day].map(longDate))
}

export function waivedEmail(book: Book, starts_on: string, ends_on: string): void {
  write(book, 'waived', () => [...[starts_on, ends_on].map(longDate), ...(isRenewing(book) ? next(book) : [])])
}

export const movedEmail = (book: Book): void => write(book, 'moved', () => (isRenewing(book) ? next(book) : undefined))

export function refundEmail(book: Book, refund: { cents: number; paid_cents: number; paidOn: string; card: string }) {
  const day = longDate(book.today)
  const { cents, paid_cents, paidOn, card } = refund
  const amount = dollars(cents)
  const paid = cents === paid_cents ? [] : [dollars(paid_cents)]
  write(book, 'refund', () => [
    ...[amount, ...paid, longDate(paidOn), cardName(card)],
    ...[amount, amount, day],
    ...whatHappensNext(book),
  ])
}

export const reminderEmail = (book: Book): void =>
  write(book, 'reminder', () =>
    isRenewing(book) ? [longDate(book.plan.joinedOn), ...next(book), cardName(book.card.lastFour)] : undefined,
  )

export function cardEmail(book: Book): void {
  const { lastFour } = book.card
  const day = longDate(book.today)
  write(book, 'card', () => [cardName(lastFour), ...(day.startsWith('May') ? [day] : [])]) // its short form is the same
}

export const stoppedEmail = (book: Book): void => write(book, 'stopped', () => whatHappensNext(book))

export const heldEmail = (book: Book): void =>
  write(book, 'held', () => (book.isHeld && !book.isEnded ? whatComesNext(book) : undefined))

export const releasedEmail = (book: Book): void =>
  write(book, 'released', () => (book.isHeld || book.isEnded ? undefined : whatHappensNext(book)))
