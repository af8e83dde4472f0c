import { expect, it } from 'vitest'
import { differencesOf } from './differences.ts'

const before = { version: '1', values: { name: 'Foyer', welcome: '', support: 'a@b.example' } }

it('19.87 a field that both changed is a choice, and one that only the other changed takes the new value', () => {
  const theirs = { version: '2', values: { name: 'Acme', welcome: 'Hello.', support: 'a@b.example' } }
  expect(differencesOf(before, theirs, { name: 'Harbor', welcome: '', support: 'c@d.example' })).toEqual([
    { name: 'name', theirs: 'Acme', yours: 'Harbor', isTheirs: false },
    { name: 'welcome', theirs: 'Hello.', yours: '', isTheirs: true },
  ])
})

it('19.87 nothing is asked if both have the same answer', () => {
  const theirs = { version: '2', values: { ...before.values, name: 'Acme' } }
  expect(differencesOf(before, theirs, { ...before.values, name: 'Acme' })).toEqual([])
})
