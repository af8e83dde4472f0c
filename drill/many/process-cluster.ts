import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/port.mjs'
import type { Ground } from '../drill.ts'
import { type Foyer, type Starting, startFoyer } from '../site/processes.ts'
import { startProxy } from './haproxy.ts'
import { startPooler } from './pgbouncer.ts'

export const PROCESSES = 4

/** As in deploy/compose.yaml. */
const CLOSING_SECONDS = 3
/** The proxy looks every half second whether somebody is back. */
const TAKEN_UP_MS = 1500

/** As an operator runs it, but for what another company owns. */
const asOperated = {
  NODE_ENV: 'production',
  SECRET: 'a secret for the drill of many processes',
  ALLOW_EMBEDDED: 'payment,phone,mail',
  TRUST_PROXY: '127.0.0.1',
}

type How = {
  settings?: Record<string, string>
  /** False, for the control: the proxy asks nobody whether they are ready, and a process does not say that it leaves. */
  guarded?: boolean
}

export type Many = Awaited<ReturnType<typeof startMany>>

/** PgBouncer, four Foyers that start at the same moment, and HAProxy before them. To a drill it is one Foyer. */
export async function startMany({ place, sandbox, port, settings }: Starting, { settings: own, guarded = true }: How) {
  const url = `http://127.0.0.1:${port}`
  const pooler = await startPooler(place.settings.DATABASE_URL ?? '')
  const all = {
    ...settings,
    ...asOperated,
    DATABASE_URL: pooler.url,
    PUBLIC_URL: url,
    PAYMENT_SANDBOX_URL: sandbox.url,
    CLOSING_SECONDS: String(guarded ? CLOSING_SECONDS : 0),
    ...own,
  }
  const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort))
  const start = (index: number, version = '') =>
    startFoyer({ place, sandbox, port: ports[index] ?? 0, settings: all, version })
  const foyers: Foyer[] = await Promise.all(ports.map((_, index) => start(index)))
  const proxy = await startProxy({ folder: place.folder, port, processes: ports, guarded })
  const each = (work: (foyer: Foyer) => unknown) => Promise.all(foyers.map(work))

  const startAgain = async (index: number, version?: string) => {
    foyers[index] = await start(index, version)
    await sleep(TAKEN_UP_MS)
  }
  const end = (how: 'kill' | 'stop') => async () => {
    await proxy.stop()
    await each((foyer) => foyer[how]())
    await pooler.stop()
  }
  return {
    url,
    settings: all,
    pooler,
    passed: proxy.passed,
    foyers: () => foyers,
    /** A new process instead of an old one, as in an upgrade. */
    renew: async (index: number, version?: string) => {
      await foyers[index]?.stop()
      await startAgain(index, version)
    },
    killOne: async (index: number) => {
      await foyers[index]?.kill()
    },
    startAgain,
    ended: Promise.race(foyers.map(({ ended }) => ended)),
    died: () => foyers.map((foyer) => foyer.died()).find((words) => words !== undefined),
    said: () => foyers.map((foyer) => foyer.said()).join('\n'),
    turn: (seconds: number) => foyers.every((foyer) => foyer.turn(seconds)),
    kill: end('kill'),
    stop: end('stop'),
  }
}

/** PostgreSQL with four processes on it wherever a drill wants one. */
export function manyGround(ground: Ground, how: How = {}): Ground & { many: () => Many } {
  let running: Many | undefined
  return {
    ...ground,
    start: async (starting) => {
      running = await startMany(starting, how)
      return running
    },
    many: () => {
      if (!running) throw new Error('nothing has been started yet')
      return running
    },
  }
}
