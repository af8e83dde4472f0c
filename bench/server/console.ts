import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { API } from '#contract/api.ts'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { createHttpClient, type HttpClient } from '../../drill/visitor/http-client.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber, formatSpread, quartiles, shuffle } from '../statistics.ts'
import { type ApiCaller, apiCaller, apiLists } from './api-lists.ts'
import { createExportRow, measureExport } from './console-export.ts'
import { createDatabase, withClient } from './database.ts'
import { visitorSettings } from './enrollment-rate.ts'
import { enrollModel } from './growth.ts'
import { addMembers, lastFourOf, lastNameOf } from './population.ts'
import type { RecordedStatement } from './preload/record-statements.ts'
import { type Preload, startFoyer } from './programs/programs.ts'
import { findTableScans } from './query-plans.ts'

const { few_members, many_members, most_growth, p95_ms } = budgets.console
const SHORT_MANY_MEMBERS = 20_000

const sizes = ['few', 'many'] as const
type PerSize<Value> = Record<(typeof sizes)[number], Value>
type Site = { caller: HttpClient; cookie: string; members: number; api: ApiCaller }

const list = (query: Record<string, string>) => `/console/members?${new URLSearchParams(query)}`

/** Everything that lists or searches, for the n-th member. */
const lists: Record<string, (site: Site, n: number) => string> = {
  'members, newest first': () => list({}),
  'members, oldest first': () => list({ sort: 'oldest' }),
  'members by name': () => list({ sort: 'name' }),
  'members past due': () => list({ state: 'past_due' }),
  'members on hold': () => list({ state: 'on_hold' }),
  'members that ended': () => list({ state: 'ended' }),
  'members of a package': () => list({ package: '34' }),
  'members of a sponsor': (_, n) => list({ sponsor: `m${Math.max(1, Math.floor(n / 3))}` }),
  'members of some weeks': () => list({ joined_from: daysAgo(100), joined_to: daysAgo(60) }),
  'search by last name': ({ members }, n) => list({ search: lastNameOf(n, members) }),
  'search by the start of a name': ({ members }, n) => list({ search: lastNameOf(n, members).slice(0, 3) }),
  'search by email': (_, n) => list({ search: `m${n}@mail.example` }),
  'search by username': (_, n) => list({ search: `m${n}` }),
  'search by phone': () => list({ search: '+1 202 555 0123' }),
  'search by last four': ({ members }, n) => list({ search: lastFourOf(n, members) }),
  'search for nobody': (_, n) => list({ search: `nobody ${n}` }),
  sponsors: () => '/console/sponsors',
  'sponsors by visits': () => '/console/sponsors?sort=visits',
  'search of a sponsor': (_, n) => `/console/sponsors?search=m${n}`,
  'acceptances of a document': () => '/console/document-acceptances?document_id=1&version=1',
  'to do': () => '/console/problems',
  'audit log': () => '/console/audit',
  staff: () => '/console/staff',
  ...Object.fromEntries(
    Object.entries(apiLists).map(([name, path]) => [name, ({ api }: Site, n: number) => path(api, n)]),
  ),
}
const names = Object.keys(lists)

/** The time of each list and search of the console and the API with a million members, beside a thousand. */
export const consoleLists: Part = async ({ short, log, saveFigures }) => {
  const counts = { few: few_members, many: short ? SHORT_MANY_MEMBERS : many_members }
  const databases = { few: await createDatabase(), many: await createDatabase() }
  const sandbox = await startSandbox(databases.few)
  const settings = { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url }
  const callers = {} as PerSize<ApiCaller>
  for (const size of sizes) {
    log(`console: ${formatNumber(counts[size])} members …`)
    const model = await enrollModel(databases[size], settings)
    await addMembers(databases[size], model, counts[size])
    await giveStates(databases[size])
    callers[size] = await apiCaller(databases[size], model)
  }
  const startSite = async (size: keyof typeof counts, preload: Preload[] = [], nodeFlags: string[] = []) => {
    const foyer = await startFoyer({
      database: databases[size],
      settings,
      preload: [...preload, 'no-hash'],
      nodeFlags,
    })
    const caller = createHttpClient(foyer.url, 1)
    const cookie = await signIn(databases[size], caller)
    return { ...foyer, caller, cookie, members: counts[size], api: callers[size] }
  }
  const sites = { few: await startSite('few'), many: await startSite('many') }
  const times: Record<string, PerSize<number[]>> = {}
  for (const name of names) {
    log(`console: ${name} …`)
    times[name] = await compare(sites, name, short ? 15 : 100)
  }
  for (const site of Object.values(sites)) {
    site.caller.close()
    await site.stop()
  }

  log('console: exporting every member …')
  const exportingSite = await startSite('many', ['report-memory'], ['--expose-gc'])
  const exported = await measureExport(exportingSite, exportingSite.cookie)
  exportingSite.caller.close()
  await exportingSite.stop()

  log('console: checking the query plans …')
  const recordingSite = await startSite('many', ['record-statements'])
  await recordingSite.request({})
  for (const name of names) await load(recordingSite, name, randomInt(1, recordingSite.members))
  const statements = await recordingSite.request<RecordedStatement[]>({})
  const { statementCount, scans } = await withClient(databases.many, (client) => findTableScans(client, statements))
  for (const { table, text } of scans) log(`console: reads all of ${table}: ${text}`)
  recordingSite.caller.close()
  await recordingSite.stop()
  await sandbox.stop()
  await Promise.all(Object.values(databases).map((database) => database.remove()))

  saveFigures('console', { counts, found: times, exported, scans })
  return [
    ...names.map((name) => createRow(name, counts, times[name])),
    createExportRow(counts.many, exported),
    {
      goal: 'statements that scan a growing table',
      promise: 'none',
      measured: `${scans.length} of ${statementCount}`,
      beside: `EXPLAIN with ${formatNumber(counts.many)} members`,
      spread: '',
      ratio: undefined,
      passed: scans.length === 0,
    },
  ]
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** A page of every state also with a thousand members, what staff did in the past, and ids in another system. */
const giveStates = (database: Workspace) =>
  withClient(database, async (client) => {
    const some = (from: number, to: number) =>
      `member_id in (select id from member where substr(username, 2) ~ '^[0-9]+$' and cast(substr(username, 2) as integer) % 100 between ${from} and ${to})`
    await client.query(`update membership set state = 'past_due' where ${some(1, 6)}`)
    await client.query(`update membership set on_hold_since = joined_at, hold_reason = 'asked' where ${some(7, 12)}`)
    await client.query(`update membership set state = 'ended', due_at = null where ${some(13, 18)}`)
    await client.query(
      `insert into audit (position, at, kind, act, role, subject_kind, subject, details_hash, hash)
       select n, now(), 'act', 'end_sessions', 'command line', 'member', 'm' || n, '', '' from generate_series(1, 100000) n`,
    )
    await client.query(`insert into audit_head (id, position, hash) values (1, 100000, '')`)
    await client.query(
      `insert into external_id (connection, value, member_id) select 'bench', username, id from member`,
    )
    await client.query(
      `insert into refund (id, payment_reference, amount_cents, reason, is_void, state, refund_reference, who, created_at, ended_at)
       select gen_random_uuid(), reference, 100, 'asked', false, 'refused', md5(reference), 'bench', created_at, created_at
       from payment where cast(enrollment_id as text) like '%0'`,
    )
    await client.query(
      `insert into sponsor_move (id, member_id, from_id, to_id, moved_at)
       select gen_random_uuid(), id, sponsor_id, sponsor_id, joined_at from member where cast(id as text) like '%0'`,
    )
    await client.query('vacuum (analyze) membership, audit, external_id, refund, sponsor_move')
  })

/** An owner who accepts an invitation with a password and an authenticator app. */
async function signIn(database: Workspace, caller: HttpClient): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const email = `${randomUUID()}@staff.example`
  await withClient(database, (client) =>
    client.query(
      `insert into staff_invitation (id, key_hash, email, role, created_at, expires_at)
       values ($1, $2, $3, 'owner', now(), now() + interval '1 hour')`,
      [randomUUID(), sha256(token), email],
    ),
  )
  const app = await caller.call('POST', '/console/invitation/app', { body: { token, email } })
  const { secret, sealed } = app.body as { secret: string; sealed: string }
  const code = codeOf(secret, stepAt(new Date()))
  const body = { token, email, name: 'Robin', password: 'Tall-Ladder-77', sealed, code }
  const reply = await caller.call('POST', '/console/invitation/password', { body })
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text.slice(0, 300)}`)
  return reply.cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

async function load(site: Site, name: string, n: number) {
  const { cookie, api } = site
  const headers = { authorization: `Bearer ${api.key}` }
  const { status, text } = await site.caller.get(`${API}${lists[name]?.(site, n)}`, { cookie, headers })
  if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`)
}

/** Takes turns in random order, with a different member each time, so that caches do not favor one side. */
async function compare(sites: PerSize<Site>, name: string, samples: number) {
  const times: PerSize<number[]> = { few: [], many: [] }
  const warmUp = Math.ceil(samples / 4)
  for (let sample = 0; sample < samples + warmUp; sample++)
    for (const size of shuffle(sizes)) {
      const n = randomInt(1, sites[size].members + 1)
      const start = performance.now()
      await load(sites[size], name, n)
      if (sample >= warmUp) times[size].push(performance.now() - start)
    }
  return times
}

const percentile95 = (numbers: number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * 0.95) - 1] ?? Number.NaN

function createRow(name: string, counts: PerSize<number>, times = { few: [0], many: [0] }): Row {
  const [few, many] = [quartiles(times.few), quartiles(times.many)]
  const ratio = many.median / few.median
  const p95 = percentile95(times.many)
  return {
    goal: `${name}: with ${formatNumber(counts.many)} members`,
    promise: `≤ ${most_growth} of ${formatNumber(counts.few)} members, p95 < ${p95_ms} ms`,
    measured: `${formatNumber(many.median)} ms, ${formatNumber(ratio)}; p95 ${formatNumber(p95)} ms`,
    beside: `with ${formatNumber(counts.few)} members: ${formatNumber(few.median)} ms`,
    spread: formatSpread(many, ' ms'),
    ratio,
    passed: ratio <= most_growth && p95 < p95_ms,
  }
}
