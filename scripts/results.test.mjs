import { expect, it } from 'vitest'
import { countDrills, countJourneys, countTests, lastLines } from './results.mjs'

it('a failed test of Vitest is named with its reason, and a file that could not be run counts as one', () => {
  const test = (fullName, status) => ({
    fullName,
    status,
    failureMessages: status === 'failed' ? ['\u001b[31mError: no\u001b[39m\n    at a.test.ts:1:1'] : [],
  })
  const testResults = [
    { name: 'a.test.ts', status: 'failed', assertionResults: [test(' a 1', 'failed'), test(' a 2', 'passed')] },
    { name: 'b.test.ts', status: 'failed', assertionResults: [] },
    { name: 'c.test.ts', status: 'passed', assertionResults: [test(' c 1', 'skipped'), test(' c 2', 'todo')] },
  ]
  expect(countTests({ testResults })).toEqual({ passed: 1, skipped: 2, failures: ['a 1\n    Error: no', 'b.test.ts'] })
})

it('a journey that passed only on another try has failed', () => {
  const results = [{ errors: [{ message: 'Error: not visible\n\nLocator: one' }] }]
  const spec = (title, status) => ({ title, tests: [{ status, projectName: 'phone', results }] })
  const suites = [
    { specs: [spec('one', 'expected'), spec('two', 'flaky')] },
    { suites: [{ specs: [spec('three', 'unexpected'), spec('four', 'skipped')] }] },
  ]
  expect(countJourneys({ suites })).toEqual({
    passed: 1,
    skipped: 1,
    failures: [
      'two (phone) (passed only on another try)\n    Error: not visible\n    Locator: one',
      'three (phone)\n    Error: not visible\n    Locator: one',
    ],
  })
})

it('the last lines name every failed test with its step, and end with the total', () => {
  const drills = countDrills([
    { drill: 'race', database: 'postgres', action: 'two pay', passed: false },
    { drill: 'kill', database: 'embedded', action: 'a crash', passed: true },
  ])
  expect(
    lastLines([
      { name: 'types', passed: 1 },
      { name: 'unit tests', passed: 5, skipped: 1, failures: ['b'] },
      { name: 'drills', ...drills },
    ]),
  ).toEqual(['FAILED in unit tests: b', 'FAILED in drills: race, postgres: two pay', '7 passed, 2 failed, 1 skipped'])
  expect(lastLines([{ name: 'types', passed: 1 }])).toEqual(['1 passed, 0 failed'])
})
