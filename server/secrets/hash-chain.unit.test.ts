import { expect, it } from 'vitest'
import { firstTamperedRow, rowsToAppend, type Touch } from '#server/sponsors/touches.ts'
import { checkNext, hashAfter, plainHasher, START } from './hash-chain.ts'

const rowAfter = ({ position, hash }: typeof START, value: string) => ({
  position: position + 1,
  value,
  hash: hashAfter(plainHasher, hash, [position + 1, value]),
})
const first = rowAfter(START, 'a')
const second = rowAfter(first, 'b')
const check = (previous: typeof START, row: typeof first | undefined) =>
  checkNext(plainHasher, previous, row, (position) => [position, row?.value])

it('a row of a chain is as it was written, was changed, or is missing', () => {
  expect([check(START, first), check(first, second)]).toEqual([undefined, undefined])
  expect(check(START, { ...first, value: 'x' })).toBe('changed')
  expect(check({ position: 1, hash: 'x' }, second)).toBe('changed')
  expect([check(START, second), check(second, undefined)]).toEqual(['missing', 'missing'])
})

it('hashes that are stored already stay as they are', () => {
  const touch = (site: string, why: Touch['why'], day: string) => ({ site, why, touched_at: new Date(day) })
  const touches = [touch('ana', 'opened', '2026-11-01T10:00:00Z'), touch('bluepier', 'ordered', '2026-11-02T10:00:00Z')]
  const record = rowsToAppend('5f0c9f5e-0000-4000-8000-000000000001', [], touches)
  expect(record.map(({ hash }) => hash)).toEqual([
    '90e1a58333097bdd39356220e7dbb308f5ea26db48addecc1ee54725ce7fe307',
    '58a8640e7802a7a99b4fe15045d6924872c9d9de553504681a7d9d7d6062687e',
  ])
  expect(firstTamperedRow(record)).toBe(undefined)
})
