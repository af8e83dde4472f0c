import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../scripts/port.mjs'
import { findPostgres, startPostgres } from '../scripts/postgres.mjs'
import { captchaEmulator } from '../server/gateways/captcha/emulator.ts'
import { fastSettings, generousLimits } from '../server/test/generous-settings.ts'
import { waitUntilReady } from '../server/test/process.ts'

/** Everybody in a test comes from one address, and should not wait for the captcha as long as a robot would. */
export const forTests = { ...generousLimits, ...fastSettings, CAPTCHA_COST: '500', CAPTCHA_COUNTER: '20' }

export const allSteps = { START_STEP: 'PRODUCT_SELECTION', AUTOSHIP: 'on', SPECIAL: 'on', PHONE_VERIFICATION: 'on' }

/** Where another company asks the captcha: one that demands Trusted Types, played by the emulator. */
async function vendorSettings(stops: (() => Promise<void>)[]): Promise<Record<string, string>> {
  const port = await freePort()
  const account = { site_key: 'a site key', secret: 'a secret' }
  stops.push((await captchaEmulator({ ...account, vendor: 'recaptcha', port })).close)
  return {
    PHONE_VERIFICATION: 'on',
    CAPTCHA: 'recaptcha',
    CAPTCHA_SITE_KEY: account.site_key,
    CAPTCHA_SECRET: account.secret,
    CAPTCHA_BASE_URL: `http://127.0.0.1:${port}`,
  }
}

/** An empty database in a PostgreSQL of the journeys' own. Without one on this machine every site has the embedded one. */
async function databases(stops: (() => Promise<void>)[]) {
  const postgres = findPostgres() ? await startPostgres() : undefined
  if (postgres) stops.push(async () => postgres.stop())
  return async (name: string): Promise<Record<string, string>> => {
    if (!postgres) return {}
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(`create database ${name}`)
    await client.end()
    return { DATABASE_URL: Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href }
  }
}

/**
 * Starts the real sites: as it comes on an empty embedded database, with every step switched on and with the vendor on
 * PostgreSQL. They see none of the settings of whoever runs the test. With BASE_URL and the like in the environment the sites
 * are running already.
 */
export default async function startSites() {
  if (process.env.BASE_URL) return () => undefined
  const stops: (() => Promise<void>)[] = []
  const stopAll = async () => {
    for (const stop of stops.reverse()) await stop()
  }
  try {
    const database = await databases(stops)
    const all: Record<string, Record<string, string>> = {
      BASE_URL: {},
      BASE_URL_ALL_STEPS: { ...allSteps, ...(await database('all_steps')) },
      BASE_URL_VENDOR: { ...(await vendorSettings(stops)), ...(await database('vendor')) },
    }
    const started = Object.entries(all).map(async ([name, settings]) => {
      process.env[name] = await startSite(settings, stops)
    })
    await Promise.all(started)
  } catch (error) {
    await stopAll()
    throw error
  }
  return stopAll
}

async function startSite(settings: Record<string, string>, stops: (() => Promise<void>)[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-e2e-'))
  const env = { PATH, HOME, PORT: String(port), DATA_DIR: folder, ...forTests, ...settings }
  const site: ChildProcess = spawn(process.execPath, ['server/main.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  })
  const ended = once(site, 'exit')
  stops.push(async () => {
    site.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://localhost:${port}`
  await waitUntilReady({ child: site, output: () => 'see above' }, `${url}/readyz`)
  return url
}
