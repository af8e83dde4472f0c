import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { captchaEmulator } from '#emulators/captcha.ts'
import { startProviderHost } from '#emulators/provider/host.ts'
import { createWorld } from '#server/open-world.ts'
import { freePort } from '../scripts/port.mjs'
import { findPostgres, startPostgres } from '../scripts/postgres.mjs'
import { readConfig } from '../server/config/config.ts'
import { createLog } from '../server/log.ts'
import { fastSettings, generousLimits } from '../server/test/generous-settings.ts'
import { waitUntilReady } from '../server/test/process.ts'
import { OFFICE_HOST } from './visitor.ts'

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

/** PROVIDER=1: the sites are in front of a stand-in for an operator's API host. */
async function startHost(cleanups: Cleanups): Promise<Record<string, string>> {
  const host = await startProviderHost()
  cleanups.push(host.close)
  return { PROVIDER_API_URL: host.url, PROVIDER_OFFICE_HOSTS: OFFICE_HOST }
}

type Postgres = { template?: string; newDatabase: (name: string) => Promise<Record<string, string>> }

/**
 * Starts PostgreSQL, if this machine has it, with a migrated and seeded database: copies of it are much faster than new ones.
 * `newDatabase` returns the settings of a copy, or none.
 */
export async function preparePostgres(cleanups: Cleanups): Promise<Postgres> {
  if (!findPostgres()) return { newDatabase: async () => ({}) }
  const { url, stop } = await startPostgres({ onlyForTests: true })
  cleanups.push(async () => stop())
  const template = await createDatabase(url, 'new_site')
  const world = await createWorld({
    config: readConfig({ ...testSettings, DATABASE_URL: template }),
    log: createLog('error'),
  })
  await world.close()
  return { template, newDatabase: async (name) => ({ DATABASE_URL: await createDatabase(url, name, 'new_site') }) }
}

/** Creates a database on the server of this URL, empty or as a copy, and returns its URL. */
export async function createDatabase(url: string, name: string, template = 'template1'): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database ${name} template ${template} strategy file_copy`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/**
 * Starts three real sites on PostgreSQL: one with default settings, one with every step switched on, and one with a vendor's
 * captcha and common passwords allowed. On the embedded database they would use twice the processor time; the journeys in
 * WebKit use that one. They do not inherit the environment. If BASE_URL is set, the sites are already running.
 */
export default async function startSites() {
  if (process.env.BASE_URL) return () => undefined
  const cleanups: Cleanups = []
  const stopAll = async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
  try {
    const { template, newDatabase } = await preparePostgres(cleanups)
    const host = process.env.PROVIDER ? await startHost(cleanups) : {}
    if (template) process.env.SITE_DATABASE ??= template // for own-site.ts
    const sites: Record<string, Record<string, string>> = {
      BASE_URL: { ...host, ...(await newDatabase('main_site')) },
      BASE_URL_ALL_STEPS: { ...host, ...allStepsSettings, ...(await newDatabase('all_steps')) },
      BASE_URL_VENDOR: { ...(await startVendorCaptcha(cleanups)), ...(await newDatabase('vendor')) },
    }
    const starts = Object.entries(sites).map(async ([name, settings]) => {
      process.env[name] = await startSite(settings, cleanups)
    })
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
  const site: ChildProcess = spawn(process.execPath, ['--liftoff-only', 'server/main.mjs'], {
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
