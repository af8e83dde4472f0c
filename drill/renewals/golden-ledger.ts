import { daysLater, monthsLater } from './calendar.ts'
import type { Action, Plan } from './members.ts'

// What has to happen to a member, worked out day by day from the rules in words. It shares no code with the product.

export type Attempt = { n: number; day: string; outcome: string; amount_cents: number; card: number }
export type Period = { n: number; starts_on: string; ends_on: string; state: 'paid' | 'due' | 'waived' | 'unpaid' }
export type Golden = {
  attempts: Attempt[]
  periods: Period[]
  state: 'active' | 'past_due' | 'ended'
  emails: { receipts: number; declines: number; ends: number }
}

/** The days on which the clock runs, and those on which the site is up. */
export type Schedule = { days: string[]; isUp: (day: string) => boolean }

const TRIES = [0, 3, 7, 14]
const GIVES_UP = 14
/** Where the issuer says: never again. */
const FORBIDDEN = ['41', '43', 'R1']
/** A canceled membership has ended everywhere in the world by then. */
const DAYS_TO_END = 3

/** The first day from this one on that the site is up. */
export const firstUp = (day: string, { isUp }: Schedule): string =>
  isUp(day) ? day : firstUp(daysLater(day, 1), { days: [], isUp })

export const dayOf = ({ joinedOn }: Plan, { period, day }: Pick<Action, 'period' | 'day'>): string =>
  daysLater(monthsLater(joinedOn, period), day)

/**
 * In a race between a cancellation and a charge, both orders are right. If the request to charge is lost, the membership ends
 * with a month that has begun and is not paid.
 */
export const raceWinners = ['charge', 'cancellation', 'lost request'] as const
type RaceWinner = (typeof raceWinners)[number]

export function goldenLedger(plan: Plan, schedule: Schedule, raceWonBy: RaceWinner = 'charge'): Golden {
  const startOf = (n: number) => monthsLater(plan.joinedOn, n)
  const attempts: Attempt[] = []
  const emails = { receipts: 0, declines: 0, ends: 0 }
  const newPeriod = (n: number, state: Period['state']): Period => ({
    n,
    starts_on: startOf(n),
    ends_on: startOf(n + 1),
    state,
  })
  let current = newPeriod(0, 'paid')
  const periods = [current]
  let lines = plan.lines
  let declines = 0
  let lastTry = ''
  let card = 0
  let bank: string[] = []
  let isForbidden = false
  let isHeld = false
  let isCanceled = false
  let isEnded = false

  const end = () => {
    if (current.state === 'due') current.state = 'unpaid'
    isEnded = true
    emails.ends += 1
  }
  const charge = (day: string) => {
    const outcome = (card === 0 && bank.shift()) || 'captured'
    const amount_cents = lines.reduce((sum, { renewal_cents }) => sum + renewal_cents, 0)
    attempts.push({ n: current.n, day, outcome, amount_cents, card })
    if (outcome === 'captured') {
      current.state = 'paid'
      declines = 0
      emails.receipts += 1
      return
    }
    declines += 1
    lastTry = day
    isForbidden ||= FORBIDDEN.includes(outcome)
    const isOver = isForbidden ? day >= daysLater(current.starts_on, GIVES_UP) : declines === TRIES.length
    if (isOver) end()
    else emails.declines += 1
  }
  const beginPeriods = (day: string) => {
    if (current.state === 'due') current.state = 'waived'
    while (day >= current.ends_on) {
      current = newPeriod(current.n + 1, 'waived')
      periods.push(current)
    }
    current.state = 'due'
    declines = 0
  }
  const work = (day: string) => {
    if (isEnded || isHeld) return
    if (isCanceled) {
      if (day >= daysLater(current.ends_on, DAYS_TO_END)) end()
      return
    }
    if (day >= current.ends_on && isForbidden) return end()
    if (day >= current.ends_on) {
      beginPeriods(day)
      return charge(day)
    }
    if (current.state !== 'due' || day <= lastTry) return
    if (isForbidden) return day >= daysLater(current.starts_on, GIVES_UP) ? end() : undefined
    if (day >= daysLater(current.starts_on, TRIES[declines] ?? GIVES_UP)) charge(day)
  }
  const act = (kind: Action['kind'], day: string) => {
    if (isEnded) return
    if (kind === 'hold') isHeld = true
    if (kind === 'drop') lines = lines.slice(0, 1)
    if (kind === 'resume') isCanceled = false
    if (kind === 'cancel' && current.state === 'due') end()
    else if (kind === 'cancel') isCanceled = true
    if (kind === 'new card') {
      card += 1
      isForbidden = false
      if (current.state === 'due') charge(day)
    }
  }

  const actions = plan.actions.map((action) => ({ ...action, on: firstUp(dayOf(plan, action), schedule) }))
  const { race } = plan
  const raceOn = race?.kind === 'cancel' ? firstUp(startOf(race.period), schedule) : ''
  const scriptOf = new Map([...plan.declines].map(([n, script]) => [startOf(n), script]))
  for (const day of schedule.days) {
    const { code, times } = scriptOf.get(day) ?? { code: '', times: 0 }
    bank = [...bank, ...Array<string>(times).fill(code)]
    if (!schedule.isUp(day)) continue
    if (day === raceOn && raceWonBy === 'lost request') beginPeriods(day)
    if (day === raceOn && raceWonBy !== 'charge') act('cancel', day)
    work(day)
    if (day === raceOn && raceWonBy === 'charge') act('cancel', day)
    for (const { kind, on } of actions) if (on === day) act(kind, day)
  }
  const state = isEnded ? 'ended' : current.state === 'due' ? 'past_due' : 'active'
  return { attempts, periods, state, emails }
}
