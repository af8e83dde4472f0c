import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import { API } from '#contract/api.ts'
import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import { loadShell } from '#server/site/shell.ts'
import { TEST_PAGES_TOKEN } from '#server/test/generous-settings.ts'
import type { World } from '#server/world/world.ts'
import type { DrillRun } from '../drill.ts'
import type { Backend } from '../site/backends.ts'
import type { Workspace } from '../site/workspace.ts'

/** A cheap captcha, so that the drill does not measure proof of work. Everything else has its default. */
const baseSettings = {
  LOG_LEVEL: 'error',
  PUBLIC_URL: 'http://foyer.test',
  CAPTCHA_COST: '1',
  CAPTCHA_COUNTER: '2',
  TEST_PAGES_TOKEN,
}

type Gateways = Pick<World, 'payment' | 'sms'>
type InProcessOptions = {
  now: () => Date
  settings?: Record<string, string>
  /** Wraps the gateways, to count what reaches them. */
  wrapGateways?: (gateways: Gateways) => Partial<Gateways>
  onLogLine?: (line: string) => void
}

export type InProcessSite = Awaited<ReturnType<typeof openInProcessSite>>
export type Reply = Pick<Awaited<ReturnType<InProcessSite['inject']>>, 'statusCode' | 'headers' | 'body' | 'json'>
/** The part of a site that most drills need. A cluster behind a proxy has it, too. */
export type SiteClient = {
  world: World
  get: (url: string, sender: Sender) => Promise<Reply>
  post: (path: string, payload: object, sender: Sender) => Promise<Reply>
}
export type Sender = { address: string; cookie?: string | undefined; key?: string; headers?: Record<string, string> }

/** Foyer inside the drill's process, with the drill's clock and without a network. */
export async function openInProcessSite(
  workspace: Pick<Workspace, 'folder' | 'settings'>,
  { now, settings = {}, wrapGateways, onLogLine = () => {} }: InProcessOptions,
) {
  const config = readConfig({
    ...baseSettings,
    DATA_DIR: join(workspace.folder, 'data'),
    ...workspace.settings,
    ...settings,
  })
  const logStream = new Writable({
    write: (lines, _encoding, done) => {
      for (const line of String(lines).split('\n').filter(Boolean)) onLogLine(line)
      done()
    },
  })
  const log = createLog(config.LOG_LEVEL, logStream)
  const realWorld = await createWorld({ config, log, now })
  const world = { ...realWorld, ...wrapGateways?.(realWorld) }
  const app = await createApp({ world, shell: await loadShell() })

  const inject = (options: InjectOptions) => app.inject(options)
  const send = (method: 'GET' | 'POST', url: string, sender: Sender, payload?: object) =>
    inject({
      method,
      url,
      remoteAddress: sender.address,
      headers: {
        ...(payload ? { 'content-type': 'application/json' } : {}),
        ...(sender.cookie ? { cookie: sender.cookie } : {}),
        ...(sender.key ? { 'idempotency-key': sender.key } : {}),
        ...sender.headers,
      },
      ...(payload ? { payload } : {}),
    })
  return {
    world,
    app,
    inject,
    get: (url: string, sender: Sender) => send('GET', url, sender),
    /** A call of the contract, by its path. */
    post: (path: string, payload: object, sender: Sender) => send('POST', `${API}${path}`, sender, payload),
    async close() {
      await app.close()
      await realWorld.close()
    },
  }
}

/** Two sites where the database can be shared, otherwise one, and a description for the report. */
export async function openInProcessSites(
  run: DrillRun,
  backend: Backend,
  workspace: Workspace,
  options: InProcessOptions,
) {
  const open = () =>
    openInProcessSite(workspace, { ...options, onLogLine: (line) => run.print(`  ${line.slice(0, 300)}`) })
  const site = await open()
  const isShared = backend.name === 'PostgreSQL'
  const sites = isShared ? [site, await open()] : [site]
  return {
    site,
    sites,
    description: isShared ? 'two Foyers on one database' : 'one Foyer',
    async close() {
      for (const one of sites) await one.close()
    },
  }
}

export const cookieOf = ({ headers }: Reply): string =>
  [headers['set-cookie']]
    .flat()
    .map((cookie) => String(cookie ?? '').split(';')[0])
    .join('; ')
