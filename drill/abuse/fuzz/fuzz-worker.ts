import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office-calls.ts'
import { plenty } from '#server/test/plenty.ts'
import { type Challenge, solve } from '#server/test/solve.ts'
import type { Row } from '../../drill.ts'
import { solution } from '../../in-process-site/captcha-solutions.ts'
import { cookieOf, type House, openHouse, type Reply } from '../../in-process-site/in-process-site.ts'
import { type Route, routesOf } from '../../in-process-site/routes.ts'
import { chance } from '../../seeded-random.ts'
import { americanPhone, answersOf, cardNumber, honestAddress } from '../../test-data.ts'
import type { Task, Told } from './fuzz.ts'
import { requestFor, SOLVED } from './fuzz-requests.ts'

const MEGABYTE = 2 ** 20

/** slack: what memory may grow by while caches fill, which takes longer than the short form does. */
const LONG = { requests: 1_000_000, atOnce: 64, slack: 16 * MEGABYTE }
const SHORT = { requests: 5_000, atOnce: 32, slack: 64 * MEGABYTE }
const SEED = 20_261_115
const EXAMPLES = 5

/** Memory is measured after a fifth, when everything is warm, and at the end. */
const WARM = 0.2
const GROWTH = 1.15

/** Words of ours that no answer may contain: statements, complaints of the database, places in the code. */
const INSIDES =
  /\binsert into\b|\bselect\b[^.]{1,80}\bfrom\b|\bupdate\b [^.]{1,60}\bset\b|syntax error|violates|relation "|invalid byte|\bat [^\n]{1,200}\.[cm]?[jt]s:\d|node_modules|file:\/\/\/(?!etc)|FST_ERR/i

/** Nothing is in the way of the handlers. */
const wideOpen = { ...plenty, TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1,::/1,8000::/1' }

const tell = (told: Told) => parentPort?.postMessage(told)
const say = (line: string) => tell({ say: line })

/** Whatever a program can make up, over every route there is. */
async function flood({ short, ...place }: Task): Promise<Row> {
  const size = short ? SHORT : LONG
  let complaints = 0
  const house = await openHouse(place, {
    now: () => new Date(),
    settings: wideOpen,
    hear: (line) => ++complaints <= EXAMPLES && say(`  ${line.slice(0, 600)}`),
  })
  await house.app.ready()
  const routes = routesOf(house.app)
  const cookies = await goodCookies(house)
  const statuses = new Map(routes.map(({ name }) => [name, new Map<number, number>()]))
  const harms: string[] = []
  const astray: string[] = []
  const heard = (error: unknown) => void astray.push(String(error instanceof Error ? error.stack : error))

  let next = 0
  let done = 0
  const lane = async (until: number) => {
    while (next < until) {
      const n = next++
      const { route, reply, request } = await ask(house, routes, cookies, n)
      const counts = statuses.get(route.name)
      const status = reply?.statusCode ?? 0
      counts?.set(status, (counts.get(status) ?? 0) + 1)
      const what = saysNotReady(route, reply) ? undefined : harmIn(reply)
      if (what) harms.push(what)
      if (what && harms.length <= EXAMPLES)
        say(`  ${what} at request ${n}: ${JSON.stringify(request).slice(0, 2_000)}: ${reply?.body.slice(0, 300)}`)
      done += 1
      if (done % 1000 === 0)
        tell({ progress: `abuse · flood: ${done} of ${size.requests}, ${harms.length} answers that must not be` })
    }
  }
  const lanesUntil = (until: number) => Promise.all(Array.from({ length: size.atOnce }, () => lane(until)))
  const { warm, end } = await hearing(heard, async () => {
    await lanesUntil(size.requests * WARM)
    const warm = memory()
    await lanesUntil(size.requests)
    return { warm, end: memory() }
  })
  await house.close()

  say(`  flood: seed ${SEED}, answers by route`)
  for (const [name, counts] of statuses) say(`  ${name}: ${inWords(counts)}`)
  for (const line of astray.slice(0, EXAMPLES)) say(`  ${line}`)
  const unasked = [...statuses.values()].filter((counts) => !counts.size).length
  const of = (kind: string) => harms.filter((what) => what.startsWith(kind)).length
  return {
    done: `${size.requests} generated requests over ${routes.length} routes, seed ${SEED}`,
    asked: 'no 5xx, no unhandled rejection, memory flat, no SQL and no stack in any answer',
    found: `${of('5')} of 5xx, ${of('no')} without an answer, ${astray.length} unhandled, ${of('insides')} with insides, ${unasked} routes not asked; heap ${megabytes(warm)} after a fifth, ${megabytes(end)} at the end`,
    passed: !harms.length && !astray.length && (short || !unasked) && end <= warm * GROWTH + size.slack,
  }
}

const surprises = ['unhandledRejection', 'uncaughtException'] as const

/** Hears of everything that nobody has caught meanwhile. */
async function hearing<Result>(heard: (error: unknown) => void, work: () => Promise<Result>): Promise<Result> {
  for (const surprise of surprises) process.on(surprise, heard)
  return work().finally(() => {
    for (const surprise of surprises) process.off(surprise, heard)
  })
}

/** Of a visitor who has begun, and of a member in the office, so that more than the door is reached. */
async function goodCookies(house: House): Promise<string[]> {
  const address = honestAddress(0)
  const begun = { address, cookie: cookieOf(await house.get('/ana', { address })) }
  const answers = answersOf('insider', americanPhone(0), cardNumber('4539', 0))
  const captcha = await solution(house, begun)
  const joined = await house.post(calls.addEnrollment.path, { ...answers, captcha }, { address })
  const entered = await house.post(officeCalls.enterOffice.path, { token: joined.json().token }, { address })
  return [begun.cookie, cookieOf(entered), `${begun.cookie}; ${cookieOf(entered)}`]
}

async function ask(house: House, routes: Route[], cookies: string[], n: number) {
  const dice = chance(SEED, n)
  const route = weighted(routes, dice.below(1_000_000) / 1_000_000)
  const request = requestFor(route, dice, n, cookies)
  if (typeof request.payload === 'string' && request.payload.includes(SOLVED)) {
    const challenge = (await house.world.captcha.challenge()) as unknown as Challenge
    request.payload = request.payload.replace(SOLVED, await solve(challenge))
  }
  return { route, reply: await inTime(house.ask(request)), request }
}

const PATIENCE_MS = 60_000

/** The answer, or nothing when none comes. */
function inTime(asked: Promise<Reply>): Promise<Reply | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PATIENCE_MS, undefined)
    asked.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function weighted(routes: Route[], share: number): Route {
  const whole = routes.reduce((sum, { weight }) => sum + weight, 0)
  let left = share * whole
  for (const route of routes) {
    left -= route.weight
    if (left < 0) return route
  }
  return routes[0] as Route
}

/** The one route whose 503 is its answer: for a moment the database, too, had more to do than it could. */
const saysNotReady = ({ path }: Route, reply: Reply | undefined) =>
  path === '/readyz' && reply?.statusCode === 503 && reply.json().ready === false

function harmIn(reply: Reply | undefined): string | undefined {
  if (!reply) return 'no answer'
  if (reply.statusCode >= 500) return String(reply.statusCode)
  const found = INSIDES.exec(reply.body)
  return found ? `insides (${found[0].slice(0, 80)})` : undefined
}

function memory(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`

const inWords = (counts: Map<number, number>) =>
  [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, times]) => `${status} ${times}`)
    .join(', ') || 'not asked'

tell({ row: await flood(workerData) })
