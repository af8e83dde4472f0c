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
  /** A period begins today and is charged. What was missed before it is waived. */
  | { step: 'begin' }
  /** The newest period is charged again. */
  | { step: 'retry' }
  /** Staff have made the next period free. */
  | { step: 'waive' }
  | { step: 'wait'; until: string }
  | { step: 'end'; why: 'canceled' | 'unpaid' }
  | { step: 'nothing' }

/** What has to happen with a membership on a day. */
export function nextStep(membership: Situation, today: string): NextStep {
  const { state, period } = membership
  if (state === 'ended') return { step: 'nothing' }
  const next_on = startsOn(membership, period + 1)
  if (membership.cancelled_at)
    return today < next_on ? { step: 'wait', until: next_on } : { step: 'end', why: 'canceled' }
  if (membership.on_hold_since) return { step: 'nothing' }
  if (membership.period_state === 'due') return nextTry(membership, today)
  if (today < next_on) return { step: 'wait', until: next_on }
  if (membership.waived_period === period + 1) return { step: 'waive' }
  return membership.never_retry_since ? { step: 'end', why: 'unpaid' } : { step: 'begin' }
}

/** The same for a membership whose newest period is not paid. */
function nextTry(membership: Situation, today: string): NextStep {
  const starts_on = startsOn(membership, membership.period)
  const last_on = addDays(starts_on, LAST_DAY)
  if (membership.never_retry_since)
    return today < last_on ? { step: 'wait', until: last_on } : { step: 'end', why: 'unpaid' }
  const day = TRY_ON_DAYS[membership.declines]
  if (day === undefined) return { step: 'end', why: 'unpaid' }
  const until = addDays(starts_on, day)
  if (today < until) return { step: 'wait', until }
  const isTooLate = today > (day === 0 ? starts_on : last_on) // we couldn't charge in time, which isn't the member's fault
  return isTooLate ? { step: 'begin' } : { step: 'retry' }
}

export type Anchor = Pick<Situation, 'anchor_on' | 'anchor_period' | 'billing_interval'>

/** The period that a day belongs to. */
export const runningPeriod = ({ anchor_on, anchor_period, billing_interval }: Anchor, today: string): number =>
  anchor_period + periodOn(anchor_on, today, billing_interval)

/** The first day of a period. */
export const startsOn = ({ anchor_on, anchor_period, billing_interval }: Anchor, n: number): string =>
  periodStart(anchor_on, n - anchor_period, billing_interval)

/**
 * How many scheduled tries of the newest period are used up by one on this day. A late try uses up those it skipped, so that
 * a card is never tried again the next day.
 */
export const scheduledTries = (membership: Anchor & Pick<Situation, 'period'>, day: string): number =>
  TRY_ON_DAYS.filter((each) => addDays(startsOn(membership, membership.period), each) <= day).length

/** Whether the next try is the last one. */
export const isLastTry = ({ declines }: Pick<Situation, 'declines'>) => declines >= TRY_ON_DAYS.length - 1
