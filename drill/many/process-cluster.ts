import { setTimeout as sleep } from 'node:timers/promises'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Backend } from '../site/backends.ts'
import { type Foyer, type StartOptions, startFoyer } from '../site/processes.ts'
import { startHaproxy } from './haproxy.ts'
import { startPgBouncer } from './pgbouncer.ts'

export const PROCESSES = 4

/** As in deploy/compose.yaml. */
const CLOSING_SECONDS = 3
/** The proxy checks every half second whether a process is back. */
const READY_CHECK_MS = 1500

/** Production settings, with the sandboxes instead of vendors. */
const productionSettings = {
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  ALLOW_EMBEDDED: 'payment,phone,mail',
  TRUST_PROXY: '127.0.0.1',
}

type ClusterOptions = {
  settings?: Record<string, string>
  /** False, for the control: no readiness checks and no draining. */
  guarded?: boolean
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** PgBouncer, four Foyers that start at the same time, and HAProxy in front of them. Drills use it like a single Foyer. */
export async function startCluster(
  { workspace, sandbox, port, settings }: StartOptions,
  { settings: extraSettings, guarded = true }: ClusterOptions,
) {
  const url = `http://127.0.0.1:${port}`
  const pgbouncer = await startPgBouncer(workspace.settings.DATABASE_URL ?? '')
  const allSettings = {
    ...settings,
    ...productionSettings,
    DATABASE_URL: pgbouncer.url,
    PUBLIC_URL: url,
    PAYMENT_SANDBOX_URL: sandbox.url,
    CLOSING_SECONDS: String(guarded ? CLOSING_SECONDS : 0),
    ...extraSettings,
  }
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort))
  const start = (index: number, version = '') =>
    startFoyer({ workspace, sandbox, port: ports[index] ?? 0, settings: allSettings, version })
  const foyers: Foyer[] = await Promise.all(ports.map((_, index) => start(index)))
  const proxy = await startHaproxy({ folder: workspace.folder, port, processes: ports, guarded })
  const each = (work: (foyer: Foyer) => unknown) => Promise.all(foyers.map(work))

  const startAgain = async (index: number, version?: string) => {
    foyers[index] = await start(index, version)
    await sleep(READY_CHECK_MS)
  }
  const end = (method: 'kill' | 'stop') => async () => {
    await proxy.stop()
    await each((foyer) => foyer[method]())
    await pgbouncer.stop()
  }
  return {
    url,
    settings: allSettings,
    pgbouncer,
    requests: proxy.requests,
    processes: () => foyers,
    /** Replaces a process, as an upgrade does. */
    replace: async (index: number, version?: string) => {
      await foyers[index]?.stop()
      await startAgain(index, version)
    },
    killOne: async (index: number) => {
      await foyers[index]?.kill()
    },
    startAgain,
    ended: Promise.race(foyers.map(({ ended }) => ended)),
    crashOutput: () => foyers.map((foyer) => foyer.crashOutput()).find((output) => output !== undefined),
    output: () => foyers.map((foyer) => foyer.output()).join('\n'),
    advanceClock: (seconds: number) => foyers.every((foyer) => foyer.advanceClock(seconds)),
    kill: end('kill'),
    stop: end('stop'),
  }
}

/** A backend that starts a cluster wherever a drill starts Foyer. */
export function clusterBackend(
  backend: Backend,
  clusterOptions: ClusterOptions = {},
): Backend & { cluster: () => Cluster } {
  let running: Cluster | undefined
  return {
    ...backend,
    startSite: async (options) => {
      running = await startCluster(options, clusterOptions)
      return running
    },
    cluster: () => {
      if (!running) throw new Error('the cluster has not been started')
      return running
    },
  }
}
