import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import type { Pages } from '#contract/pages.ts'
import { readConfig } from '#server/config/config.ts'
import { pagePolicy } from '#server/http/headers.ts'
import { createLog } from '#server/log.ts'
import { createWorld } from '#server/open-world.ts'
import { createApp } from '#server/site/app.ts'
import type { Shell } from '#server/site/shell.ts'
import { validAnswers } from './answers.ts'
import { reusedDatabase } from './database.ts'
import { TEST_PAGES_TOKEN, testPagesCookie } from './generous-settings.ts'
import { solve } from './solve-captcha.ts'

/** Generous limits and an easy captcha. All are ordinary settings, nothing is bypassed. */
const settings = {
  LOG_LEVEL: 'trace',
  PUBLIC_URL: 'http://foyer.test',
  TEST_PAGES_TOKEN,
  CAPTCHA_COST: '1',
  CAPTCHA_COUNTER: '2',
  MINIMUM_SECONDS: '0',
  LIMIT_ENROLLMENTS: '100000/3600',
  LIMIT_DECLINES: '100000/3600',
  LIMIT_DECLINES_BY_CARD: '100000/3600',
  LIMIT_DECLINES_BY_PHONE: '100000/3600',
  BREAKER_DECLINES: '100000/600/50',
  LIMIT_LOOKUPS: '100000/3600',
  LIMIT_CHANGES: '100000/3600',
  LIMIT_CHALLENGES: '100000/3600',
  LIMIT_CODES_BY_ADDRESS: '1000/3600',
}

/** A complete site on its own database. Requests are injected without a network. It has plain pages unless it gets others. */
export async function testSite(env: Record<string, string> = {}, shell?: Shell, open = reusedDatabase) {
  const database = await open()
  const folder = await mkdtemp(join(tmpdir(), 'foyer-test-'))
  const config = readConfig({
    ...settings,
    DATA_DIR: folder,
    ...(database.url ? { DATABASE_URL: database.url } : {}),
    ...env,
  })
  const lines: string[] = []
  const sink = new Writable({
    write: (line, _encoding, done) => {
      lines.push(String(line))
      done()
    },
  })
  const log = createLog(config.LOG_LEVEL, sink)
  const clock = { now: new Date('2026-11-15T12:00:00Z').getTime() }
  const world = await createWorld({ config, log, database, now: () => new Date(clock.now) })
  const formPolicy = pagePolicy(head, world.captcha.vendor?.sources)
  const app = await createApp({ world, shell: shell ?? { ...plainShell, formPolicy } })

  const inject = (options: InjectOptions) => app.inject(withTestPages(options))
  const post = (path: string, payload: object | string, headers: Record<string, string> = {}) =>
    inject({
      method: 'POST',
      url: `/api/${path}`,
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const get = (url: string, headers: Record<string, string> = {}) => inject({ method: 'GET', url, headers })

  return {
    world,
    app,
    db: world.db,
    ask: inject,
    post,
    get,
    log: () => {
      log.flush()
      return lines.join('')
    },
    /** Moves the clock forward. */
    advance: (seconds: number) => {
      clock.now += seconds * 1000
    },
    captcha: async () => solve((await get('/api/captcha/challenge')).json()),
    async close() {
      await app.close()
      await world.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
/** As if the printed link had been opened. `app.inject` sends no cookie. */
const withTestPages = ({ headers, ...options }: InjectOptions): InjectOptions =>
  String(options.url).startsWith('/__')
    ? { ...options, headers: { cookie: testPagesCookie, ...headers } }
    : { ...options, ...(headers ? { headers } : {}) }

export type Site = Awaited<ReturnType<typeof testSite>>

let formCount = 0

/** A valid enrollment form with a new username and a solved captcha. */
export const filledForm = async (
  site: Site,
  changes: Record<string, string> = {},
): Promise<Record<string, string>> => ({
  ...validAnswers(`zoe${++formCount}`),
  captcha: await site.captcha(),
  ...changes,
})

/** Minimal pages, so that server tests do not need the web build. */
const pages: Pages = {
  enroll: (start) =>
    'sponsor' in start
      ? `<main>Join with ${start.sponsor.name.replaceAll('<', '&lt;')} for ${start.grand_total}</main>`
      : `<main>Join with ${start.sponsor_site}</main>`,
  office: (start) =>
    start.screen === 'office'
      ? `<h1>Hello ${start.view.first_name}</h1>${start.view.link}`
      : `<h1>${start.screen === 'sign-in' ? 'Closed' : start.screen}</h1>`,
  console: () => '<h1>Console</h1>',
  notFound: () => '<h1>Not found</h1>',
  elsewhere: (sentence) => `<h1>${sentence}</h1>`,
  failed: () => '<h1>Failed</h1>',
  oneMoment: () => '<h1>One moment</h1>',
  outbox: (messages) => `<h1>Outbox ${messages.length}</h1>`,
  testPayments: ({ transactions }) => `<h1>Payments ${transactions?.length}</h1>`,
  clock: ({ events }) => `<h1>Clock ${events.length}</h1>`,
  docs: ({ calls }) => `<h1>Calls ${calls.length}</h1>`,
  footer: ({ name, support }) => `<footer>${name} ${support?.text}</footer>`,
}
const head = {
  script: '/assets/main.js',
  officeScript: '/assets/office.js',
  consoleScript: '/assets/console.js',
  docsScript: '/assets/docs.js',
  reopenScript: '/assets/reopen.js',
  css: 'body{margin:0}',
  officeCss: 'body{margin:1em}',
  consoleCss: 'body{margin:2em}',
  early: '0',
}
const policy = pagePolicy({ ...head, css: head.officeCss })
const consolePolicy = pagePolicy({ ...head, css: head.consoleCss })
export const plainShell: Shell = { head, pages, policy, formPolicy: pagePolicy(head), consolePolicy, files: undefined }
