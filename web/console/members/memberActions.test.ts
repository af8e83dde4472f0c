import { expect, test } from 'vitest'
import type { MemberPage } from '#contract/console/member-page.ts'
import { planOf } from './memberActions.tsx'

const period = { starts_on: '2026-01-16', ends_on: '2027-01-16' }
const membership = { interval: 'year', period, may_waive: period }
const member = { id: '1', first_name: 'Ada', membership } as unknown as MemberPage

test.each(['cancel', 'release', 'waive'] as const)('17.14 the dialog to %s a yearly membership says "year"', (kind) => {
  const { title, text } = planOf({ kind }, member)
  expect(`${title} ${text}`).toMatch(/ year\b/)
  expect(`${title} ${text}`).not.toMatch(/month/i)
})
