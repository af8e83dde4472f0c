import { setTimeout as sleep } from 'node:timers/promises'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { examples, formatSettled, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { shortDeadlines } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import { startCrowd } from '../visitor/crowd.ts'
import type { HttpClient } from '../visitor/http-client.ts'

const LANES = 16
const SETTLE_SECONDS = 60
export const randomPause = (minMs: number, maxMs: number) => sleep(minMs + Math.random() * (maxMs - minMs))

const kills = {
  PostgreSQL: { long: 150, short: 4 },
  embedded: { long: 50, short: 3 },
  database: { long: 20, short: 2 },
}

/** kill -9 of the server under load, and of PostgreSQL while the server keeps running. */
export const kill: Drill = async (run, backend) => {
  const { name, server } = backend
  const killsOf = (target: keyof typeof kills) => kills[target][run.short ? 'short' : 'long']
  return [
    await killServer(run, backend, killsOf(name)),
    ...(server ? [await killAndRestart(run, backend, 'PostgreSQL', killsOf('database'), () => server)] : []),
  ]
}

/** Visitors survive the crashes, as an open page does. */
const killServer = (run: DrillRun, backend: Backend, rounds: number) =>
  underLoad(run, backend, `${rounds} × kill -9 of the server`, rounds, async (site) => {
    await randomPause(100, 1200)
    await site.crash()
  })

type Killable = { kill: () => Promise<void>; restart: () => Promise<void> }

/** Kills something that the server depends on and restarts it, while the server keeps running. */
export const killAndRestart = (run: DrillRun, backend: Backend, name: string, rounds: number, target: () => Killable) =>
  underLoad(run, backend, `${rounds} × kill -9 of ${name}`, rounds, async () => {
    await randomPause(300, 1500)
    await target().kill()
    await randomPause(0, 500)
    await target().restart()
  })

type Round = (site: Site) => Promise<void>
type WrapClient = (client: HttpClient) => HttpClient

/** Repeats a round while visitors pay, then runs the audit. */
export async function underLoad(
  run: DrillRun,
  backend: Backend,
  description: string,
  rounds: number,
  round: Round,
  wrapClient: WrapClient = (client) => client,
): Promise<ReportRow> {
  const startTime = performance.now()
  const site = await openSite(backend)
  const crowd = startCrowd(wrapClient(site.client), LANES)
  for (let count = 1; count <= rounds; count++) {
    await crowd.nextAnswer()
    await round(site)
    const approvals = await crowd.checkApprovals()
    const seconds = Math.round((performance.now() - startTime) / 1000)
    run.showProgress(backend.name, `kill: ${count} of ${description}, ${approvals} members, ${seconds} s`)
  }
  await randomPause(300, 1000)
  await crowd.leave()
  const { findings, state, settledAfter } = await site.settle(crowd.records, SETTLE_SECONDS)
  await site.close()
  for (const line of examples(findings)) run.print(line)
  return {
    action: `${description} with ${LANES} visitors at the same time: ${state.attempts.length} attempts, ${state.members.length} members (${shortDeadlines})`,
    expected: `8.4 no harm, nothing open ${SETTLE_SECONDS} s later`,
    result: `${summarize(findings)}, ${formatSettled(settledAfter)}`,
    passed: isClean(findings) && settledAfter !== undefined && state.members.length > 0,
  }
}
