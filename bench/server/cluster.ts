import { API } from '#contract/paths.ts'
import { startDatabaseCluster } from '../../drill/cluster/cluster.ts'
import { createWorkspace } from '../../drill/cluster/workspace.ts'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { missingForFailover } from '../../scripts/drills.mjs'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE } from './database.ts'
import { enrollmentRate, visitorSettings } from './enrollment-rate.ts'
import type { LoadReply, LoadRequest } from './programs/http-load.ts'
import { runBenchProgram, startFoyer } from './programs/programs.ts'

const CONNECTIONS = 32
const httpRequest = `GET ${API}/enrollment/get_enrollment_sponsor?sponsor_site=ana HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`

/** Enrollments and reads on three nodes with synchronous replication, beside one server. All of it on this machine. */
export const cluster: Part = async ({ short, log, saveFigures }) => {
  const missing = missingForFailover()
  if (missing.length) {
    log(`SKIPPED: cluster, because these are not installed: ${missing.join(', ')}`)
    return []
  }
  log('cluster: starting three nodes …')
  const nodes = await startDatabaseCluster()
  try {
    const sides = {
      replicated: await openSide(await createWorkspace(nodes, 'bench'), short),
      single: await openSide(await createDatabase(), short),
    }
    const rows: Row[] = []
    for (const kind of ['enrollments', 'reads'] as const) {
      log(`cluster: ${kind} …`)
      const measured = { replicated: sides.replicated[kind], single: sides.single[kind] }
      await measureInTurns(measured, 1)
      const rates = await measureInTurns(measured, short ? 3 : 9)
      saveFigures(`cluster, ${kind}`, rates)
      rows.push(createRow(kind, rates))
    }
    await sides.replicated.close()
    await sides.single.close()
    return rows
  } finally {
    await nodes.stop()
  }
}

async function openSide(database: Workspace, short: boolean) {
  const sandbox = await startSandbox(database)
  const foyer = await startFoyer({ database, settings: { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url } })
  const visitors = runBenchProgram('visitors')
  const load = runBenchProgram('http-load')
  const milliseconds = short ? 2000 : 6000
  return {
    enrollments: enrollmentRate({ visitors, foyer, database, milliseconds }),
    reads: async () => {
      const request: LoadRequest = { port: foyer.port, httpRequest, connections: CONNECTIONS, milliseconds }
      const reply = await load.request<LoadReply>(request)
      if (reply.failed) throw new Error(`${reply.failed} reads failed.`)
      return (reply.succeeded * 1000) / reply.milliseconds
    },
    close: async () => {
      await Promise.all([foyer.stop(), visitors.stop(), load.stop()])
      await sandbox.stop()
      await database.remove()
    },
  }
}

const promises = {
  enrollments: budgets.server.replicated_enrollments_of_single,
  reads: budgets.server.replicated_reads_of_single,
}

function createRow(
  kind: keyof typeof promises,
  { replicated, single }: Record<'replicated' | 'single', number[]>,
): Row {
  const ratio = ratioQuartiles(replicated, single)
  return {
    goal: `${kind} per second with synchronous replication`,
    promise: `≥ ${promises[kind]} of one server`,
    measured: `${formatNumber(quartiles(replicated).median)}/s, ${formatNumber(ratio.median)}`,
    beside: `one PostgreSQL: ${formatNumber(quartiles(single).median)}/s; three nodes, etcd and HAProxy on the same machine; ${DATABASE_NOTE}`,
    spread: formatSpread(ratio),
    ratio: ratio.median,
    passed: ratio.median >= promises[kind],
  }
}
