import { setTimeout as sleep } from 'node:timers/promises'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { examples, formatSettled, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { LOST_ANSWERS, type Sandbox, shortDeadlines } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import { goodCardPlan, startCrowd } from '../visitor/crowd.ts'
import type { HttpClient } from '../visitor/http-client.ts'

const LANES = 4
const SETTLE_SECONDS = 30
const LONGER_THAN_THE_DEADLINE_MS = 6000

type Fault = { begin: (sandbox: Sandbox) => Promise<void>; end: (sandbox: Sandbox) => Promise<void> }

const always = (fault: 'slow' | 'reset' | 'garbage' | 'error'): Fault => ({
  begin: (sandbox) => sandbox.setFaults([{ on: 'any', fault, share: 1, ms: LONGER_THAN_THE_DEADLINE_MS }]),
  end: (sandbox) => sandbox.setFaults(LOST_ANSWERS),
})

const faults: Record<string, Fault> = {
  down: {
    begin: (sandbox) => sandbox.kill(),
    end: async (sandbox) => {
      await sandbox.restart()
      await sandbox.setFaults(LOST_ANSWERS)
    },
  },
  slow: always('slow'),
  'resetting connections': always('reset'),
  'answering garbage': always('garbage'),
  'failing with 500': always('error'),
}

/** While the gateway fails, no visitor is told "declined" and the other pages stay fast. Once it is back, all settles. */
export const gatewayFaults: Drill = async (run, backend) => {
  const rows: ReportRow[] = []
  const selection = Object.entries(faults).filter(([name]) => !run.short || name === 'down')
  const site = await openSite(backend)
  for (const [name, fault] of selection) rows.push(await runFault(run, backend, site, name, fault))
  await site.close()
  return rows
}

async function runFault(run: DrillRun, backend: Backend, site: Site, name: string, fault: Fault): Promise<ReportRow> {
  const { client, sandbox } = site
  const showPhase = (phase: string) => run.showProgress(backend.name, `faults: gateway ${name}, ${phase}`)
  const seconds = run.short ? 3 : 8
  const crowd = startCrowd(client, LANES, goodCardPlan)
  const countPending = () => crowd.records.filter(({ pending }) => pending > 0).length
  showPhase('before')
  await sleep(1000)
  const before = await measurePages(client, seconds)
  showPhase('during')
  await fault.begin(sandbox)
  const pendingBefore = countPending()
  const during = await measurePages(client, seconds)
  const pending = countPending() - pendingBefore
  await fault.end(sandbox)
  showPhase('settling')
  await crowd.leave()
  const { findings, state, settledAfter } = await site.settle(crowd.records, SETTLE_SECONDS)
  for (const line of examples(findings)) run.print(line)
  await site.resume()

  const declined = crowd.records.filter((visitor) => visitor.declined.length).length
  const maxP95 = Math.max(5 * before.p95, before.p95 + 250)
  const isUnharmed = during.failures === 0 && during.p95 <= maxP95
  return {
    action: `gateway ${name} for ${seconds} s: ${state.attempts.length} attempts so far, ${pending} visitors told to wait (${shortDeadlines})`,
    expected: `8.4 ${during.requests} other requests answered, p95 ≤ ${Math.round(maxP95)} ms; no visitor told "declined"; settled ${SETTLE_SECONDS} s after`,
    result: `p95 ${Math.round(before.p95)} → ${Math.round(during.p95)} ms, ${during.failures} failed, ${declined} told "declined", ${summarize(findings)}, ${formatSettled(settledAfter)}`,
    passed: isUnharmed && declined === 0 && pending > 0 && settledAfter !== undefined && isClean(findings),
  }
}

/** Requests of visitors who are not paying. */
const pages: ((client: HttpClient) => Promise<{ status: number }>)[] = [
  (client) => client.get('/ana'),
  (client) => client.call('GET', '/enrollment/enrollment_packages?product_category_id=17&language_id=1'),
  (client) => client.call('GET', '/enrollment/get_enrollment_sponsor?sponsor_site=ana'),
  (client) => client.call('POST', '/enrollment/validate_username', { body: { username: 'somebody' } }),
]

/** Requests the other pages for this long and measures their 95th percentile. */
async function measurePages(client: HttpClient, seconds: number) {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  let failures = 0
  await Promise.all(
    pages.map(async (request) => {
      while (performance.now() < end) {
        const startTime = performance.now()
        const { status } = await request(client).catch(() => ({ status: 0 }))
        times.push(performance.now() - startTime)
        if (status !== 200) failures += 1
        await sleep(20)
      }
    }),
  )
  times.sort((a, b) => a - b)
  return { requests: times.length, failures, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
}
