import type { OfficeView } from '#contract/office/view.ts'
import type { Receipt } from '#contract/receipts.ts'
import { type Book, dueLines, isOver, linesFrom, newest, paidUntil, sum, waivedPeriod } from './book.ts'
import { daysLater } from './calendar.ts'
import { GIVES_UP } from './expected-emails.ts'
import type { Line } from './members.ts'
import { firstStartFrom } from './price-rules.ts'

/** What a member's office says about money and days. Both sides leave out what a membership that is over doesn't show. */
export type Screen = {
  state: string
  isHeld: boolean
  isChargedHere: boolean
  card: string
  next?: { on: string; price: string; lines: string[] }
  dearer?: { now: string; price: string; from: string }
  waived?: { starts_on: string; ends_on: string }
  /** The last day if the member cancels now; '' if that ends it immediately. */
  cancelEnds?: string
  canceledOn?: string
  endedOn?: string
  comeBack?: string
  problem?: { price: string; needsCard: boolean; retryOn: string; endsOn: string }
  receipts: string[]
}

const amount = (cents: number) => (cents / 100).toFixed(2)
const named = (lines: Line[]) => lines.map(({ name, renewal_cents }) => `${name} ${amount(renewal_cents)}`)

type Seen = Pick<OfficeView, 'membership'> & { renewals: Omit<Receipt, 'credit_notes'>[] }

/** The same from the office's answer. */
export function seenScreen({ membership, renewals }: Seen): Screen {
  const { is_over, renews_on, price, lines, new_price, waived, cancelled_on, payment_problem: problem } = membership
  return {
    state: membership.state,
    isHeld: membership.is_on_hold,
    isChargedHere: membership.is_charged_here,
    card: membership.card?.last_four ?? '',
    ...(is_over
      ? { endedOn: membership.ended_on ?? '', comeBack: membership.return_price ?? '' }
      : {
          next: { on: renews_on, price, lines: lines.map((line) => `${line.name} ${line.price}`) },
          ...(new_price ? { dearer: { now: new_price.now, price: new_price.price, from: new_price.from_on } } : {}),
          ...(waived ? { waived } : {}),
          ...(cancelled_on ? { canceledOn: cancelled_on } : { cancelEnds: membership.cancel_ends_on ?? '' }),
        }),
    ...(problem
      ? {
          problem: {
            price: problem.price,
            needsCard: problem.needs_new_card,
            retryOn: problem.retry_on ?? '',
            endsOn: problem.ends_on,
          },
        }
      : {}),
    receipts: renewals.map(
      ({ paid_on, starts_on, ends_on, total, lines: paid, card }) =>
        `${paid_on}, ${starts_on} to ${ends_on}, ${paid.map((line) => `${line.name} ${line.price}`).join(' + ')} = ${total}, ${card?.last_four}`,
    ),
  }
}

export function expectedScreen(book: Book, prices: ReadonlyMap<number, number>): Screen {
  const period = newest(book)
  const isPastDue = period.state === 'due'
  const over = isOver(book)
  return {
    state: over ? 'ended' : isPastDue ? 'past_due' : 'active',
    isHeld: book.isHeld,
    isChargedHere: book.isCharging,
    card: book.card.lastFour,
    ...(over ? endOf(book, prices) : nextOf(book)),
    ...(isPastDue ? { problem: problemOf(book) } : {}),
    receipts: book.receipts
      .map(({ n, day, lines, card }) => {
        const { starts_on = '', ends_on = '' } = book.periods[n] ?? {}
        return `${day}, ${starts_on} to ${ends_on}, ${named(lines).join(' + ')} = ${amount(sum(lines))}, ${card}`
      })
      .reverse(),
  }
}

function nextOf(book: Book) {
  const on = paidUntil(book)
  const waived = waivedPeriod(book)
  const lines = linesFrom(book.lines, waived?.ends_on ?? on)
  const isUnpaid = newest(book).state === 'due' || on < book.today
  return {
    next: { on, price: amount(sum(lines)), lines: named(lines) },
    ...dearer(book, on),
    ...(waived ? { waived } : {}),
    ...(book.canceledOn ? { canceledOn: book.canceledOn } : { cancelEnds: isUnpaid ? '' : on }),
  }
}

function dearer(book: Book, renewsOn: string): Pick<Screen, 'dearer'> {
  const days = book.lines.flatMap(({ announced }) => (announced?.isTold ? [announced.from] : []))
  if (!days.length) return {}
  const from = firstStartFrom(book, days.sort()[0] ?? '')
  if (from < renewsOn) return {}
  return { dearer: { now: amount(sum(book.lines)), price: amount(sum(linesFrom(book.lines, from))), from } }
}

const endOf = (book: Book, prices: ReadonlyMap<number, number>) => {
  const cents = book.lines.map(({ product_id, renewal_cents }) => prices.get(product_id) ?? renewal_cents)
  const total = cents.reduce((one, other) => one + other, 0)
  return { endedOn: book.endsOn ?? '', comeBack: book.isCharging ? amount(total) : '' }
}

function problemOf(book: Book) {
  const { starts_on } = newest(book)
  const willTry = !book.isForbidden && !book.isHeld && book.nextTry !== undefined && book.nextTry > book.today
  return {
    price: amount(sum(dueLines(book))),
    needsCard: book.isForbidden,
    retryOn: willTry ? (book.nextTry ?? '') : '',
    endsOn: daysLater(starts_on, GIVES_UP),
  }
}
