import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#server/db/db.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Injection } from '../fault-injection/fault-injection.ts'
import { createHttpClient, type HttpClient } from '../visitor/http-client.ts'
import { callsOf, type VisitorRecord } from '../visitor/visitor.ts'
import { type AuditResult, audit } from './audit.ts'
import type { Backend } from './backends.ts'
import { LOST_ANSWERS, type Sandbox, SHORT_DEADLINES, startFoyer, startSandbox } from './processes.ts'

type SiteOptions = {
  sockets?: number
  injection?: Injection
  faults?: typeof LOST_ANSWERS
  settings?: Record<string, string>
}

/** How long Foyer works on before the next audit. */
const WORK_MS = 1000

export type Site = Awaited<ReturnType<typeof openSite>>

/** A database, a payment sandbox that by default loses one answer in ten, and Foyer running on both. */
export async function openSite(backend: Backend, options: SiteOptions = {}) {
  const { sockets, faults = LOST_ANSWERS, settings = SHORT_DEADLINES } = options
  const workspace = await backend.createWorkspace()
  const sandbox = await startSandbox(workspace, faults)
  const port = await freePort()
  let { injection } = options
  const startSite = backend.startSite ?? startFoyer
  const start = () => startSite({ workspace, sandbox, port, settings, ...(injection ? { injection } : {}) })
  let foyer = await start()
  const client = createHttpClient(foyer.url, sockets)
  const allVisitors: VisitorRecord[] = []
  const crashes: string[] = []
  const recordCrash = () => {
    const output = foyer.crashOutput()
    if (output !== undefined && !injection?.crashPoint && !crashes.includes(output)) crashes.push(output)
  }
  /** An embedded database cannot be read from outside while Foyer runs on it. */
  let isStopped = false
  const stopIfEmbedded = async () => {
    if (backend.name !== 'embedded' || isStopped) return
    recordCrash()
    await foyer.stop()
    isStopped = true
  }
  const resume = async () => {
    if (!isStopped) return
    foyer = await start()
    isStopped = false
  }

  return {
    workspace,
    sandbox,
    client,
    foyer: () => foyer,
    /** Moves the clock forward, also for later restarts. */
    advanceClock: (seconds: number) => {
      injection = { ...injection, clockAheadSeconds: (injection?.clockAheadSeconds ?? 0) + seconds }
      foyer.advanceClock(seconds)
    },
    /** kill -9 and restart, with another injection if one is passed. */
    crash: async (next: Injection | undefined = injection) => {
      recordCrash()
      await foyer.kill()
      injection = next
      foyer = await start()
    },
    /**
     * Waits until no payment is in progress and runs the audit. `settledAfter` is in seconds, undefined if it took too
     * long. Only the time in which Foyer runs counts, because an embedded one is stopped for each audit, and a busy machine
     * takes long to start it again. Foyer may be stopped in the end; call `resume` before the next request.
     */
    settle: async (
      visitors: VisitorRecord[],
      maxSeconds: number,
    ): Promise<AuditResult & { settledAfter: number | undefined }> => {
      allVisitors.push(...visitors)
      let upMs = 0
      for (let round = 1; ; round++) {
        await resume()
        const start = performance.now()
        if (round > 1) await sleep(WORK_MS)
        const isIdle = await waitUntilIdle(client, sandbox, visitors, maxSeconds - upMs / 1000)
        upMs += performance.now() - start
        recordCrash()
        await stopIfEmbedded()
        const result = await audit(workspace, sandbox, allVisitors, crashes)
        const isSettled = isIdle && result.findings.open.length === 0
        if (isSettled || upMs > maxSeconds * 1000)
          return { ...result, settledAfter: isSettled ? upMs / 1000 : undefined }
      }
    },
    /** Changes the database directly. */
    changeDatabase: async (work: (db: Db) => Promise<unknown>) => {
      await stopIfEmbedded()
      const database = await workspace.open()
      await work(database.db).finally(database.close)
      await resume()
    },
    resume,
    close: async () => {
      recordCrash()
      client.close()
      await foyer.kill()
      await sandbox.kill()
      await workspace.remove()
    },
  }
}

/** Idle as seen from outside: no visitor is waiting and the gateway holds nothing. False: it took too long. */
async function waitUntilIdle(
  client: HttpClient,
  sandbox: Sandbox,
  visitors: VisitorRecord[],
  maxSeconds: number,
): Promise<boolean> {
  const end = performance.now() + maxSeconds * 1000
  let waiting = visitors.filter(({ hasSubmitted }) => hasSubmitted)
  for (; ; await sleep(250)) {
    const states = await Promise.all(waiting.map((visitor) => isRunning(client, visitor)))
    waiting = waiting.filter((_, index) => states[index])
    const holds = (await sandbox.transactions()).filter(({ state }) => state === 'held').length
    if (!waiting.length && !holds) return true
    if (performance.now() > end) return false
  }
}

const isRunning = (client: HttpClient, visitor: VisitorRecord) =>
  callsOf(client, visitor)
    .getStatus({}, { key: `${visitor.enrollment_id}.1` })
    .then(
      ({ state }) => state === 'running',
      () => true,
    )
