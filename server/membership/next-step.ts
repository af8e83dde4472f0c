import { addDays, periodOn, periodStart } from '#contract/renewal.ts'
import type { Tables } from '#server/db/tables.ts'

/** The days of a period on which its charge is tried: when it begins, and again after each decline. */
export const TRY_ON_DAYS = [0, 3, 7, 14]
/** The day of a period on which a membership ends whose card may not be tried again. */
export const LAST_DAY = 14

type Columns =
  | ('state' | 'period' | 'declines' | 'on_hold_since' | 'never_retry_since')
  | ('anchor_on' | 'anchor_period' | 'billing_interval' | 'waived_period')
export type Situation = Pick<Tables['membership'], Columns> & {
  /** Of the newest period. */
  period_state: Tables['period']['state']
  cancelled_at: Date | null
}

export type NextStep =
  /** Charge this period. Periods that were missed before it are waived. */
  | { step: 'charge'; n: number }
  /** Staff have made this period free. */
  | { step: 'waive'; n: number }
  | { step: 'wait'; until: string }
  | { step: 'end'; why: 'canceled' | 'unpaid' }
  | { step: 'nothing' }

/** What has to happen with a membership on a day. */
export function nextStep(membership: Situation, today: string): NextStep {
  const { state, period, declines } = membership
  if (state === 'ended' || membership.on_hold_since) return { step: 'nothing' }
  const running = runningPeriod(membership, today)
  if (membership.cancelled_at)
    return running > period
      ? { step: 'end', why: 'canceled' }
      : { step: 'wait', until: startsOn(membership, period + 1) }
  if (running > period && running === membership.waived_period) return { step: 'waive', n: running }
  if (running > period)
    return membership.never_retry_since ? { step: 'end', why: 'unpaid' } : { step: 'charge', n: running }
  if (membership.period_state !== 'due') return { step: 'wait', until: startsOn(membership, period + 1) }
  const day = membership.never_retry_since ? LAST_DAY : TRY_ON_DAYS[declines]
  if (day === undefined) return { step: 'end', why: 'unpaid' }
  const until = addDays(startsOn(membership, period), day)
  if (today < until) return { step: 'wait', until }
  return membership.never_retry_since ? { step: 'end', why: 'unpaid' } : { step: 'charge', n: period }
}

export type Anchor = Pick<Situation, 'anchor_on' | 'anchor_period' | 'billing_interval'>

/** The period that a day belongs to. */
export const runningPeriod = ({ anchor_on, anchor_period, billing_interval }: Anchor, today: string): number =>
  anchor_period + periodOn(anchor_on, today, billing_interval)

/** The first day of a period. */
export const startsOn = ({ anchor_on, anchor_period, billing_interval }: Anchor, n: number): string =>
  periodStart(anchor_on, n - anchor_period, billing_interval)

/**
 * How many scheduled tries of the newest period are over with one on this day. One that was late uses up those it has
 * overtaken, so that a card is never tried again the next day.
 */
export const scheduledTries = (membership: Anchor & Pick<Situation, 'period'>, day: string): number =>
  TRY_ON_DAYS.filter((each) => addDays(startsOn(membership, membership.period), each) <= day).length

/** Whether the next try is the last one. */
export const isLastTry = ({ declines }: Pick<Situation, 'declines'>) => declines >= TRY_ON_DAYS.length - 1
