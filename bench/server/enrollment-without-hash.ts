import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE, databaseUrl, withClient } from './database.ts'
import { enrollmentRate, runVisitors, visitorSettings } from './enrollment-rate.ts'
import { waitForJobs } from './jobs.ts'
import { createScript, runPgbench, textOf } from './pgbench.ts'
import type { RecordedStatement } from './preload/record-statements.ts'
import { type Program, runBenchProgram, startFoyer } from './programs/programs.ts'

const { unhashed_enrollments_of_pgbench, enrollments_with_events } = budgets.server
const POOL = 10
/** Long enough for the worker to poll for jobs a few times. */
const IDLE_MS = 1500

/** Enrollments per second when the hash costs nothing, beside pgbench with the statements of one enrollment and its jobs. */
export const enrollmentWithoutHash: Part = async ({ short, log, saveFigures }) => {
  const [database, pgbenchDatabase, eventless] = [
    await createDatabase(),
    await createDatabase(),
    await createDatabase(),
  ]
  const sandbox = await startSandbox(database)
  const settings = { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url, DATABASE_POOL: String(POOL) }
  const visitors = runBenchProgram('visitors')
  const otherVisitors = runBenchProgram('visitors') // a captcha is only good for the site that gave it
  log('unhashed: recording the statements of an enrollment …')
  const [first, second] = await recordTwoEnrollments(database, settings, visitors)
  const foyer = await startFoyer({ database, settings, preload: ['no-hash'] })
  const withoutEvents = await startFoyer({ database: eventless, settings, preload: ['no-hash', 'no-events'] })
  const seconds = short ? 2 : 5
  const { folder } = pgbenchDatabase
  const pgbench = (mode: 'simple' | 'prepared') => {
    const script = createScript(first, second, mode)
    const options = { script, mode, folder, database: databaseUrl(pgbenchDatabase), connections: POOL, seconds }
    return () => runPgbench(options)
  }

  const sides = {
    foyer: enrollmentRate({ visitors, foyer, database, milliseconds: seconds * 1000 }),
    eventless: enrollmentRate({
      visitors: otherVisitors,
      foyer: withoutEvents,
      database: eventless,
      milliseconds: seconds * 1000,
    }),
    pgbench: pgbench('simple'),
    prepared: pgbench('prepared'),
  }
  log('unhashed: warming up …')
  await measureInTurns(sides, 1)
  log('unhashed: measuring …')
  const rates = await measureInTurns(sides, short ? 3 : 9)
  await Promise.all([foyer.stop(), withoutEvents.stop(), visitors.stop(), otherVisitors.stop()])
  await sandbox.stop()
  await refuseEvents(eventless)
  await Promise.all([database.remove(), pgbenchDatabase.remove(), eventless.remove()])
  const statements = first.length
  saveFigures('unhashed', { ...rates, statements })
  const ratio = ratioQuartiles(rates.foyer, rates.pgbench)
  const eventsRatio = ratioQuartiles(rates.foyer, rates.eventless)
  const preparedRatio = ratioQuartiles(rates.foyer, rates.prepared)
  return [
    {
      goal: 'enrollments per second without the hash, one process',
      promise: `≥ ${unhashed_enrollments_of_pgbench} of pgbench`,
      measured: `${formatNumber(quartiles(rates.foyer).median)}/s, ${formatNumber(ratio.median)}`,
      beside: `pgbench with the same ${statements} statements, ${POOL} connections: ${formatNumber(quartiles(rates.pgbench).median)}/s; with prepared statements, as in Foyer: ${formatNumber(quartiles(rates.prepared).median)}/s (ratio ${formatNumber(preparedRatio.median)}); ${DATABASE_NOTE}`,
      spread: formatSpread(ratio),
      ratio: ratio.median,
      passed: ratio.median >= unhashed_enrollments_of_pgbench,
    },
    {
      goal: 'enrollments per second with their events',
      promise: `≥ ${enrollments_with_events} of those without`,
      measured: `${formatNumber(quartiles(rates.foyer).median)}/s, ${formatNumber(eventsRatio.median)}`,
      beside: `the same without inserting events: ${formatNumber(quartiles(rates.eventless).median)}/s; ${DATABASE_NOTE}`,
      spread: formatSpread(eventsRatio),
      ratio: eventsRatio.median,
      passed: eventsRatio.median >= enrollments_with_events,
    },
  ]
}

/** Otherwise the comparison would prove nothing. */
const refuseEvents = (database: Workspace) =>
  withClient(database, async (client) => {
    const { rows } = await client.query('select distinct type from event union select type from new_event')
    if (rows.length) throw new Error(`The side without events has written ${JSON.stringify(rows)}.`)
  })

/** Giving positions is separate work that happens once for each event: pgbench can't repeat it. */
const POSITIONS =
  /^(begin|start transaction|commit)|idle_in_transaction|has_function_privilege|'feed'|"feed"|from new_event/

/**
 * Records the statements of two enrollments and of the jobs that follow. Jobs that end within the same milliseconds are
 * completed by one statement, so it tries again until both enrollments ran the same statements.
 */
async function recordTwoEnrollments(database: Workspace, settings: Record<string, string>, visitors: Program) {
  const foyer = await startFoyer({ database, settings, preload: ['record-statements', 'no-hash'] })
  const takeStatements = () => foyer.request<RecordedStatement[]>({})
  const target = { url: foyer.url, concurrency: 1 }
  const polling = new Set<string>()
  const enroll = async () => {
    await runVisitors(visitors, { prepare: 1, ...target })
    await sleep(IDLE_MS)
    for (const { text, request } of await takeStatements()) if (!request) polling.add(text)
    await runVisitors(visitors, { submit: 1, ...target })
    await waitForJobs(database)
    const statements = await takeStatements()
    const ofRequest = statements.filter(({ request }) => request?.endsWith('/add-enrollment'))
    const ofJobs = statements.filter(({ text, request }) => !request && !polling.has(text) && !POSITIONS.test(text))
    return [...ofRequest, ...ofJobs.sort((a, b) => a.text.localeCompare(b.text))]
  }
  await enroll() // the very first one also writes rows that all others share
  let [first, second] = [await enroll(), await enroll()]
  for (let retry = 0; retry < 5 && textOf(first) !== textOf(second); retry++) [first, second] = [second, await enroll()]
  await foyer.stop()
  return [first, second] as const
}
