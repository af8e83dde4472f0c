import { setTimeout as sleep } from 'node:timers/promises'
import { main as connectCommand } from '#server/cli/connect.ts'
import type { Db } from '#server/db/db.ts'
import { startReceiver } from '#server/test/receiver.ts'
import { freePort } from '../../scripts/port.mjs'
import type { DatabaseCluster } from '../cluster/cluster.ts'
import { createWorkspace } from '../cluster/workspace.ts'
import type { Injection } from '../fault-injection/fault-injection.ts'
import { startHaproxy } from '../many/haproxy.ts'
import { startPgBouncer } from '../many/pgbouncer.ts'
import type { Backend } from '../site/backends.ts'
import { type Foyer, type StartOptions, startFoyer } from '../site/processes.ts'
import { openSite } from '../site/site.ts'
import { startInbox } from './inbox.ts'

const RETRY_MS = 500
/** Longer than an election, so that no attempt is given up because of one. */
export const settings = { PAYMENT_DEADLINE_SECONDS: '5', PAYMENT_IN_FLIGHT_SECONDS: '60' }

let count = 0

/** A database in the cluster, and two Foyers behind a proxy: one finds the primary by PgBouncer and HAProxy, one by itself. */
export async function openFailoverSite(cluster: DatabaseCluster, extra: Record<string, string> = {}) {
  const inbox = await startInbox()
  const receiver = await startReceiver()
  const name = `drill_${++count}`
  const url = cluster.urlOf(name)
  const pgbouncer = await startPgBouncer(url)
  const addresses = [pgbouncer.url, cluster.urlOfHosts(name)]
  const allSettings = { ...settings, MAIL: inbox.url, WEBHOOKS_TO_LOOPBACK: 'on', ...extra }

  /** As in deploy/, with one pair of processes that the proxy knows twice. */
  const startSite = async (options: StartOptions): Promise<Foyer> => {
    const ports = await Promise.all(addresses.map(freePort))
    const start = (port: number, index: number) =>
      startFoyer({
        ...options,
        port,
        settings: {
          ...allSettings,
          TRUST_PROXY: '127.0.0.1',
          DATABASE_URL: addresses[index] ?? '',
          DATABASE_REPLICA_URL: cluster.replicaUrlOf(name),
          PUBLIC_URL: `http://127.0.0.1:${options.port}`,
        },
      })
    const foyers = await Promise.all(ports.map(start))
    const processes = [...ports, ...ports]
    const proxy = await startHaproxy({ folder: options.workspace.folder, port: options.port, processes, guarded: true })
    const end = (method: 'kill' | 'stop') => async () => {
      await proxy.stop()
      await Promise.all(foyers.map((foyer) => foyer[method]()))
    }
    return {
      url: `http://127.0.0.1:${options.port}`,
      ended: Promise.race(foyers.map(({ ended }) => ended)),
      crashOutput: () => foyers.map((foyer) => foyer.crashOutput()).find((output) => output !== undefined),
      output: () => foyers.map((foyer) => foyer.output()).join('\n'),
      advanceClock: (seconds: number) => foyers.every((foyer) => foyer.advanceClock(seconds)),
      kill: end('kill'),
      stop: end('stop'),
    }
  }
  const backend: Backend = {
    name: 'PostgreSQL',
    createWorkspace: () => createWorkspace(cluster, name),
    startSite,
  }
  const site = await openSite(backend, { faults: [], settings: allSettings })
  const env = {
    ...site.workspace.settings,
    ...allSettings,
    PUBLIC_URL: site.foyer().url,
    PAYMENT_SANDBOX_URL: site.sandbox.url,
  }
  if (await connectCommand(['webhooks', 'add', receiver.url], { env })) throw new Error('the webhook was refused')
  let aheadSeconds = 0
  return {
    ...site,
    inbox,
    receiver,
    /** For an operator's commands. */
    env,
    /** Asks again on a new connection while the database moves. */
    withDatabase: async <Result>(work: (db: Db) => Promise<Result>): Promise<Result> => {
      for (;;)
        try {
          const database = await site.workspace.open()
          return await work(database.db).finally(database.close)
        } catch {
          await sleep(RETRY_MS)
        }
    },
    now: () => new Date(Date.now() + aheadSeconds * 1000),
    advance: (seconds: number) => {
      aheadSeconds += seconds
      site.advanceClock(seconds)
    },
    /** Starts both processes again, with the test clock of the drill. */
    withMovableClock: (injection: Injection) => site.crash({ ...injection, clockAheadSeconds: aheadSeconds }),
    stopProcesses: () => site.foyer().stop(),
    close: async () => {
      await site.close()
      await Promise.all([inbox.close(), receiver.close(), pgbouncer.stop()])
    },
  }
}
export type FailoverSite = Awaited<ReturnType<typeof openFailoverSite>>
