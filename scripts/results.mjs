// Reads the reports of the test runners. A result counts tests and names those that failed.
import { stripVTControlCharacters } from 'node:util'

const REASON_LINES = 6

const count = (statuses, wanted) => statuses.filter((status) => wanted.includes(status)).length

/** Vitest's JSON report. A file that failed before its first test counts as one. */
export function countTests({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const statuses = tests.map(({ status }) => status)
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed),
  )
  return {
    passed: count(statuses, ['passed']),
    skipped: count(statuses, ['skipped', 'pending', 'todo', 'disabled']),
    failures: [
      ...tests
        .filter(isFailed)
        .map(({ fullName, failureMessages }) => withReason(fullName.trim(), failureMessages?.[0])),
      ...brokenFiles.map(({ name, message }) => withReason(name, message)),
    ],
  }
}

/** The name of a failed test with the first lines of its error, without colors and stack. The whole error is in the step's output. */
function withReason(name, error = '') {
  const lines = stripVTControlCharacters(error)
    .split('\n')
    .map((line) => line.trim())
  const reason = lines.filter((line) => line && !line.startsWith('at ')).slice(0, REASON_LINES)
  return [name, ...reason].join('\n    ')
}

const isFailed = ({ status }) => status === 'failed'

/** Playwright's JSON report. A journey that needed a second try has failed. */
export function countJourneys({ suites }) {
  const journeys = journeysIn(suites)
  const statuses = journeys.map(({ status }) => status)
  return {
    passed: count(statuses, ['expected']),
    skipped: count(statuses, ['skipped']),
    failures: journeys
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ name, status, error }) =>
        withReason(status === 'flaky' ? `${name} (passed only on another try)` : name, error),
      ),
  }
}

const journeysIn = (suites = []) =>
  suites.flatMap(({ specs = [], suites }) => [
    ...specs.flatMap(({ title, tests }) =>
      tests.map(({ status, projectName, results = [] }) => ({
        status,
        name: `${title} (${projectName})`,
        error: results.flatMap(({ errors = [] }) => errors).find(({ message }) => message)?.message,
      })),
    ),
    ...journeysIn(suites),
  ])

/** The drills' report. */
export const countDrills = (rows) => ({
  passed: rows.filter(({ passed }) => passed).length,
  failures: rows
    .filter(({ passed }) => !passed)
    .map(({ drill, database, action }) => `${drill}, ${database}: ${action}`),
})

export const formatCounts = ({ passed = 0, failures = [], skipped = 0 }) =>
  `${passed} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ''}`

/** Every failed test with its step, and the total. */
export function lastLines(steps) {
  const failures = steps.flatMap(({ name, failures = [] }) => failures.map((test) => `FAILED in ${name}: ${test}`))
  const sum = (key) => steps.reduce((total, result) => total + (result[key] ?? 0), 0)
  return [...failures, formatCounts({ passed: sum('passed'), skipped: sum('skipped'), failures })]
}
