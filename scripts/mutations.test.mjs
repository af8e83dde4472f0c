import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { mutations } from './mutations.mjs'
import { requirements } from './requirements.mjs'

it('every mutation’s text is in its file exactly once', () => {
  const lost = mutations.filter(({ file, text }) => readFileSync(file, 'utf8').split(text).length !== 2)
  expect(lost.map(({ ids, file, text }) => ({ ids, file, text }))).toEqual([])
})

it('every requirement that is met has a mutation', () => {
  const tried = new Set(mutations.flatMap(({ ids }) => ids))
  const met = requirements.filter(({ decision }) => !decision).map(({ id }) => id)
  expect(met.filter((id) => !tried.has(id))).toEqual([])
})

it('a mutation is tried on a test that names the sentence of its requirement', () => {
  const wrong = mutations.filter(({ ids, test }) => {
    const titles = readFileSync(test, 'utf8')
    const numbers = ids.map((id) => requirements.find((requirement) => requirement.id === id)?.number)
    return !numbers.every((number) => new RegExp(`['"\`](?:\\d+\\.\\d+ )*${number} `).test(titles))
  })
  expect(wrong.map(({ ids, test }) => ({ ids, test }))).toEqual([])
})
