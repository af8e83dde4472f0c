import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { killAndRestart, randomPause, underLoad } from '../payments/kill.ts'
import type { Backend } from '../site/backends.ts'
import { clusterBackend, PROCESSES } from './process-cluster.ts'
import { monitorRequests } from './request-monitor.ts'

const kills = { process: { long: 8, short: 4 }, pgbouncer: { long: 2, short: 1 }, database: { long: 2, short: 1 } }

/** kill -9 of one process, of PgBouncer and of PostgreSQL, while visitors pay. */
export const processKills: Drill = async (run, backend) => {
  const { server } = backend
  if (!server) throw new Error('there is no database server to kill')
  const clustered = clusterBackend(backend)
  const killsOf = (target: keyof typeof kills) => kills[target][run.short ? 'short' : 'long']
  return [
    await killProcesses(run, backend, killsOf('process')),
    await killAndRestart(run, clustered, 'PgBouncer', killsOf('pgbouncer'), () => clustered.cluster().pgbouncer),
    await killAndRestart(run, clustered, 'PostgreSQL', killsOf('database'), () => server),
  ]
}

/** Only requests that were in flight when a process died may fail. */
async function killProcesses(run: DrillRun, backend: Backend, rounds: number): Promise<ReportRow> {
  const clustered = clusterBackend(backend)
  const { wrapClient, failures, counts } = monitorRequests()
  const deaths: { at: number; inFlight: number }[] = []
  const round = async () => {
    const cluster = clustered.cluster()
    const index = deaths.length % PROCESSES
    await randomPause(300, 1200)
    const { inFlight } = counts
    await cluster.killOne(index)
    deaths.push({ at: performance.now(), inFlight })
    await randomPause(300, 1200)
    await cluster.startAgain(index)
  }
  const description = `${rounds} × kill -9 of one of ${PROCESSES} processes`
  const row = await underLoad(run, clustered, description, rounds, round, wrapClient)
  const wasInFlight = ({ startTime, endTime }: (typeof failures)[number]) =>
    deaths.some(({ at }) => startTime < at && endTime > at - DETECTION_MS && endTime < at + DETECTION_MS)
  const others = failures.filter((failure) => !wasInFlight(failure))
  for (const { description } of others.slice(0, 3)) run.print(`  ${description}`)
  const inFlight = deaths.reduce((sum, death) => sum + death.inFlight, 0)
  return {
    ...row,
    action: `${row.action}; ${counts.all} requests`,
    expected: `8.7 ${row.expected}; no request fails except those in flight when a process died`,
    result: `${row.result}; ${failures.length - others.length} of ${inFlight} in flight failed, ${others.length} others failed`,
    passed: row.passed && !others.length,
  }
}

/** From the kill until every connection has noticed. */
const DETECTION_MS = 250
