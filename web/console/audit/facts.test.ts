import { expect, it } from 'vitest'
import { changesOf } from './facts.ts'

it.each([
  [{ name: 'A', ships: false }, { name: 'A', ships: true }, ['ships no → yes']],
  [{ state: 'active', ends_at: null }, { state: 'on_hold', ends_at: null }, ['state active → on hold']],
  [undefined, { starts_on: '2026-12-15', ends_on: '2027-01-15' }, ['starts Dec 15, 2026', 'ends Jan 15, 2027']],
  [{ price: '99.00' }, { price: '109.00', notice_days: 30 }, ['price $99.00 → $109.00', 'notice days 30']],
  [
    undefined,
    { price_cents: 5900, open_until: '2026-11-18T10:04:00.000Z' },
    ['price $59.00', expect.stringMatching(/^open until Nov 18, 2026, 10:04/)],
  ],
  [{ is_offered: true }, { is_offered: false }, ['offered yes → no']],
  [undefined, undefined, []],
])('19.80 a row shows only what changed, in words: %#', (before, after, texts) => {
  expect(changesOf(before, after)).toEqual(texts)
})
