import { daysBefore, daysBetween, daysLater, monthsLater } from './calendar.ts'
import type { Action, Line, Plan } from './members.ts'
import type { PriceChange } from './price-changes.ts'

// What has to happen to a member, worked out day by day from the rules in words. It shares no code with the product.

export type Attempt = { n: number; day: string; outcome: string; amount_cents: number; card: number }
export type Period = { n: number; starts_on: string; ends_on: string; state: 'paid' | 'due' | 'waived' | 'unpaid' }
export type Golden = {
  attempts: Attempt[]
  periods: Period[]
  state: 'active' | 'past_due' | 'ended'
  isOnHold: boolean
  emails: { receipts: number; declines: number; ends: number; prices: number; reminders: number; resumed: number }
}

/** The days on which the clock runs, and those on which the site is up. */
export type Schedule = {
  days: string[]
  isUp: (day: string) => boolean
}
type Prices = ReadonlyMap<string, PriceChange>

const TRIES = [0, 3, 7, 14]
const GIVES_UP = 14
/** Where the issuer says: never again. */
const FORBIDDEN = ['41', '43', 'R1']

/** A year of membership is announced so many days before it begins. */
const REMINDER_DAYS = 30
const LEAST_NOTICE_DAYS = 7
const MOST_NOTICE_DAYS = 30

/** The first day from this one on that the site is up. */
export const firstUp = (day: string, schedule: Schedule): string =>
  schedule.isUp(day) ? day : firstUp(daysLater(day, 1), schedule)

export const periodStart = ({ joinedOn, months }: Plan, period: number): string =>
  monthsLater(joinedOn, period * months)

export const dayOf = (plan: Plan, { period, day }: Pick<Action, 'period' | 'day'>): string =>
  daysLater(periodStart(plan, period), day)

const first = (one: string, other: string) => (one < other ? one : other)
const last = (one: string, other: string) => (one > other ? one : other)

type RaceWinner = 'charge' | 'cancellation' | 'lost request'

/**
 * In a race between a cancellation and a charge, both orders are right. If the request to charge is lost, the membership ends
 * with a month that has begun and is not paid. A cancellation that comes first cannot be taken back after a downtime that has
 * outlasted the paid month.
 */
export const raceWinners = ({ race }: Plan): RaceWinner[] =>
  race?.kind === 'cancel' ? ['charge', 'cancellation', 'lost request'] : race ? ['charge', 'cancellation'] : ['charge']

/** A line with a price that was announced for a later day. */
type PricedLine = Line & { announced?: { cents: number; from: string; isTold: boolean } }

export function goldenLedger(plan: Plan, schedule: Schedule, prices: Prices, raceWonBy: RaceWinner = 'charge'): Golden {
  /** Periods are counted from here. It moves when a member could not be charged in time. */
  let anchor = { day: plan.joinedOn, n: 0 }
  const startOf = (n: number) => monthsLater(anchor.day, (n - anchor.n) * plan.months)
  const attempts: Attempt[] = []
  const emails = { receipts: 0, declines: 0, ends: 0, prices: 0, reminders: 0, resumed: 0 }
  const newPeriod = (n: number, state: Period['state']): Period => ({
    n,
    starts_on: startOf(n),
    ends_on: startOf(n + 1),
    state,
  })
  let current = newPeriod(0, 'paid')
  const periods = [current]
  let lines: PricedLine[] = plan.lines
  /** What the newest period costs. Until it is paid, it can only go down. */
  let due: Line[] = []
  /** Years are counted from here. */
  let yearsFrom = plan.joinedOn
  /** The day of the next scheduled try, if one is left. */
  let nextTry: string | undefined
  let card = 0
  let bank: string[] = []
  let isForbidden = false
  let isHeld = false
  let isCanceled = false
  let isEnded = false

  const end = () => {
    if (current.state === 'due') current.state = 'unpaid'
    isEnded = true
    isHeld = false
    emails.ends += 1
  }
  /** Only scheduled tries count: the member may try new cards until the last one. */
  const charge = (day: string, isMembers = false) => {
    due = due.flatMap((line) => {
      const now = lines.find(({ product_id }) => product_id === line.product_id)
      return now ? [{ ...line, renewal_cents: Math.min(line.renewal_cents, now.renewal_cents) }] : []
    })
    const amount_cents = due.reduce((sum, { renewal_cents }) => sum + renewal_cents, 0)
    const outcome = (card === 0 && bank.shift()) || 'captured'
    attempts.push({ n: current.n, day, outcome, amount_cents, card })
    if (outcome === 'captured') {
      current.state = 'paid'
      emails.receipts += 1
      return
    }
    if (!isMembers) nextTry = TRIES.map((each) => daysLater(current.starts_on, each)).find((each) => each > day)
    isForbidden ||= FORBIDDEN.includes(outcome)
    const isOver = isForbidden ? day >= daysLater(current.starts_on, GIVES_UP) : !nextTry
    if (isOver) end()
    else emails.declines += 1
  }
  /** The years move by as little as possible, so that no member waits much longer than a year for a reminder. */
  const moveTo = (day: string, n: number) => {
    anchor = { day, n }
    const from = plan.months === 12 ? 5 : 8
    yearsFrom = daysBetween(yearsFrom, day).find((each) => each.slice(from) === day.slice(from)) ?? day
    remindOn = first(remindOn, daysLater(day, 1))
  }
  /** On the renewal day, or later: then the time in between is free, and the renewal day moves. */
  const beginPeriod = (day: string) => {
    if (current.state === 'due' || current.ends_on < day) emails.resumed += 1
    if (current.state === 'due') Object.assign(current, { state: 'waived', ends_on: first(current.ends_on, day) })
    while (current.ends_on < day) {
      const next = newPeriod(current.n + 1, 'waived')
      current = { ...next, ends_on: first(next.ends_on, day) }
      periods.push(current)
    }
    const n = current.n + 1
    if (startOf(n) !== day) moveTo(day, n)
    current = newPeriod(n, 'due')
    periods.push(current)
    const { starts_on } = current
    lines = lines.map(({ announced, ...line }) => {
      if (!announced) return line
      return announced.isTold && announced.from <= starts_on
        ? { ...line, renewal_cents: announced.cents }
        : { ...line, announced }
    })
    due = lines
  }
  const work = (day: string) => {
    if (isEnded) return
    if (isCanceled) {
      if (day > current.ends_on) end()
      return
    }
    if (isHeld) return
    if (day >= current.ends_on && isForbidden) return end()
    const lastDay = daysLater(current.starts_on, GIVES_UP)
    if (current.state === 'due' && isForbidden) return day >= lastDay ? end() : undefined
    const isMissed = current.state === 'due' ? day > lastDay : day >= current.ends_on
    if (isMissed) beginPeriod(day)
    else if (current.state !== 'due' || !nextTry || day < nextTry) return
    charge(day)
  }
  /** The email names the first renewal after the notice, and the price applies from that day on, whatever moves. */
  const firstStartFrom = (day: string) => {
    let n = current.n + 1
    while (startOf(n) < day) n++
    return startOf(n)
  }
  /** A higher price applies after the notice, a lower one immediately. A rise that is announced becomes smaller without waiting again. */
  const changePrice = ({ product_id, new_cents, notice_days }: PriceChange, day: string) => {
    if (isEnded || isCanceled || isHeld) return
    lines = lines.map((line) => {
      const { announced, ...rest } = line
      if (line.product_id !== product_id || (announced?.cents ?? line.renewal_cents) === new_cents) return line
      if (new_cents < line.renewal_cents || (new_cents === line.renewal_cents && announced?.isTold)) emails.prices += 1
      if (new_cents <= line.renewal_cents) return { ...rest, renewal_cents: new_cents }
      const from =
        announced && announced.cents >= new_cents ? announced.from : firstStartFrom(daysLater(day, notice_days))
      return { ...rest, announced: { cents: new_cents, from, isTold: false } }
    })
    tellPrices(day)
  }
  /** The email about a higher price comes 7 to 30 days before the period that it names. */
  const tellPrices = (day: string) => {
    if (isEnded || isCanceled || isHeld) return
    lines = lines.map((line) => {
      const { announced } = line
      if (!announced || announced.isTold) return line
      const from = firstStartFrom(last(announced.from, daysLater(day, LEAST_NOTICE_DAYS)))
      if (from > daysLater(day, MOST_NOTICE_DAYS)) return line
      emails.prices += 1
      return { ...line, announced: { ...announced, from, isTold: true } }
    })
  }
  /** The first reminder on or after a day, a number of days before a new year of membership. */
  const reminderFrom = (day: string): string => {
    for (let years = 1; ; years++) {
      const reminder = daysBefore(monthsLater(yearsFrom, 12 * years), REMINDER_DAYS)
      if (reminder >= day) return reminder
    }
  }
  let remindOn = reminderFrom(plan.joinedOn)
  const remind = (day: string) => {
    if (day < remindOn) return
    if (reminderFrom(remindOn) <= day && !isEnded && !isCanceled && !isHeld) emails.reminders += 1
    remindOn = reminderFrom(daysLater(day, 1))
  }
  const act = (kind: Action['kind'], day: string) => {
    if (isEnded) return
    if (kind === 'dispute') isHeld = true
    if (kind === 'lift hold') {
      isHeld = false
      work(day)
    }
    if (kind === 'drop') lines = lines.slice(0, 1)
    if (kind === 'resume') isCanceled = false
    if (kind === 'cancel' && (current.state === 'due' || current.ends_on < day)) end()
    else if (kind === 'cancel') isCanceled = true
    if (kind === 'new card') {
      card += 1
      isForbidden = false
      if (current.state === 'due') charge(day, true)
    }
  }

  const actions = plan.actions.map((action) => ({ ...action, on: firstUp(dayOf(plan, action), schedule) }))
  const { race } = plan
  const raceOn = race ? firstUp(periodStart(plan, race.period), schedule) : ''
  const cancelInRace = (day: string) => {
    if (race?.kind === 'cancel' || day > current.ends_on) act('cancel', day)
  }
  const scriptOf = new Map([...plan.declines].map(([n, script]) => [periodStart(plan, n), script]))
  for (const day of schedule.days) {
    const { code, times } = scriptOf.get(day) ?? { code: '', times: 0 }
    bank = [...bank, ...Array<string>(times).fill(code)]
    if (!schedule.isUp(day)) continue
    if (day === raceOn && raceWonBy === 'lost request') beginPeriod(day)
    if (day === raceOn && raceWonBy !== 'charge') cancelInRace(day)
    work(day)
    if (day === raceOn && raceWonBy === 'charge') cancelInRace(day)
    const change = prices.get(day)
    if (change) changePrice(change, day)
    for (const { kind, on } of actions) if (on === day) act(kind, day)
    remind(day)
    tellPrices(day)
  }
  const state = isEnded ? 'ended' : current.state === 'due' ? 'past_due' : 'active'
  return { attempts, periods, state, isOnHold: isHeld, emails }
}
