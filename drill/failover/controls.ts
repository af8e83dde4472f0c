import { setTimeout as sleep } from 'node:timers/promises'
import { main as reconcileCommand } from '#server/cli/reconcile.ts'
import type { DatabaseCluster } from '../cluster/cluster.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import { startPeople } from './people.ts'
import { killBoth } from './scenes.ts'
import { openFailoverSite } from './site.ts'

const LANES = { visitors: 4, members: 0, readers: 0 }
const LOST = 5
const POLL_MS = 100
const CHARGED = ['held', 'captured', 'review']

/** Without synchronous replication a failover forgets what was acknowledged, and comparing the books must name all of it. */
export async function loseAcknowledged(run: DrillRun, cluster: DatabaseCluster): Promise<ReportRow> {
  await cluster.configure({ synchronous_mode: false, maximum_lag_on_failover: 2 ** 30 })
  await cluster.synchronous(false)
  const site = await openFailoverSite(cluster)
  const people = startPeople(site.client, LANES)
  const approved = () => people.records.filter((record) => record.approved)
  const untilMore = async (count: number) => {
    for (const goal = approved().length + count; approved().length < goal; ) await sleep(POLL_MS)
  }
  await untilMore(LOST)
  cluster.cutReplication()
  await untilMore(LOST)
  const before = await cluster.primary()
  await killBoth(cluster, before)
  await cluster.primary(before)
  await people.leave()
  cluster.restoreReplication()
  cluster.startPatroni(before)
  await cluster.whole()
  await site.stopProcesses()
  const lost = await site.withDatabase(async (db) => {
    const members = await db.selectFrom('member').select('enrollment_id').execute()
    const known = new Set(members.map(({ enrollment_id }) => enrollment_id))
    return approved().filter(({ enrollment_id }) => !known.has(enrollment_id))
  })
  await reconcileCommand(['--days', '1'], { env: site.env })
  const { differences, attempts } = await site.withDatabase(async (db) => ({
    differences: await db.selectFrom('difference').select('reference').where('cleared_at', 'is', null).execute(),
    attempts: await db.selectFrom('payment').select('reference').execute(),
  }))
  const named = new Set([...differences, ...attempts].map(({ reference }) => reference))
  const charges = (await site.sandbox.transactions()).filter(({ state }) => CHARGED.includes(state))
  const unnamed = charges.filter(({ reference }) => !named.has(reference))
  await site.close()
  await cluster.configure({ synchronous_mode: true })
  await cluster.synchronous(true)
  run.showProgress('PostgreSQL', 'failover · control: asynchronous replication')
  return {
    action: 'control: kill -9 of the primary while asynchronous replication is cut',
    expected: 'something acknowledged is lost, and reconciliation names every payment',
    result: `${lost.length} acknowledged and lost, ${differences.length} discrepancies, ${unnamed.length} of ${charges.length} payments not named`,
    passed: lost.length > 0 && !unnamed.length && differences.length >= lost.length,
  }
}

const RECOVERY_SECONDS = 30

/** Connections to a server that is gone stay in the pool. */
export async function keepConnections(cluster: DatabaseCluster): Promise<ReportRow> {
  const preload = new URL('without-eviction.ts', import.meta.url).href
  const site = await openFailoverSite(cluster, { NODE_OPTIONS: `--import=${preload}` })
  const people = startPeople(site.client, LANES)
  await people.secondsUntilApproval(performance.now(), RECOVERY_SECONDS)
  const before = await cluster.primary()
  cluster.killPostmaster(before)
  await cluster.primary(before)
  const enrolledAfter = await people.secondsUntilApproval(performance.now(), RECOVERY_SECONDS)
  await people.abandon()
  await site.close()
  await cluster.whole()
  return {
    action: 'control: kill -9 of the primary while broken connections stay in the pool',
    expected: `no enrollment within ${RECOVERY_SECONDS} s of a new primary`,
    result: enrolledAfter < RECOVERY_SECONDS ? `an enrollment after ${enrolledAfter.toFixed(1)} s` : 'none',
    passed: enrolledAfter >= RECOVERY_SECONDS,
  }
}
