import { describe, expect, it } from 'vitest'
import { nextStep, type Situation, scheduledTries } from './next-step.ts'

const joined: Situation = {
  state: 'active',
  anchor_on: '2026-01-31',
  anchor_period: 0,
  billing_interval: 'month',
  period: 0,
  period_state: 'paid',
  declines: 0,
  on_hold_since: null,
  never_retry_since: null,
  cancelled_at: null,
  waived_period: null,
}
const pastDue: Situation = { ...joined, state: 'past_due', period: 1, period_state: 'due', declines: 1 }
const someTime = new Date('2026-01-31T12:00:00Z')

describe('17.3 what is due', () => {
  it.each<[string, Partial<Situation>, string, object]>([
    ['in the paid month', {}, '2026-02-27', { step: 'wait', until: '2026-02-28' }],
    ['when the next month begins', {}, '2026-02-28', { step: 'begin' }],
    ['after months in which nothing ran', {}, '2026-06-01', { step: 'begin' }],
    ['after a charge that never reached the bank', { ...pastDue, declines: 0 }, '2026-02-28', { step: 'retry' }],
    ['and a day later', { ...pastDue, declines: 0 }, '2026-03-01', { step: 'begin' }],
    ['after a paid February', { period: 1 }, '2026-03-01', { step: 'wait', until: '2026-03-31' }],
    ['for a canceled membership', { cancelled_at: someTime }, '2026-02-27', { step: 'wait', until: '2026-02-28' }],
    ['when its paid month is over', { cancelled_at: someTime }, '2026-02-28', { step: 'end', why: 'canceled' }],
    ['on hold', { on_hold_since: someTime }, '2026-05-01', { step: 'nothing' }],
    [
      'on hold and canceled',
      { on_hold_since: someTime, cancelled_at: someTime },
      '2026-05-01',
      { step: 'end', why: 'canceled' },
    ],
    ['after the end', { state: 'ended' }, '2026-05-01', { step: 'nothing' }],
    ['after coming back', { anchor_on: '2026-05-10', anchor_period: 4, period: 4 }, '2026-06-10', { step: 'begin' }],
  ])('%s', (_when, change, today, step) => expect(nextStep({ ...joined, ...change }, today)).toEqual(step))
})

describe('a period that staff have waived', () => {
  it.each<[string, Partial<Situation>, string, object]>([
    ['is waived when it begins', {}, '2026-02-28', { step: 'waive' }],
    ['even with a card that may not be charged', { never_retry_since: someTime }, '2026-02-28', { step: 'waive' }],
    ['waits for its day', {}, '2026-02-27', { step: 'wait', until: '2026-02-28' }],
    ['does not waive the one after it', { period: 1 }, '2026-03-31', { step: 'begin' }],
    ['does not outlive a cancellation', { cancelled_at: someTime }, '2026-02-28', { step: 'end', why: 'canceled' }],
  ])('19.34 %s', (_when, change, today, step) =>
    expect(nextStep({ ...joined, waived_period: 1, ...change }, today)).toEqual(step),
  )
})

describe('17.4 a declined charge is tried on days 3, 7 and 14', () => {
  it.each<[string, Partial<Situation>, string, object]>([
    ['waits for day 3', {}, '2026-03-02', { step: 'wait', until: '2026-03-03' }],
    ['tries on day 3', {}, '2026-03-03', { step: 'retry' }],
    ['waits for day 7', { declines: 2 }, '2026-03-03', { step: 'wait', until: '2026-03-07' }],
    ['waits for day 14', { declines: 3 }, '2026-03-07', { step: 'wait', until: '2026-03-14' }],
    ['tries a last time on day 14', { declines: 3 }, '2026-03-14', { step: 'retry' }],
    ['starts a new month if that try was missed', { declines: 3 }, '2026-03-15', { step: 'begin' }],
    ['ends after the fourth decline', { declines: 4 }, '2026-03-14', { step: 'end', why: 'unpaid' }],
    [
      'never tries a card again that the bank forbids',
      { never_retry_since: someTime },
      '2026-03-13',
      { step: 'wait', until: '2026-03-14' },
    ],
    [
      'and ends on day 14 without another one',
      { never_retry_since: someTime },
      '2026-03-14',
      { step: 'end', why: 'unpaid' },
    ],
    [
      '17.33 nor after a downtime that reaches into the next month',
      { never_retry_since: someTime },
      '2026-04-02',
      { step: 'end', why: 'unpaid' },
    ],
  ])('%s', (_when, change, today, step) => expect(nextStep({ ...pastDue, ...change }, today)).toEqual(step))
})

it.each([
  ['2026-02-28', 1],
  ['2026-03-01', 1],
  ['2026-03-03', 2],
  ['2026-03-08', 3],
  ['2026-03-14', 4],
  ['2026-03-20', 4],
])('17.4 after a try on %s, %i are used up: skipped ones are not made up', (day, count) => {
  expect(scheduledTries(pastDue, day)).toBe(count)
})
