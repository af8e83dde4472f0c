import { expect, it } from 'vitest'
import { type FoundEmail, risesWithoutNotice } from './audit-emails.ts'
import type { Plan } from './members.ts'

const plan = { lines: [{ product_id: 1, name: 'Membership', renewal_cents: 9900 }] } as unknown as Plan
const periods = [
  { n: 1, starts_on: '2028-02-15' },
  { n: 2, starts_on: '2028-03-15' },
]
const notice = (day: string, subject: string, facts: string[]): FoundEmail => ({
  ...{ key: day, reference: '', kind: 'price', copies: 1, day, subject, facts },
})
const inTime = notice('2028-02-20', 'Your price changes on March 15, 2028', ['$99.00', '$110.00', 'March 15, 2028'])
const risesTo = (amount_cents: number, sent: FoundEmail[]) =>
  risesWithoutNotice(plan, [{ n: 2, day: '2028-03-15', amount_cents }], periods, sent, [])

it('17.34 the audit accepts a rise that an email named 7 to 30 days before', () => {
  expect(risesTo(11_000, [inTime])).toEqual([])
  expect(risesTo(11_000, [])).toHaveLength(1)
})

it('17.34 an email about a smaller rise justifies no larger one', () => {
  expect(risesTo(13_000, [inTime])).toHaveLength(1)
})

it('17.34 an email from months ago justifies no rise', () => {
  const old = notice('2028-01-20', 'Your price changes on February 15, 2028', ['$99.00', '$110.00'])
  expect(risesTo(11_000, [old])).toHaveLength(1)
})

it('17.34 two packages may become more expensive on the same day', () => {
  const other = notice('2028-02-21', 'Your price changes on March 15, 2028', ['$24.00', '$25.00', 'March 15, 2028'])
  expect(risesTo(11_100, [inTime, other])).toEqual([])
})
