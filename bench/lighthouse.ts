import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromiumFlags } from '../scripts/find.mjs'
import budgets from './budgets.json' with { type: 'json' }
import { requireChromium } from './page/chromium.ts'
import { startFoyer } from './page/foyer.ts'
import { installPeers } from './page/peers.ts'
import type { Part, Row } from './part.ts'
import { quartiles } from './statistics.ts'

const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
type Category = (typeof categories)[number]

/** The parts of Lighthouse's report that we read. */
type Report = {
  lighthouseVersion: string
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>
}

/** Lighthouse's scores of the first step, with its own phone settings. */
export const lighthouse: Part = async ({ short, log, saveFigures }) => {
  const modules = installPeers(log)
  const foyer = await startFoyer()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-lighthouse-'))
  try {
    const reports: Report[] = []
    const rounds = short ? 1 : budgets.lighthouse.rounds
    for (let round = 1; round <= rounds; round++) {
      reports.push(await runLighthouse(modules, `${foyer.url}/ana`, join(folder, `${round}.json`)))
      log(`lighthouse: run ${round} of ${rounds}`)
    }
    saveFigures('lighthouse', reports.map(scores))
    return categories.map((category) => createRow(category, reports))
  } finally {
    await foyer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Uses the command line, because Lighthouse must start the browser itself. */
async function runLighthouse(modules: string, url: string, file: string): Promise<Report> {
  const chromeFlags = ['--headless=new', ...chromiumFlags].join(' ')
  const args = [
    join(modules, 'lighthouse/cli/index.js'),
    url,
    '--quiet',
    '--no-enable-error-reporting',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${categories.join(',')}`,
    `--chrome-flags=${chromeFlags}`,
  ]
  const { PATH = '', HOME = '' } = process.env
  await promisify(execFile)(process.execPath, args, { env: { PATH, HOME, CHROME_PATH: requireChromium() } })
  return JSON.parse(readFileSync(file, 'utf8'))
}

const scoreOf = (report: Report, category: Category) => Math.round((report.categories[category].score ?? 0) * 100)

const scores = (report: Report) =>
  Object.fromEntries(categories.map((category) => [category, scoreOf(report, category)]))

function createRow(category: Category, reports: Report[]): Row {
  const results = reports.map((report) => scoreOf(report, category))
  const { median } = quartiles(results)
  const failed = [...new Set(reports.flatMap((report) => failedAudits(report, category)))]
  return {
    goal: category,
    promise: String(budgets.lighthouse[category]),
    measured: String(median),
    beside: `Lighthouse ${reports[0]?.lighthouseVersion}, its phone settings${failed.length ? `; failed: ${failed.join(', ')}` : ''}`,
    spread: `${Math.min(...results)}–${Math.max(...results)} (${results.length} runs)`,
    ratio: median / budgets.lighthouse[category],
    passed: median >= budgets.lighthouse[category],
  }
}

/** The audits that keep a category below 100. */
const failedAudits = (report: Report, category: Category): string[] =>
  scoreOf(report, category) === 100
    ? []
    : report.categories[category].auditRefs
        .filter(({ id, weight }) => weight > 0 && (report.audits[id]?.score ?? 1) < 1)
        .map(({ id }) => [id, report.audits[id]?.displayValue].filter(Boolean).join(' '))
