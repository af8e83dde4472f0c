import { describe, expect, test } from 'vitest'
import { isAnswered, mayFollow, type State, stateAfter } from './states.ts'

const states: State[] = ['open', 'loading', 'confirmed', 'denied', 'dismissed']

describe('25.12 the states of a dialog', () => {
  test.each<[State, State[]]>([
    ['open', ['loading', 'confirmed', 'denied', 'dismissed']],
    ['loading', ['open', 'confirmed']],
    ['confirmed', []],
    ['denied', []],
    ['dismissed', []],
  ])('%s may only be followed by %j', (state, nextStates) =>
    expect(states.filter((next) => mayFollow(state, next))).toEqual(nextStates),
  )

  test('an answered dialog never changes again', () =>
    expect(states.filter(isAnswered)).toEqual(['confirmed', 'denied', 'dismissed']))

  test.each([
    [{ confirmed: true }, 'confirmed'],
    [{ confirmed: true, value: '' }, 'confirmed'],
    [{ denied: true }, 'denied'],
    [{ dismissed: 'timer' }, 'dismissed'],
  ] as const)('the answer %j leads to %s', (answer, state) => expect(stateAfter(answer)).toBe(state))
})
