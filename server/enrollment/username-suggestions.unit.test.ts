import { expect, it } from 'vitest'
import { candidatesFor } from './username-suggestions.ts'

const today = '2026-11-15'

it('3.4 starts with short endings, and with the name itself if digits were added to it', () => {
  expect(candidatesFor('anaruiz', today).slice(0, 3)).toEqual(['anaruiz2', 'anaruiz26', 'anaruiz7'])
  expect(candidatesFor('anaruiz2', today).slice(0, 3)).toEqual(['anaruiz', 'anaruiz26', 'anaruiz7'])
})

it('3.4 is never reserved, too long, too short, or the taken name itself', () => {
  expect(candidatesFor('admin2', today)).not.toContain('admin')
  const long = 'w'.repeat(30)
  for (const name of candidatesFor(long, today)) expect(name).toMatch(/^w+\d+$/)
  for (const name of candidatesFor(long, today)) expect(name.length).toBeLessThanOrEqual(30)
  for (const name of candidatesFor('x', today)) expect(name.length).toBeGreaterThanOrEqual(3)
  expect(candidatesFor('7', today)).not.toContain('7')
})
