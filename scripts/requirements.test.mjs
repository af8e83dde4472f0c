// Every requirement of the owner's specification has a sentence in docs/SPEC.md. spec.test.mjs checks that each sentence has a test.
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { requirements } from './requirements.mjs'

/** How many requirements each section of the owner's specification has. */
const counts = { S1: 14, S2: 44, S3: 23, S4: 32, S5: 43, S6: 3, S7: 29, S8: 21, S9: 23 }

it('every requirement is named by one sentence', () => {
  const expected = Object.entries(counts).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  )
  expect(requirements.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
})

it('every decision that a requirement names exists', () => {
  const numbers = readdirSync('docs/decisions').map((file) => String(Number.parseInt(file, 10)))
  expect(requirements.filter(({ decision }) => decision && !numbers.includes(decision))).toEqual([])
})
