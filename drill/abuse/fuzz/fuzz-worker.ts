import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { calls } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { officeCalls } from '#contract/office/office.ts'
import { createInvitation } from '#server/console/access/invitations.ts'
import { codeOf, stepAt } from '#server/members/credentials/totp.ts'
import { generousLimits, testPagesCookie } from '#server/test/generous-settings.ts'
import { type Challenge, solve } from '#server/test/solve-captcha.ts'
import type { ReportRow } from '../../drill.ts'
import { solveCaptcha } from '../../in-process-site/captcha-solutions.ts'
import { cookieOf, type InProcessSite, openInProcessSite, type Reply } from '../../in-process-site/in-process-site.ts'
import { type Route, routesOf } from '../../in-process-site/routes.ts'
import { seededRandom } from '../../seeded-random.ts'
import { americanPhone, cardNumber, formAnswers, visitorAddress } from '../../test-data.ts'
import type { FuzzTask, WorkerMessage } from './fuzz.ts'
import { CAPTCHA_PLACEHOLDER, createFuzzRequest } from './fuzz-requests.ts'

const MEGABYTE = 2 ** 20

/** slack: how much memory may grow while caches fill up, which takes longer than the short form runs. */
const LONG = { requests: 1_000_000, concurrency: 64, slack: 16 * MEGABYTE }
const SHORT = { requests: 5_000, concurrency: 32, slack: 64 * MEGABYTE }
const SEED = 20_261_115
const MAX_EXAMPLES = 5

/** Memory is measured when this share of the requests is done, and at the end. */
const WARM_UP = 0.2
const MAX_GROWTH = 1.15

/** Internals that no answer may contain: SQL, database errors, stack traces. */
const INTERNALS =
  /\binsert into\b|\bselect\b[^.]{1,80}\bfrom\b|\bupdate\b [^.]{1,60}\bset\b|syntax error|violates|relation "|invalid byte|\bat [^\n]{1,200}\.[cm]?[jt]s:\d|node_modules|file:\/\/\/(?!etc)|FST_ERR/i

/** High limits, so that requests reach the handlers. The addresses of test-data.ts are proxies, so that forwarded addresses are read. */
const settings = { ...generousLimits, TRUST_PROXY: '20.0.0.0/9' }

const send = (message: WorkerMessage) => parentPort?.postMessage(message)
const print = (line: string) => send({ line })

/** Sends generated requests to every route. */
async function runFuzz({ short, ...workspace }: FuzzTask): Promise<ReportRow> {
  const size = short ? SHORT : LONG
  let logLines = 0
  const site = await openInProcessSite(workspace, {
    now: () => new Date(),
    settings,
    onLogLine: (line) => ++logLines <= MAX_EXAMPLES && print(`  ${line.slice(0, 600)}`),
  })
  await site.app.ready()
  const routes = routesOf(site.app)
  const cookies = await validCookies(site)
  const statuses = new Map(routes.map(({ name }) => [name, new Map<number, number>()]))
  const problems: string[] = []
  const unhandledErrors: string[] = []
  const onUnhandled = (error: unknown) =>
    void unhandledErrors.push(String(error instanceof Error ? error.stack : error))

  let next = 0
  let done = 0
  const lane = async (end: number) => {
    while (next < end) {
      const n = next++
      const { route, reply, request } = await sendRequest(site, routes, cookies, n)
      const counts = statuses.get(route.name)
      const status = reply?.statusCode ?? 0
      counts?.set(status, (counts.get(status) ?? 0) + 1)
      const problem = isNotReady(route, reply) ? undefined : problemIn(reply)
      if (problem) problems.push(problem)
      if (problem && problems.length <= MAX_EXAMPLES)
        print(`  ${problem} at request ${n}: ${JSON.stringify(request).slice(0, 2_000)}: ${reply?.body.slice(0, 300)}`)
      done += 1
      if (done % 1000 === 0)
        send({ progress: `abuse · fuzz: ${done} of ${size.requests}, ${problems.length} bad answers` })
    }
  }
  const runLanes = (end: number) => Promise.all(Array.from({ length: size.concurrency }, () => lane(end)))
  const { warmBytes, endBytes } = await withErrorListener(onUnhandled, async () => {
    await runLanes(size.requests * WARM_UP)
    const warmBytes = await measureMemory()
    await runLanes(size.requests)
    return { warmBytes, endBytes: await measureMemory() }
  })
  await site.close()

  print(`  fuzz: seed ${SEED}, answers by route`)
  for (const [name, counts] of statuses) print(`  ${name}: ${summarizeCounts(counts)}`)
  for (const line of unhandledErrors.slice(0, MAX_EXAMPLES)) print(`  ${line}`)
  const unusedRoutes = [...statuses.values()].filter((counts) => !counts.size).length
  const countOf = (kind: string) => problems.filter((problem) => problem.startsWith(kind)).length
  return {
    action: `${size.requests} generated requests to ${routes.length} routes, seed ${SEED}`,
    expected: 'no 5xx, no unhandled rejection, no memory growth, no SQL and no stack trace in any answer',
    result: `${countOf('5')} 5xx answers, ${countOf('no')} without an answer, ${unhandledErrors.length} unhandled errors, ${countOf('internals')} answers with internals, ${unusedRoutes} routes not requested; heap and native memory ${megabytes(warmBytes)} after a fifth, ${megabytes(endBytes)} at the end`,
    passed:
      !problems.length &&
      !unhandledErrors.length &&
      (short || !unusedRoutes) &&
      endBytes <= warmBytes * MAX_GROWTH + size.slack,
  }
}

const errorEvents = ['unhandledRejection', 'uncaughtException'] as const

async function withErrorListener<Result>(
  onError: (error: unknown) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const event of errorEvents) process.on(event, onError)
  return work().finally(() => {
    for (const event of errorEvents) process.off(event, onError)
  })
}

/** Cookies of a visitor who has begun and of a signed-in member, so that requests pass the first check. */
async function validCookies(site: InProcessSite): Promise<string[]> {
  const address = visitorAddress(0)
  const visitor = { address, cookie: cookieOf(await site.get('/ana', { address })) }
  const answers = formAnswers('insider', americanPhone(0), cardNumber('4539', 0))
  const captcha = await solveCaptcha(site, visitor)
  const enrollment = await site.post(calls.addEnrollment.path, { ...answers, captcha }, { address })
  const session = await site.post(officeCalls.enterOffice.path, { token: enrollment.json().token }, { address })
  const staff = await staffCookie(site)
  const all = [visitor.cookie, cookieOf(session), staff, testPagesCookie].join('; ')
  return [visitor.cookie, cookieOf(session), staff, testPagesCookie, all]
}

/** Of an owner, who may make every call. */
async function staffCookie(site: InProcessSite): Promise<string> {
  const email = 'owner@staff.example'
  const address = visitorAddress(0)
  const actor = { id: null, role: 'command line' } as const
  const token = (await createInvitation(site.world, { email, role: 'owner', actor })).split('#')[1]
  const { sealed, secret } = (await site.post(consoleCalls.getInvitationApp.path, { token, email }, { address })).json()
  const code = codeOf(secret, stepAt(site.world.now()))
  const newcomer = { token, name: 'Owner', email, password: 'Tall-Ladder-77' }
  return cookieOf(await site.post(consoleCalls.acceptWithPassword.path, { ...newcomer, sealed, code }, { address }))
}

async function sendRequest(site: InProcessSite, routes: Route[], cookies: string[], n: number) {
  const random = seededRandom(SEED, n)
  const route = pickByWeight(routes, random.below(1_000_000) / 1_000_000)
  const request = createFuzzRequest(route, random, n, cookies)
  if (typeof request.payload === 'string' && request.payload.includes(CAPTCHA_PLACEHOLDER)) {
    const challenge = (await site.world.captcha.challenge()) as unknown as Challenge
    request.payload = request.payload.replace(CAPTCHA_PLACEHOLDER, await solve(challenge))
  }
  return { route, reply: await withTimeout(site.inject(request)), request }
}

const TIMEOUT_MS = 60_000

function withTimeout(pending: Promise<Reply>): Promise<Reply | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, TIMEOUT_MS, undefined)
    pending.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function pickByWeight(routes: Route[], share: number): Route {
  const total = routes.reduce((sum, { weight }) => sum + weight, 0)
  let remaining = share * total
  for (const route of routes) {
    remaining -= route.weight
    if (remaining < 0) return route
  }
  return routes[0] as Route
}

/** /readyz is the only route that may answer 503: the database was overloaded for a moment. */
const isNotReady = ({ path }: Route, reply: Reply | undefined) =>
  path === '/readyz' && reply?.statusCode === 503 && reply.json().ready === false

function problemIn(reply: Reply | undefined): string | undefined {
  if (!reply) return 'no answer'
  if (reply.statusCode >= 500) return String(reply.statusCode)
  const match = INTERNALS.exec(reply.body)
  return match ? `internals (${match[0].slice(0, 80)})` : undefined
}

/**
 * What is still held: the heap, and native memory that it owns. A page's compressor owns half a megabyte, which is released
 * in a turn of the event loop after it was collected: measured immediately, up to 80 MB of garbage would count as held.
 */
async function measureMemory(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let round = 0; round < 3; round++) {
    collect()
    await sleep(200)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`

const summarizeCounts = (counts: Map<number, number>) =>
  [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ') || 'not requested'

send({ row: await runFuzz(workerData) })
