import { expect, test } from 'vitest'
import type { StartData } from '#contract/start.ts'
import { initialState, type Move, moveTo, phoneFailureOf, type State } from './state.ts'

const start = { policy: { start_step: 'ACCOUNT' }, product_id: 34, grand_total: '99.00' } as StartData
const first = initialState(start, undefined)
const preRendered: State = { ...first, preRenderedStep: 'ACCOUNT_CREATION' }
const move: Move = { step: 'ACCOUNT_CREATION', draft: { first_name: 'Zoë' } }

test('a pre-rendered step is shown without rendering it again, and the step before is removed later', () => {
  const state = moveTo(preRendered, move)
  expect(state).toMatchObject({ step: 'ACCOUNT_CREATION', leavingStep: 'ACCOUNT', preRenderedStep: undefined })
  expect(state.draft).toBe(move.draft)
  expect(state.renderedDraft).toBe(first.renderedDraft)
})

test.each<[string, State, Move]>([
  ['any other step', preRendered, { ...move, step: 'PRODUCT_SELECTION' }],
  ['a step that was not pre-rendered', first, move],
  ['going back before the other step was removed', moveTo(preRendered, move), { ...move, step: 'ACCOUNT' }],
  ['a pre-rendered step while the price is missing', { ...preRendered, stop: 'total-not-loaded' }, move],
  ['a pre-rendered step with rejected fields', preRendered, { ...move, rejectedFields: {} }],
])('%s is rendered with the newest answers', (_, state, move) => {
  expect(moveTo(state, move)).toMatchObject({ step: move.step, leavingStep: undefined, renderedDraft: move.draft })
})

test('the field to focus and the rejected fields are those of the last move', () => {
  const returned = moveTo(first, { ...move, focusField: 'email', rejectedFields: { email: ['Taken.'] } })
  expect(moveTo(returned, move)).toMatchObject({ focusField: undefined, rejectedFields: undefined })
})

test('5.12 why a code was not sent is kept until the visitor goes on from ACCOUNT, and is about one number', () => {
  const draft = { mobile_phone: '+12025550123' }
  const phoneFailure = { mobile_phone: '+12025550123', message: 'Not sent.' }
  const failed: State = { ...first, step: 'CODE_VERIFICATION', draft, phoneFailure }
  const returned = moveTo(failed, { step: 'ACCOUNT', draft })
  expect(phoneFailureOf(returned)).toBe('Not sent.')
  expect(phoneFailureOf({ ...returned, draft: { mobile_phone: '+12025550124' } })).toBeUndefined()
  expect(phoneFailureOf(moveTo(returned, { step: 'CODE_VERIFICATION', draft }))).toBeUndefined()
})

test('a missing price stops every step; a step that could not be loaded stops only one', () => {
  const withoutTotal: State = { ...first, grand_total: undefined, stop: 'total-not-loaded' }
  expect(moveTo(withoutTotal, move).stop).toBe('total-not-loaded')
  expect(moveTo({ ...first, stop: 'step-not-loaded' }, move).stop).toBeUndefined()
})
