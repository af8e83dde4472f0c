import { expect, test } from 'vitest'
import type { StartData } from '#contract/start.ts'
import { begin, reduce } from './state.ts'

const start = { policy: { start_step: 'ACCOUNT' }, product_id: 34, grand_total: '99.00' } as StartData
const first = begin({ start, place: undefined })
const move = { type: 'moved', draft: {}, focus: undefined, refused: undefined } as const
const ready = reduce(first, { type: 'readied', ahead: 'ACCOUNT_CREATION' })

test('the step that stands ready comes forward without being made again, and the one before goes later', () => {
  const moved = reduce(ready, { ...move, step: 'ACCOUNT_CREATION' })
  expect(moved).toMatchObject({
    step: 'ACCOUNT_CREATION',
    leaving: 'ACCOUNT',
    ahead: undefined,
    version: first.version,
  })
  expect(reduce(moved, { type: 'left' }).leaving).toBeUndefined()
})

test.each([
  ['any other step', ready, { ...move, step: 'PRODUCT_SELECTION' }],
  ['a step that nobody prepared', first, { ...move, step: 'ACCOUNT_CREATION' }],
  [
    'back before the other was taken away',
    reduce(ready, { ...move, step: 'ACCOUNT_CREATION' }),
    { ...move, step: 'ACCOUNT' },
  ],
  [
    'a step that is ready while a price is missing',
    reduce(ready, { type: 'stopped', stop: 'unsummed' }),
    { ...move, step: 'ACCOUNT_CREATION' },
  ],
  ['a step that is ready, with a refusal', ready, { ...move, step: 'ACCOUNT_CREATION', refused: {} }],
] as const)('%s is made anew', (_, from, event) => {
  expect(reduce(from, event)).toMatchObject({ step: event.step, leaving: undefined, version: from.version + 1 })
})

test('10.12 when the packages have changed, the sum of before is no longer shown', () => {
  const offered = reduce(first, { type: 'offered', packages: [], draft: {} })
  expect(offered.grand_total).toBeUndefined()
  expect(reduce(offered, { type: 'summed', grand_total: '109.00' }).grand_total).toBe('109.00')
})

test('what a step shows is shown at once', () => {
  expect(reduce(ready, { type: 'summed', grand_total: '89.00' }).version).toBe(ready.version + 1)
  expect(reduce(ready, { type: 'stopped', stop: 'unfetched' }).version).toBe(ready.version + 1)
})
