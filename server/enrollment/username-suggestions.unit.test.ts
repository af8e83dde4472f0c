import { expect, it } from 'vitest'
import { candidatesFor } from './username-suggestions.ts'

const now = new Date('2026-11-15T12:00:00Z')

it('3.4 starts with short endings, and with the name itself if digits were added to it', () => {
  expect(candidatesFor('anaruiz', now).slice(0, 3)).toEqual(['anaruiz2', 'anaruiz26', 'anaruiz7'])
  expect(candidatesFor('anaruiz2', now).slice(0, 3)).toEqual(['anaruiz', 'anaruiz26', 'anaruiz7'])
})

it('3.4 is never reserved, too long, too short, or the taken name itself', () => {
  expect(candidatesFor('admin2', now)).not.toContain('admin')
  const long = 'w'.repeat(30)
  for (const name of candidatesFor(long, now)) expect(name).toMatch(/^w+\d+$/)
  for (const name of candidatesFor(long, now)) expect(name.length).toBeLessThanOrEqual(30)
  for (const name of candidatesFor('x', now)) expect(name.length).toBeGreaterThanOrEqual(3)
  expect(candidatesFor('7', now)).not.toContain('7')
})
