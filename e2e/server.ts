import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/port.mjs'

/** The real site for all journeys, on an empty embedded database. It sees none of the settings of whoever runs the test. */
export default async function startSite() {
  const { PATH, HOME } = process.env
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-e2e-'))
  const site = spawn(process.execPath, ['server/main.ts'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH, HOME, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn' },
  })
  const ended = once(site, 'exit')
  const stopSite = async () => {
    site.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  process.env.BASE_URL = `http://localhost:${port}`
  try {
    await untilReady(`${process.env.BASE_URL}/readyz`, ended)
  } catch (error) {
    await stopSite()
    throw error
  }
  return stopSite
}

async function untilReady(url: string, ended: Promise<unknown>) {
  const tooEarly = ended.then(() => Promise.reject(new Error('The site ended before it was ready.')))
  const giveUp = Date.now() + 60_000
  while (!(await Promise.race([answers(url), tooEarly]))) {
    if (Date.now() > giveUp) throw new Error('The site was not ready within a minute.')
    await sleep(100)
  }
}

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (reply) => reply.ok,
    () => false,
  )
