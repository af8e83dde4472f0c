import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../part.ts'
import { formatNumber } from '../statistics.ts'
import { startFoyer } from './programs/programs.ts'

const { idle_share_of_core } = budgets.server
/** After the last request, Foyer expects more for half a minute. */
const SECONDS_UNTIL_IDLE = 45
/** Covers whatever is done once a minute. */
const SECONDS = 120

/** The processor time that a site on the embedded database uses while nobody visits it. */
export const idle: Part = async ({ short, log, saveFigures }) => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-bench-idle-'))
  const settings = { DATA_DIR: folder, NODE_ENV: '', ALLOW_EMBEDDED: '' } // in production, an empty database has no sponsors
  const foyer = await startFoyer({ database: { settings }, preload: ['report-processor'] })
  const used = () => foyer.request<number>({})
  const seconds = short ? 5 : SECONDS
  log(`idle: waiting for ${seconds + (short ? 0 : SECONDS_UNTIL_IDLE)} s …`)
  if (!short) await sleep(SECONDS_UNTIL_IDLE * 1000)
  const before = await used()
  await sleep(seconds * 1000)
  const share = ((await used()) - before) / (seconds * 1000)
  await foyer.stop()
  await rm(folder, { recursive: true })
  saveFigures('idle', { share })
  return [
    {
      goal: 'processor time of an idle embedded site',
      promise: `≤ ${formatNumber(idle_share_of_core * 100)} % of a core`,
      measured: `${formatNumber(share * 100)} %`,
      beside: `one core, for ${seconds} s`,
      spread: '',
      ratio: share / idle_share_of_core,
      passed: short || share <= idle_share_of_core,
    },
  ]
}
