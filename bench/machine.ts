import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { findChromium } from '../scripts/find.mjs'

/** On what was measured: without it a number says little. */
export type Machine = ReturnType<typeof describeMachine>

export function describeMachine() {
  const [first] = cpus()
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    chromium: chromiumVersion(),
    /** How busy it was already. */
    load_before: Number(loadavg()[0]?.toFixed(2)),
  }
}

function chromiumVersion(): string | undefined {
  const found = findChromium()
  if (!found) return undefined
  const said = execFileSync(found, ['--version', '--no-sandbox'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return /\d+(?:\.\d+)+/.exec(said)?.[0]
}
