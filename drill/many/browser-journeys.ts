import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { allSteps, forTests } from '../../e2e/server.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Ground, Part, Place, Row } from '../drill.ts'
import { startSandbox } from '../site/processes.ts'
import { type Many, PROCESSES, startMany } from './process-cluster.ts'

const migrations = new URL('../../server/db/migrations/', import.meta.url)

/** Four processes start at once on an empty database, twice, and a person with a browser goes through both sites. */
export const journeys: Part = async (drill, ground) => {
  drill.progress(ground.name, 'many · starting on an empty database')
  const usual = await openEmpty(ground, {})
  const withAllSteps = await openEmpty(ground, allSteps)
  const started = await judgeStart([usual.many, withAllSteps.many])
  drill.progress(ground.name, 'many · journeys')
  const told = await travel(usual.place, { BASE_URL: usual.many.url, BASE_URL_ALL_STEPS: withAllSteps.many.url })
  for (const line of told.noted) drill.say(`  ${line}`)
  await Promise.all([usual.close(), withAllSteps.close()])
  return [
    started,
    {
      done: 'the journeys in Chromium, as on a phone, on both sites behind the proxy',
      asked: 'all pass',
      found: `${told.passed} passed${told.flaky ? `, ${told.flaky} of them at their second try` : ''}, ${told.failed} failed`,
      passed: told.passed > 0 && told.failed === 0,
    },
  ]
}

async function openEmpty(ground: Ground, settings: Record<string, string>) {
  const place = await ground.fresh()
  const database = await place.open()
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
  await database.close()
  const sandbox = await startSandbox(place)
  const starting = { place, sandbox, port: await freePort(), settings: forTests }
  const many = await startMany(starting, { settings: { NODE_ENV: 'development', ...settings } })
  const close = async () => {
    await many.kill()
    await sandbox.kill()
    await place.remove()
  }
  return { place, many, close }
}

/** Whether of each four one has migrated, one has seeded, and all sign with one key. */
async function judgeStart(sites: Many[]): Promise<Row> {
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).length
  const times = (many: Many, words: RegExp) => many.said().match(words)?.length ?? 0
  const applied = sites.map((many) => times(many, /applied \S+\.sql/g))
  const seeded = sites.map((many) => times(many, /loaded the sample/g))
  const keys = await Promise.all(
    sites.map(async (many) => {
      const sets = await Promise.all(many.foyers().map(({ url }) => fetch(`${url}/.well-known/jwks.json`)))
      return new Set(await Promise.all(sets.map((reply) => reply.text()))).size
    }),
  )
  return {
    done: `${sites.length} × ${PROCESSES} processes start at the same moment on an empty database, through PgBouncer`,
    asked: `all are ready, ${files} migrations once, sample data once, one key`,
    found: `all ready; migrations applied ${applied.join(' and ')}, sample data loaded ${seeded.join(' and ')} times, keys ${keys.join(' and ')}`,
    passed: applied.every((count) => count === files) && [...seeded, ...keys].every((count) => count === 1),
  }
}

/** What needs a captcha of another company needs a third site, which has nothing to do with how many there are. */
const ELSEWHERE = '5.7 a vendor'

type Spec = { title: string; ok: boolean; tests: { status: string }[] }
type Suite = { specs?: Spec[]; suites?: Suite[] }
type Report = { stats: { expected: number; flaky: number; unexpected: number }; suites: Suite[] }

async function travel(place: Place, sites: Record<string, string>) {
  const report = join(place.folder, 'journeys.json')
  const cli = 'node_modules/@playwright/test/cli.js'
  const args = ['test', '--project=phone', `--grep-invert=${ELSEWHERE}`, '--reporter=json']
  const env = { ...process.env, ...sites, PLAYWRIGHT_JSON_OUTPUT_FILE: report }
  await once(spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (!existsSync(report)) return { passed: 0, flaky: 0, failed: 0, noted: ['the journeys left no report'] }
  const { stats, suites }: Report = JSON.parse(readFileSync(report, 'utf8'))
  const unsteady = specsOf(suites).filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
  const broken = specsOf(suites).filter(({ ok }) => !ok)
  return {
    passed: stats.expected + stats.flaky,
    flaky: stats.flaky,
    failed: stats.unexpected,
    noted: [
      ...broken.map(({ title }) => `failed: ${title}`),
      ...unsteady.map(({ title }) => `passed only at its second try: ${title}`),
    ],
  }
}

const specsOf = (suites: Suite[] = []): Spec[] =>
  suites.flatMap(({ specs = [], suites: inner }) => [...specs, ...specsOf(inner)])
