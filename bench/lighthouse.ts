import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromiumFlags } from '../scripts/find.mjs'
import budgets from './budgets.json' with { type: 'json' }
import { needChromium } from './page/chromium.ts'
import { startFoyer } from './page/foyer.ts'
import { installPeers } from './page/peers.ts'
import type { Part, Row } from './row.ts'
import { middleOf } from './server/compare.ts'

const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const
type Category = (typeof categories)[number]

/** What we read of Lighthouse's report. */
type Report = {
  lighthouseVersion: string
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>
}

/** Lighthouse's own opinion of the first step, on its phone. */
export const lighthouse: Part = async ({ short, say, keep }) => {
  const modules = installPeers(say)
  const foyer = await startFoyer()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-lighthouse-'))
  try {
    const reports: Report[] = []
    const rounds = short ? 1 : budgets.lighthouse.rounds
    for (let round = 1; round <= rounds; round++) {
      reports.push(await ask(modules, `${foyer.url}/ana`, join(folder, `${round}.json`)))
      say(`lighthouse: run ${round} of ${rounds}`)
    }
    keep('lighthouse', reports.map(scores))
    return categories.map((category) => rowOf(category, reports))
  } finally {
    await foyer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By its own command, because it needs a browser that it has started itself. */
async function ask(modules: string, address: string, file: string): Promise<Report> {
  const chromeFlags = ['--headless=new', ...chromiumFlags].join(' ')
  const args = [
    join(modules, 'lighthouse/cli/index.js'),
    address,
    '--quiet',
    '--no-enable-error-reporting',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${categories.join(',')}`,
    `--chrome-flags=${chromeFlags}`,
  ]
  const { PATH = '', HOME = '' } = process.env
  await promisify(execFile)(process.execPath, args, { env: { PATH, HOME, CHROME_PATH: needChromium() } })
  return JSON.parse(readFileSync(file, 'utf8'))
}

const scoreOf = (report: Report, category: Category) => Math.round((report.categories[category].score ?? 0) * 100)

const scores = (report: Report) =>
  Object.fromEntries(categories.map((category) => [category, scoreOf(report, category)]))

function rowOf(category: Category, reports: Report[]): Row {
  const found = reports.map((report) => scoreOf(report, category))
  const { median } = middleOf(found)
  const lost = [...new Set(reports.flatMap((report) => costly(report, category)))]
  return {
    goal: category,
    promise: String(budgets.lighthouse[category]),
    measured: String(median),
    beside: `Lighthouse ${reports[0]?.lighthouseVersion}, its phone${lost.length ? `; short of: ${lost.join(', ')}` : ''}`,
    spread: `${Math.min(...found)}–${Math.max(...found)} (${found.length} runs)`,
    ratio: median / budgets.lighthouse[category],
    passed: median >= budgets.lighthouse[category],
  }
}

/** What keeps a category from being whole, where it is not. */
const costly = (report: Report, category: Category): string[] =>
  scoreOf(report, category) === 100
    ? []
    : report.categories[category].auditRefs
        .filter(({ id, weight }) => weight > 0 && (report.audits[id]?.score ?? 1) < 1)
        .map(({ id }) => [id, report.audits[id]?.displayValue].filter(Boolean).join(' '))
