import { describe, expect, test } from 'vitest'
import { isOver, mayFollow, type State, stateOf } from './states.ts'

const states: State[] = ['open', 'loading', 'confirmed', 'denied', 'dismissed']

describe('the owner: the states of a dialog', () => {
  test.each<[State, State[]]>([
    ['open', ['loading', 'confirmed', 'denied', 'dismissed']],
    ['loading', ['open', 'confirmed']],
    ['confirmed', []],
    ['denied', []],
    ['dismissed', []],
  ])('after %s only %j may follow', (state, followers) =>
    expect(states.filter((next) => mayFollow(state, next))).toEqual(followers),
  )

  test('an answered question stays answered', () =>
    expect(states.filter(isOver)).toEqual(['confirmed', 'denied', 'dismissed']))

  test.each([
    [{ confirmed: true }, 'confirmed'],
    [{ confirmed: true, value: '' }, 'confirmed'],
    [{ denied: true }, 'denied'],
    [{ dismissed: 'timer' }, 'dismissed'],
  ] as const)('%j leaves it %s', (answer, state) => expect(stateOf(answer)).toBe(state))
})
