import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { findChromium } from '../scripts/find.mjs'

/** The machine of a run: numbers from different machines cannot be compared. */
export type Machine = ReturnType<typeof describeMachine>

export function describeMachine() {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    chromium: chromiumVersion(),
    /** The load average before the run. */
    load_before: Number(loadavg()[0]?.toFixed(2)),
  }
}

function chromiumVersion(): string | undefined {
  const chromium = findChromium()
  if (!chromium) return undefined
  const output = execFileSync(chromium, ['--version', '--no-sandbox'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return /\d+(?:\.\d+)+/.exec(output)?.[0]
}
