import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { captchaEmulator } from '#emulators/captcha.ts'
import { createWorld } from '#server/open-world.ts'
import { freePort } from '../scripts/port.mjs'
import { findPostgres, startPostgres } from '../scripts/postgres.mjs'
import { readConfig } from '../server/config/config.ts'
import { createLog } from '../server/log.ts'
import { fastSettings, generousLimits } from '../server/test/generous-settings.ts'
import { waitUntilReady } from '../server/test/process.ts'

/** Generous limits, because all test visitors share one IP address, and a cheap captcha. */
export const testSettings = { ...generousLimits, ...fastSettings, CAPTCHA_COST: '500', CAPTCHA_COUNTER: '20' }

export const allStepsSettings = {
  START_STEP: 'PRODUCT_SELECTION',
  AUTOSHIP: 'on',
  SPECIAL: 'on',
  PHONE_VERIFICATION: 'on',
  VOICE_CALL: 'on',
}

export type Cleanups = (() => Promise<void>)[]

/** Starts an emulated reCAPTCHA, which runs under Trusted Types, and returns the settings for it. */
async function startVendorCaptcha(cleanups: Cleanups): Promise<Record<string, string>> {
  const port = await freePort()
  const account = { site_key: 'a site key', secret: 'a secret' }
  cleanups.push((await captchaEmulator({ ...account, vendor: 'recaptcha', port })).close)
  return {
    PHONE_VERIFICATION: 'on',
    COMMON_PASSWORDS: 'allow',
    CAPTCHA: 'recaptcha',
    CAPTCHA_SITE_KEY: account.site_key,
    CAPTCHA_SECRET: account.secret,
    CAPTCHA_BASE_URL: `http://127.0.0.1:${port}`,
  }
}

/** Starts PostgreSQL if this machine has it. The returned function creates an empty database and returns its settings. */
export async function preparePostgres(cleanups: Cleanups) {
  const postgres = findPostgres() ? await startPostgres() : undefined
  if (postgres) cleanups.push(async () => postgres.stop())
  return async (name: string): Promise<Record<string, string>> =>
    postgres ? { DATABASE_URL: await createDatabase(postgres.url, name) } : {}
}

/** Creates a database on the server of this URL, empty or as a copy, and returns its URL. */
export async function createDatabase(url: string, name: string, template = 'template1'): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database ${name} template ${template}`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** A migrated and seeded database, for own-site.ts: a copy of it is much faster than a new one. */
async function prepareTemplate(DATABASE_URL: string): Promise<string> {
  const config = readConfig({ ...testSettings, DATABASE_URL })
  const world = await createWorld({ config, log: createLog('error') })
  await world.close()
  return DATABASE_URL
}

/**
 * Starts three real sites: one with default settings on an empty embedded database, one with every step switched on and one
 * with a vendor's captcha and common passwords allowed, both on PostgreSQL. They do not inherit the environment. If BASE_URL is set, the sites are already
 * running.
 */
export default async function startSites() {
  if (process.env.BASE_URL) return () => undefined
  const cleanups: Cleanups = []
  const stopAll = async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
  try {
    const emptyDatabase = await preparePostgres(cleanups)
    const sites: Record<string, Record<string, string>> = {
      BASE_URL: {},
      BASE_URL_ALL_STEPS: { ...allStepsSettings, ...(await emptyDatabase('all_steps')) },
      BASE_URL_VENDOR: { ...(await startVendorCaptcha(cleanups)), ...(await emptyDatabase('vendor')) },
    }
    const starts = Object.entries(sites).map(async ([name, settings]) => {
      process.env[name] = await startSite(settings, cleanups)
    })
    const { DATABASE_URL } = await emptyDatabase('own_site')
    if (DATABASE_URL) process.env.SITE_DATABASE ??= await prepareTemplate(DATABASE_URL)
    await Promise.all(starts)
  } catch (error) {
    await stopAll()
    throw error
  }
  return stopAll
}

export async function startSite(settings: Record<string, string>, cleanups: Cleanups): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'foyer-e2e-'))
  const env = { PATH, HOME, PORT: String(port), DATA_DIR: folder, ...testSettings, ...settings }
  const site: ChildProcess = spawn(process.execPath, ['server/main.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  })
  const exit = once(site, 'exit')
  cleanups.push(async () => {
    site.kill()
    await exit
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://localhost:${port}`
  await waitUntilReady({ child: site, output: () => 'see above' }, `${url}/readyz`)
  return url
}
