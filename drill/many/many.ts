import { existsSync } from 'node:fs'
import { abortedRow, type Drill, type ReportRow, runDrill } from '../drill.ts'
import { duplicates } from '../payments/duplicates.ts'
import { gatewayFaults } from '../payments/gateway-faults.ts'
import { race } from '../payments/race.ts'
import { doubleUseAcrossProcesses, forgedHeadersAcrossProcesses } from './across-processes.ts'
import { browserJourneys } from './browser-journeys.ts'
import { commandPath } from './external-program.ts'
import { clusterBackend } from './process-cluster.ts'
import { processKills } from './process-kills.ts'
import { proxyRetries } from './proxy-retries.ts'
import { rollingRestart } from './rolling-restart.ts'

/** Runs a drill for a single Foyer against the cluster. */
const onCluster =
  (drill: Drill): Drill =>
  (run, backend) =>
    drill(run, clusterBackend(backend))

const clusterDrills: Drill[] = [
  browserJourneys,
  onCluster(duplicates),
  onCluster(race),
  onCluster(gatewayFaults),
  doubleUseAcrossProcesses,
  forgedHeadersAcrossProcesses,
  proxyRetries,
  rollingRestart,
  processKills,
]

const requiredPrograms = ['haproxy', 'pgbouncer']

/** Four processes behind HAProxy, on one PostgreSQL behind PgBouncer, with the configuration files of deploy/. */
export const many: Drill = async (run, backend) => {
  if (backend.name === 'embedded') return [] // it allows only one process
  const missing = requiredPrograms.filter((name) => !existsSync(commandPath(name)))
  if (missing.length) return [abortedRow(`not installed: ${missing.join(', ')}`)]
  const rows: ReportRow[] = []
  for (const drill of clusterDrills) rows.push(...(await runDrill(drill, run, backend)))
  return rows
}
