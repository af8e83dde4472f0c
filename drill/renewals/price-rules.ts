import { type Book, isRenewing, linesFrom, type MadeChange, newest, type PricedLine, startOf, sum } from './book.ts'
import { daysBefore, daysLater, longDate } from './calendar.ts'
import { dollars, write } from './expected-emails.ts'
import type { PriceChange } from './price-changes.ts'

const LEAST_NOTICE = 7
const MOST_NOTICE = 30
/** An email that was not sent by then is written again. */
const AGAIN_AFTER = 5

const last = (...days: string[]) => days.sort().at(-1) ?? ''

/** The first renewal to pay from a day on. */
export function firstStartFrom(book: Book, day: string): string {
  let n = newest(book).n + (book.isNextWaived ? 2 : 1)
  while (startOf(book, n) < day) n++
  return startOf(book, n)
}

/** A member who has canceled or is on hold is told later. */
export function changePrice(book: Book, change: PriceChange): void {
  const made = { change, madeOn: book.today }
  if (book.canceledOn) book.missed.canceled.set(change.product_id, made)
  if (book.isHeld) book.missed.held.set(change.product_id, made)
  if (isRenewing(book)) applyChanges(book, [made])
}

/** A higher price applies after the notice, a lower one immediately. What happens next, such as a charge, comes before the emails. */
export function applyChanges(book: Book, changes: Iterable<MadeChange>, next?: () => void): void {
  const before = book.lines
  for (const { change, madeOn } of changes) applyChange(book, change, madeOn)
  const after = book.lines
  const tries = book.attempts.length
  next?.()
  if (!isRenewing(book)) return
  const on = book.attempts.length > tries ? book.today : firstStartFrom(book, '')
  for (const [index, line] of before.entries()) {
    const { renewal_cents = 0, announced } = after[index] ?? {}
    const isWithdrawn = line.announced?.isTold && !announced
    if (renewal_cents < line.renewal_cents || isWithdrawn) lowerEmail(book, line, renewal_cents, on)
  }
  if (book.isCharging) announceRises(book)
}

/** A rise that is announced becomes smaller without waiting again. */
function applyChange(book: Book, { product_id, new_cents, notice_days }: PriceChange, madeOn: string): void {
  book.lines = book.lines.map((line) => {
    const { announced, ...rest } = line
    if (line.product_id !== product_id || (announced?.cents ?? line.renewal_cents) === new_cents) return line
    if (new_cents <= line.renewal_cents) return { ...rest, renewal_cents: new_cents }
    const from =
      announced && announced.cents >= new_cents ? announced.from : firstStartFrom(book, daysLater(madeOn, notice_days))
    return { ...rest, announced: { cents: new_cents, from, isTold: false } }
  })
}

/** The first renewal at a higher price, if its email is sent on this day. */
const firstAtRise = (book: Book, from: string, day: string) =>
  firstStartFrom(book, last(from, daysLater(day, LEAST_NOTICE)))

/** The email about a higher price comes 7 to 30 days before the period that it names. */
export function announceRises(book: Book): void {
  if (!isRenewing(book)) return
  const { today } = book
  book.lines = book.lines.map((line) => {
    const { announced } = line
    if (!announced || announced.isTold || (announced.notBefore ?? '') > today) return line
    const earliest = announced.writtenOn ? last(today, daysLater(announced.writtenOn, AGAIN_AFTER)) : today
    if (last(earliest, daysBefore(firstAtRise(book, announced.from, earliest), MOST_NOTICE)) > today) return line
    riseEmail(book, line, announced.cents)
    return { ...line, announced: { ...announced, writtenOn: today } }
  })
}

/** Prices whose email names a day that no longer holds need a new email: where staff have moved that day, not before tomorrow. */
export function tellAgain(book: Book, holds: (from: string) => boolean, notBefore = daysLater(book.today, 1)): void {
  book.lines = book.lines.map((line) => {
    const { announced } = line
    if (!announced?.isTold || holds(announced.from)) return line
    return { ...line, announced: { cents: announced.cents, from: announced.from, isTold: false, notBefore } }
  })
}

/** After the renewal day moved: the price still starts within 30 days. */
export const startsSoon = (book: Book) => (from: string) =>
  firstStartFrom(book, from) <= daysLater(book.today, MOST_NOTICE)

/** The member's line, if the price is still the newest one. */
function current(book: Book, product_id: number, cents: number): PricedLine | undefined {
  const line = book.lines.find((each) => each.product_id === product_id)
  return line && !book.isEnded && (line.announced?.cents ?? line.renewal_cents) === cents ? line : undefined
}

/** What a charge on a day costs with the new price, if there is more than this line. */
const totalOn = (book: Book, lines: PricedLine[], day: string) =>
  book.lines.length > 1 ? [dollars(sum(linesFrom(lines, day)))] : []

function lowerEmail(book: Book, { product_id, renewal_cents }: PricedLine, cents: number, on: string): void {
  if (!book.isCharging && cents < renewal_cents) return // it would name a charge
  write(book, 'price', () => {
    if (!current(book, product_id, cents)) return undefined
    if (cents === renewal_cents) return [dollars(cents)]
    return [dollars(renewal_cents), dollars(cents), longDate(on), ...totalOn(book, book.lines, on)]
  })
}

function riseEmail(book: Book, { product_id, renewal_cents }: PricedLine, cents: number): void {
  /** The lines after the email, and the day that it names. */
  const told = () => {
    const line = current(book, product_id, cents)
    if (!line?.announced || line.announced.isTold) return undefined
    const announced = { ...line.announced, from: firstAtRise(book, line.announced.from, book.today), isTold: true }
    if (announced.from > daysLater(book.today, MOST_NOTICE)) return undefined
    return { on: announced.from, lines: book.lines.map((each) => (each === line ? { ...line, announced } : each)) }
  }
  const facts = () => {
    const after = told()
    if (!after) return undefined
    const on = longDate(after.on)
    return [dollars(renewal_cents), dollars(cents), on, ...totalOn(book, after.lines, after.on), on]
  }
  write(book, 'price', facts, () => {
    book.lines = told()?.lines ?? book.lines
  })
}
