// Reads the reports of the test runners. A result counts tests and names those that failed.

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
      ...tests.filter(isFailed).map(({ fullName }) => fullName.trim()),
      ...brokenFiles.map(({ name }) => name),
    ],
  }
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
      .map(({ name, status }) => (status === 'flaky' ? `${name} (passed only on another try)` : name)),
  }
}

const journeysIn = (suites = []) =>
  suites.flatMap(({ specs = [], suites }) => [
    ...specs.flatMap(({ title, tests }) =>
      tests.map(({ status, projectName }) => ({ status, name: `${title} (${projectName})` })),
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
