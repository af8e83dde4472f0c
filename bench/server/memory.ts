import { startSandbox } from '../../drill/site/processes.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE } from './database.ts'
import { CONCURRENT_VISITORS, runVisitors, visitorSettings } from './enrollment-rate.ts'
import { waitForJobs } from './jobs.ts'
import type { MemoryUsage } from './preload/report-memory.ts'
import { runBenchProgram, startFoyer } from './programs/programs.ts'

const { memory_enrollments, memory_most_growth } = budgets.server
const SHORT_ENROLLMENTS = 1000
/** By this share of the enrollments, caches such as compiled code and rendered pages are filled. */
const BASELINE_SHARE = 0.2

type Sample = MemoryUsage & { enrollments: number }

/** Memory of the server over many complete visits: page, captcha, enrollment, emails. */
export const memory: Part = async ({ short, log, saveFigures }) => {
  const database = await createDatabase()
  const sandbox = await startSandbox(database)
  const settings = { ...visitorSettings, CAPTCHA_COST: '1000', PAYMENT_SANDBOX_URL: sandbox.url } // only to save time
  const foyer = await startFoyer({
    database,
    settings,
    preload: ['report-memory', 'no-hash'],
    nodeFlags: ['--expose-gc'],
  })
  const visitors = runBenchProgram('visitors')
  const steps = short ? 5 : 10
  const visitsPerStep = (short ? SHORT_ENROLLMENTS : memory_enrollments) / steps
  const samples: Sample[] = []
  for (let step = 1; step <= steps; step++) {
    await runVisitors(visitors, { visit: visitsPerStep, url: foyer.url, concurrency: CONCURRENT_VISITORS })
    await waitForJobs(database)
    const usage = await foyer.request<MemoryUsage>({})
    const enrollments = visitsPerStep * step
    samples.push({ ...usage, enrollments })
    log(
      `memory: ${formatNumber(enrollments)} enrollments, heap ${formatMb(usage.heap)}, resident ${formatMb(usage.resident)}`,
    )
  }
  await Promise.all([foyer.stop(), visitors.stop()])
  await sandbox.stop()
  await database.remove()
  saveFigures('memory', samples)
  const baseline = samples[Math.ceil(steps * BASELINE_SHARE) - 1]
  const last = samples.at(-1)
  if (!baseline || !last) throw new Error('No memory was measured.')
  return (['heap', 'resident'] as const).map((kind) => createRow(kind, baseline, last))
}

const formatMb = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MB`

const titles = { heap: 'heap after collection', resident: 'resident memory' }

function createRow(kind: keyof MemoryUsage, baseline: Sample, last: Sample): Row {
  const ratio = last[kind] / baseline[kind]
  return {
    goal: `${titles[kind]} over ${formatNumber(last.enrollments)} enrollments`,
    promise: `≤ ${memory_most_growth} of that at ${BASELINE_SHARE * 100} %`,
    measured: `${formatMb(last[kind])}, ${formatNumber(ratio)}`,
    beside: `after ${formatNumber(baseline.enrollments)} enrollments: ${formatMb(baseline[kind])}; without the hash; gateway in its own process; ${DATABASE_NOTE}`,
    spread: '',
    ratio,
    passed: ratio <= memory_most_growth,
  }
}
