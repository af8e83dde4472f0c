import { describe, expect, it } from 'vitest'
import type { RenewalLine } from '#server/db/tables.ts'
import { nextNotice, noticesBetween } from './notices.ts'
import { changeLine, firstPeriodFrom, linesOn, priceOn } from './prices.ts'

const line: RenewalLine = { product_id: 34, name: 'Founding', renewal_cents: 9900 }
const announced: RenewalLine = { ...line, announced: { renewal_cents: 10_900, from_on: '2027-01-15' } }

describe('17.12 a changed price', () => {
  it('counts for periods that begin on the announced day or later', () => {
    expect(priceOn([announced], '2027-01-14')).toBe(9900)
    expect(priceOn([announced], '2027-01-15')).toBe(10_900)
    expect(linesOn([announced], '2027-02-01')).toEqual([{ ...line, renewal_cents: 10_900 }])
    expect(linesOn([announced], '2027-01-01')).toEqual([announced])
  })

  it.each<[string, RenewalLine, number, RenewalLine]>([
    ['higher', line, 12_000, { ...line, announced: { renewal_cents: 12_000, from_on: '2027-03-01' } }],
    ['lower', line, 8000, { ...line, renewal_cents: 8000 }],
    ['higher again', announced, 12_000, { ...line, announced: { renewal_cents: 12_000, from_on: '2027-03-01' } }],
    [
      'less than announced',
      announced,
      10_000,
      { ...line, announced: { renewal_cents: 10_000, from_on: '2027-01-15' } },
    ],
    ['withdrawn', announced, 9900, line],
  ])('%s', (_, before, cents, after) => expect(changeLine(before, cents, '2027-03-01')).toEqual(after))

  it('is first charged with a period that begins after the notice', () => {
    const membership = {
      anchor_on: '2026-01-31',
      anchor_period: 0,
      billing_interval: 'month',
      period: 2,
      waived_period: null,
    } as const
    expect(firstPeriodFrom(membership, '2026-04-30')).toBe('2026-04-30')
    expect(firstPeriodFrom(membership, '2026-05-01')).toBe('2026-05-31')
    expect(firstPeriodFrom(membership, '')).toBe('2026-04-30')
    expect(firstPeriodFrom({ ...membership, billing_interval: 'year', period: 0 }, '2026-02-01')).toBe('2027-01-31')
  })
})

describe('17.13 notices ahead of time', () => {
  const membership = { anchor_on: '2026-11-15', card_expires: '2027-02' }

  it('come 30 days before the card expires, and 30 days before another year', () => {
    expect(nextNotice(membership, '2026-11-15')).toBe('2027-01-30')
    expect(nextNotice(membership, '2027-01-31')).toBe('2027-10-16')
    expect(nextNotice(membership, '2027-10-17')).toBe('2028-10-16')
    expect(nextNotice({ ...membership, card_expires: null }, '2026-11-15')).toBe('2027-10-16')
  })

  it('are the same, however late the day is looked at', () => {
    expect(noticesBetween(membership, '2027-01-30', '2027-01-30')).toEqual(['card_expires'])
    expect(noticesBetween(membership, '2027-01-30', '2027-12-31')).toEqual(['card_expires', 'yearly_reminder'])
    expect(noticesBetween(membership, '2027-01-31', '2027-10-15')).toEqual([])
  })
})
