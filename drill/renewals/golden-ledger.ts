import { type Act, type Attempt, type Book, type ExpectedEmail, newBook, newest, type Period } from './book.ts'
import { daysLater, monthsLater } from './calendar.ts'
import { sendEmails, write } from './expected-emails.ts'
import { expectedScreen, type Screen } from './expected-screen.ts'
import type { Action, Plan } from './members.ts'
import type { PriceChange } from './price-changes.ts'
import { announceRises, changePrice } from './price-rules.ts'
import { beginPeriod, remind, reminderFrom, rules, work } from './rules.ts'

/** What has to happen to a member, worked out day by day. It shares no code with the product. */
export type Golden = {
  attempts: Attempt[]
  periods: Period[]
  state: 'active' | 'past_due' | 'ended'
  isOnHold: boolean
  emails: ExpectedEmail[]
  acts: Act[]
  /** What the office shows at the end of each day on which that changes. */
  screens: Map<string, Screen>
}

/** The days on which the clock runs, and what works on each of them. */
export type Schedule = {
  days: string[]
  isUp: (day: string) => boolean
  /** RENEWALS is on. */
  isCharging: (day: string) => boolean
  /** The mail server answers. It is back in the evening of its last day. */
  hasMail: (day: string) => boolean
}
/** The packages' prices on the first day, and their changes by day. */
export type Prices = { first: ReadonlyMap<number, number>; changes: ReadonlyMap<string, PriceChange> }

/** The first day from this one on that the site is up. */
export const firstUp = (day: string, schedule: Schedule): string =>
  schedule.isUp(day) ? day : firstUp(daysLater(day, 1), schedule)

export const periodStart = ({ joinedOn, months }: Plan, period: number): string =>
  monthsLater(joinedOn, period * months)

const dayOf = (plan: Plan, { period, day }: Pick<Action, 'period' | 'day'>): string =>
  daysLater(periodStart(plan, period), day)

type RaceWinner = 'charge' | 'member' | 'lost request'

/**
 * In a race between a member and a charge, both orders are right. If the request to charge is lost, a canceled membership ends
 * with a month that has begun and is not paid. A cancellation that comes first cannot be taken back after a downtime that has
 * outlasted the paid month.
 */
export const raceWinners = ({ race }: Plan): RaceWinner[] =>
  race?.kind === 'cancel' ? ['charge', 'member', 'lost request'] : race ? ['charge', 'member'] : ['charge']

export function goldenLedger(plan: Plan, schedule: Schedule, prices: Prices, raceWonBy: RaceWinner = 'charge'): Golden {
  const book = newBook(plan)
  book.remindOn = reminderFrom(book, plan.joinedOn)
  const offers = new Map(prices.first)
  const actions = plan.actions.map((action) => ({ ...action, on: firstUp(dayOf(plan, action), schedule) }))
  const raceOn = plan.race ? firstUp(periodStart(plan, plan.race.period), schedule) : ''
  const scriptOf = new Map([...plan.declines].map(([n, script]) => [periodStart(plan, n), script]))
  const screens = new Map<string, Screen>()
  let shown = ''

  for (const day of schedule.days) {
    const { code, times } = scriptOf.get(day) ?? { code: '', times: 0 }
    book.bank = [...book.bank, ...Array<string>(times).fill(code)]
    if (!schedule.isUp(day)) continue
    const send = () => (schedule.hasMail(day) ? sendEmails(book) : undefined)
    Object.assign(book, { today: day, isCharging: schedule.isCharging(day), isRacing: day === raceOn })
    if (day === raceOn) runRace(book, raceWonBy)
    else work(book)
    send()
    book.isRacing = false
    const change = prices.changes.get(day)
    if (change) {
      offers.set(change.product_id, change.new_cents)
      changePrice(book, change)
      send()
    }
    for (const { kind, on } of actions) {
      if (on !== day) continue
      const done = rules[kind](book, offers)
      if (done === 'nothing') continue
      book.acts.push({ day, kind, ...(done === 'refused' ? { isRefused: true } : done) })
      if (kind === 'dispute') continue // the site finds it at night
      work(book)
      send()
    }
    remind(book)
    if (book.isCharging) announceRises(book)
    if (schedule.hasMail(day) || schedule.hasMail(daysLater(day, 1))) sendEmails(book)
    if (day < plan.joinedOn) continue
    const screen = expectedScreen(book, offers)
    if (JSON.stringify(screen) !== shown) screens.set(day, screen)
    shown = JSON.stringify(screen)
  }
  const { attempts, periods, isHeld, emails, acts } = book
  const state = book.isEnded ? 'ended' : newest(book).state === 'due' ? 'past_due' : 'active'
  return { attempts, periods, state, isOnHold: isHeld, emails, acts, screens }
}

/** The member acts at the moment of the charge. A cancellation that is taken back leaves no trace, unless it came too late. */
function runRace(book: Book, wonBy: RaceWinner): void {
  const { plan, today } = book
  const act = () => {
    if (plan.race?.kind === 'new card') rules['new card'](book, new Map())
    else if (plan.race?.kind === 'cancel' || today > newest(book).ends_on) rules.cancel(book, new Map())
  }
  for (const kind of ['canceled', 'kept'] as const) if (plan.race?.kind !== 'new card') write(book, kind, () => ['…'])
  if (plan.race?.kind === 'new card') write(book, 'card', () => ['…']) // a member whose answer is lost presses again
  if (wonBy === 'lost request') beginPeriod(book)
  if (wonBy !== 'charge') act()
  work(book)
  if (wonBy === 'charge') act()
}
