import { randomInt } from 'node:crypto'
import { API } from '#contract/api.ts'
import { validAnswers } from '#server/test/answers.ts'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { createHttpClient, type HttpClient, type RequestOptions } from '../../drill/visitor/http-client.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber, formatSpread, quartiles, shuffle } from '../statistics.ts'
import { createDatabase, withClient } from './database.ts'
import { visitorSettings } from './enrollment-rate.ts'
import { waitForJobs } from './jobs.ts'
import { addMembers, copiedIdOf, type ModelMember } from './population.ts'
import type { RecordedStatement } from './preload/record-statements.ts'
import { type Preload, startFoyer } from './programs/programs.ts'
import { findTableScans, type TableScan } from './query-plans.ts'
import { fillInForm, submitEnrollment } from './visitor.ts'

const { growth_few_members, growth_many_members, growth_most_difference } = budgets.server
const SHORT_MANY_MEMBERS = 20_000

const { password } = validAnswers('')

const sizes = ['few', 'many'] as const
type PerSize<Value> = Record<(typeof sizes)[number], Value>

/** A running site with a certain number of members. */
type Site = { url: string; caller: HttpClient; model: ModelMember; members: number }
type TimedCall = () => Promise<unknown>

const get = (path: string, options?: RequestOptions) => async (site: Site) => () =>
  expectOk(site.caller.get(path, options))
const post = (path: string, body: (n: number) => object) => async (site: Site, n: number) => () =>
  expectOk(site.caller.call('POST', path, { body: body(n) }))

async function expectOk(answer: ReturnType<HttpClient['send']>) {
  const { status, body, cookies } = await answer
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 300)}`)
  return cookies
}

const credentials = (n: number) => ({ name: `m${n}`, password })

/** Prepares a call for the n-th member, and returns the part of it that is timed. */
const calls: Record<string, (site: Site, n: number) => Promise<TimedCall>> = {
  sponsor: (site, n) => get(`${API}/enrollment/get_enrollment_sponsor?sponsor_site=m${n}`)(site),
  packages: get(`${API}/enrollment/enrollment_packages?product_category_id=17&language_id=1`),
  documents: get(`${API}/enrollment/get-all-legal-documents`),
  page: (site, n) => get(`/m${n}`)(site),
  validate_email: post('/enrollment/validate_email', (n) => ({ email: `m${n}@mail.example` })),
  validate_username: post('/enrollment/validate_username', (n) => ({ username: `free${n}` })),
  orders: post('/enrollment/orders', () => ({ product_ids: '34' })),
  status: (site, n) => get(`${API}/enrollment/status`, { key: `${copiedIdOf(site.model.enrollment_id, n)}.1` })(site),
  'add-enrollment': async ({ url, caller }) => {
    const visitor = await fillInForm(caller)
    return async () => {
      const outcome = await submitEnrollment(url, visitor)
      if (outcome !== 'Approved') throw new Error(outcome)
    }
  },
  'sign-in': post('/office/sign-in', credentials),
  'office view': async (site, n) => {
    const signIn = await post('/office/sign-in', credentials)(site, n)
    const [cookie = ''] = await signIn()
    return get(`${API}/office/view`, { cookie: cookie.split(';')[0] ?? '' })(site)
  },
}
const names = Object.keys(calls)

/** The time of each call with a million members, beside a thousand. */
export const growth: Part = async ({ short, log, saveFigures }) => {
  const counts = { few: growth_few_members, many: short ? SHORT_MANY_MEMBERS : growth_many_members }
  const databases = { few: await createDatabase(), many: await createDatabase() }
  const sandbox = await startSandbox(databases.few)
  const settings = { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url }
  const models = { few: await enrollModel(databases.few, settings), many: await enrollModel(databases.many, settings) }
  for (const size of sizes) {
    log(`growth: ${formatNumber(counts[size])} members …`)
    await addMembers(databases[size], models[size], counts[size])
  }

  const startSite = async (size: keyof typeof counts, preload: Preload[] = []) => {
    const foyer = await startFoyer({ database: databases[size], settings, preload: [...preload, 'no-hash'] })
    return { ...foyer, caller: createHttpClient(foyer.url, 4), model: models[size], members: counts[size] }
  }
  const sites = { few: await startSite('few'), many: await startSite('many') }
  const times: Record<string, PerSize<number[]>> = {}
  for (const name of names) {
    log(`growth: ${name} …`)
    times[name] = await compare(sites, name, short ? 40 : 300)
  }
  for (const site of Object.values(sites)) {
    site.caller.close()
    await site.stop()
  }

  log('growth: checking the query plans …')
  const recordingSite = await startSite('many', ['record-statements'])
  const statements: RecordedStatement[] = []
  for (const name of names) {
    await (await calls[name]?.(recordingSite, randomInt(1, recordingSite.members)))?.()
    statements.push(...(await recordingSite.request<RecordedStatement[]>({})))
  }
  const { statementCount, scans } = await withClient(databases.many, (client) => findTableScans(client, statements))
  for (const { table, text } of scans) log(`growth: reads all of ${table}: ${text}`)
  recordingSite.caller.close()
  await recordingSite.stop()
  await sandbox.stop()
  await Promise.all(Object.values(databases).map((database) => database.remove()))

  saveFigures('growth', { counts, found: times, scans })
  return [...names.map((name) => createRow(name, counts, times[name])), planRow(statementCount, scans, counts.many)]
}

/** Enrolls, through Foyer itself, the member that is then copied. */
export async function enrollModel(database: Workspace, settings: Record<string, string>): Promise<ModelMember> {
  const foyer = await startFoyer({ database, settings, preload: ['no-hash'] })
  const caller = createHttpClient(foyer.url, 1)
  const visitor = await fillInForm(caller)
  await submitEnrollment(foyer.url, visitor)
  caller.close()
  await waitForJobs(database)
  await foyer.stop()
  return visitor.heard
}

/** Takes turns in random order, with a different member each time, so that caches do not favor one side. */
async function compare(sites: PerSize<Site>, name: string, samples: number) {
  const times: PerSize<number[]> = { few: [], many: [] }
  const warmUp = Math.ceil(samples / 4)
  const members = {
    few: shuffle(Array.from({ length: sites.few.members }, (_, n) => n + 1)),
    many: Array.from({ length: samples + warmUp }, () => randomInt(1, sites.many.members + 1)),
  }
  for (let sample = 0; sample < samples + warmUp; sample++)
    for (const size of shuffle(sizes)) {
      const timedCall = await calls[name]?.(sites[size], members[size][sample] ?? 1)
      const start = performance.now()
      await timedCall?.()
      if (sample >= warmUp) times[size].push(performance.now() - start)
    }
  return times
}

function createRow(name: string, counts: PerSize<number>, times = { few: [0], many: [0] }): Row {
  const [few, many] = [quartiles(times.few), quartiles(times.many)]
  const ratio = many.median / few.median
  return {
    goal: `${name}: median with ${formatNumber(counts.many)} members`,
    promise: `≤ ${1 + growth_most_difference} of ${formatNumber(counts.few)} members`,
    measured: `${formatNumber(many.median)} ms, ${formatNumber(ratio)}`,
    beside: `with ${formatNumber(counts.few)} members: ${formatNumber(few.median)} ms; without the hash`,
    spread: formatSpread(many, ' ms'),
    ratio,
    passed: ratio <= 1 + growth_most_difference,
  }
}

const planRow = (statementCount: number, scans: TableScan[], members: number): Row => ({
  goal: 'statements that scan a growing table',
  promise: 'none',
  measured: `${scans.length} of ${statementCount}`,
  beside: `EXPLAIN with ${formatNumber(members)} members`,
  spread: '',
  ratio: undefined,
  passed: scans.length === 0,
})
