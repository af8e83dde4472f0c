import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance, Rule } from '#server/gateways/payment/sandbox/faults.ts'
import { startSandbox } from '#server/gateways/payment/sandbox/process.ts'
import { freePort } from '../../scripts/port.mjs'
import { type SeededRandom, seededRandom } from '../seeded-random.ts'
import type { Workspace } from '../site/workspace.ts'
import { timeInZone } from './calendar.ts'
import { dayOf, firstUp, type Golden, periodStart, type Schedule } from './golden-ledger.ts'
import type { Plan } from './members.ts'
import { firstCard, memberId, referenceOfAttempt, writeLedger } from './population.ts'
import type { PriceChange } from './price-changes.ts'
import { startWorkers, type WorkerPool } from './worker-pool.ts'

/** One answer in ten is lost, half of them before the gateway has acted, and some are slow. */
const faults: Rule[] = (['charge', 'lookup', 'replaceCard'] as const).flatMap((on) => [
  { on, fault: 'lost_before', share: 0.05 },
  { on, fault: 'lost_after', share: 0.05 / 0.95 },
  { on, fault: 'slow', share: 0.03, ms: 150 },
])

/** The same request has the same fate, in whatever order the workers send them. */
function seededChance(seed: number): Chance {
  const counts = new Map<string, number>()
  return (request) => {
    const count = counts.get(request) ?? 0
    counts.set(request, count + 1)
    return hash('sha256', `${seed} ${request} ${count}`, 'buffer').readUInt32BE() / 2 ** 32
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A request whose answer is lost can no longer be on its way: PAYMENT_IN_FLIGHT_SECONDS have passed. */
const GIVEN_UP_MS = 31 * MINUTE_MS
const DISPUTED_WITHIN_MS = 90 * 24 * HOUR_MS
const PRESS_AGAIN_MS = 50
const MOST_ROUNDS = 20
const MOST_ATTEMPTS = 60

export type ClockOptions = {
  zone: string
  plans: Plan[]
  golden: Golden[]
  schedule: Schedule
  prices: ReadonlyMap<string, PriceChange>
  seed: number
  kills: number
  /** After the work of this day, the clock jumps back by more than a day. */
  jumpsBackOn: string
  processes: number
  /** In each process. */
  lanes: number
  onDay: (day: string) => void
}
export type Outcome = { killed: number; killedAtWork: number; log: string; ledgerFile: string }

/** Lets the days pass, and on each of them the workers, the bank and the members do what is due. */
export async function advanceClock(workspace: Workspace, options: ClockOptions): Promise<Outcome> {
  const { zone, plans, golden, schedule, prices, seed, jumpsBackOn, processes, lanes, onDay } = options
  const random = seededRandom(seed, plans.length)
  let time = timeInZone(zone, schedule.days[0] ?? '', '00:00:00')
  const now = () => time
  const ledgerFile = `${workspace.folder}/ledger.jsonl`
  writeLedger(ledgerFile, zone, plans)
  const sandbox = await startSandbox({ port: await freePort(), ledgerFile, now, chance: seededChance(seed) })
  const send = async (method: 'PUT' | 'POST', path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${sandbox.url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(await reply.text())
  }
  await send('PUT', '/faults', faults)
  const settings = { LOG_LEVEL: 'error', PUBLIC_URL: 'http://foyer.test', TIME_ZONE: zone, DATABASE_POOL: '4' }
  const env = { ...workspace.settings, ...settings, PAYMENT_SANDBOX_URL: sandbox.url }
  const pool = await startWorkers(processes, env, now, random)

  const work = () =>
    Promise.all(pool.workers.map((worker) => worker.send({ at: time.toISOString(), lanes }))).then((replies) =>
      Math.max(...replies.map((reply) => (reply === 'killed' ? 1 : (reply.open ?? 0)))),
    )
  const forward = (ms: number) => {
    time = new Date(time.getTime() + ms)
  }
  const declinesOf = scriptByDay(plans)
  const actionsOf = actionsByDay(plans, schedule)
  const racesOf = racesByDay(plans, schedule)
  const killDays = busiestDays(golden, options.kills)
  const [firstDay = ''] = schedule.days
  let killed = 0
  let killedAtWork = 0

  /** Kills a worker while it works. The next minute may begin before the work of the last one is done. */
  const morning = async (day: string) => {
    const races = racesOf.get(day) ?? []
    const kills = killDays.get(day) ?? 0
    const works = [work()]
    for (const { act, member_id } of races) works.push(race(pool, random, { at: time.toISOString(), act, member_id }))
    for (let count = 0; count < kills; count++) {
      await sleep(random.below(60))
      killed += 1
      if (await pool.kill()) killedAtWork += 1
      works.push(work())
    }
    if (random.chance(0.5)) await Promise.all(works)
    else await sleep(random.below(100))
    forward(MINUTE_MS)
    works.push(work())
    return Math.max(kills, ...(await Promise.all(works)))
  }

  const workUntilDone = async (openBefore: number) => {
    let open = openBefore
    for (let round = 0; open && round < MOST_ROUNDS; round++) {
      forward(round % 2 ? MINUTE_MS : GIVEN_UP_MS)
      open = await work()
    }
  }
  /** A worker is killed while the members are told. */
  const changePrices = async (day: string, price: PriceChange) => {
    time = timeInZone(zone, day, '14:00:00')
    await pool.any().send({ at: time.toISOString(), price })
    const first = work()
    await sleep(random.below(60))
    await pool.kill()
    await first
    await workUntilDone(await work())
  }
  /** The bank takes back the newest charge. Only the gateway's books say so. */
  const dispute = async (plan: Plan) => {
    const since = new Date(time.getTime() - DISPUTED_WITHIN_MS).toISOString()
    const { transactions } = (await (await fetch(`${sandbox.url}/transactions?since=${since}`)).json()) as Books
    const ours = new Set(Array.from({ length: MOST_ATTEMPTS }, (_, index) => referenceOfAttempt(plan, index + 2)))
    const newest = transactions.findLast(({ reference, state }) => state === 'captured' && ours.has(reference))
    if (!newest) throw new Error(`${plan.email} has paid nothing that can be disputed.`)
    await send('POST', '/dispute', { transaction_id: newest.transaction_id, change: 'open' })
  }

  for (const day of schedule.days) {
    const newDeclines = declinesOf.get(day)
    if (newDeclines) {
      const left = (await (await fetch(`${sandbox.url}/declines`)).json()) as { times: number }[]
      await send('PUT', '/declines', [...left.filter(({ times }) => times > 0), ...newDeclines])
    }
    if (!schedule.isUp(day)) continue
    onDay(day)
    time = timeInZone(zone, day, '06:00:00')
    await workUntilDone(await morning(day))
    if (day === jumpsBackOn) {
      const before = time
      forward(-30 * HOUR_MS)
      await work()
      time = before
    }
    const price = prices.get(day)
    if (price) await changePrices(day, price)
    time = timeInZone(zone, day, '20:00:00')
    for (const { kind, plan } of actionsOf.get(day) ?? [])
      if (kind === 'dispute') await dispute(plan)
      else await pool.any().send({ at: time.toISOString(), act: kind, member_id: memberId(plan) })
    if (actionsOf.has(day)) await workUntilDone(await work())
    time = timeInZone(zone, day, '23:50:00')
    await pool.any().send({ at: time.toISOString(), act: 'housekeeping', member_id: '' })
    if (day > firstDay) await pool.any().send({ at: time.toISOString(), lanes })
  }
  await pool.stop()
  await sandbox.close()
  return { killed, killedAtWork, log: pool.output(), ledgerFile }
}

type Books = { transactions: { transaction_id: string; reference: string; state: string }[] }
type RaceTask = { at: string; act: 'cancel' | 'cancel and resume'; member_id: string }

/** A member actions while the workers are at work. If the process was killed, the member presses the button again. */
async function race(pool: WorkerPool, random: SeededRandom, task: RaceTask) {
  await sleep(random.below(40))
  while ((await pool.any().send(task)) === 'killed') await sleep(PRESS_AGAIN_MS)
  return 0
}

const group = <Item>(items: (Item & { on: string })[]) => Map.groupBy(items, ({ on }) => on)

const scriptByDay = (plans: Plan[]) => {
  const scripts = plans.flatMap((plan) =>
    [...plan.declines].map(([n, { code, times }]) => ({
      on: periodStart(plan, n),
      rule: { vault_reference: firstCard(plan), issuer_code: code, times },
    })),
  )
  return new Map([...group(scripts)].map(([on, items]) => [on, items.map(({ rule }) => rule)]))
}

const actionsByDay = (plans: Plan[], schedule: Schedule) =>
  group(
    plans.flatMap((plan) =>
      plan.actions.map((action) => ({
        on: firstUp(dayOf(plan, action), schedule),
        kind: action.kind,
        plan,
      })),
    ),
  )

const racesByDay = (plans: Plan[], schedule: Schedule) =>
  group(
    plans.flatMap((plan) => {
      const { race } = plan
      if (!race) return []
      return [{ on: firstUp(periodStart(plan, race.period), schedule), act: race.kind, member_id: memberId(plan) }]
    }),
  )

/** The kills, spread over the days with the most charges, so that they hit something. */
function busiestDays(golden: Golden[], kills: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { day } of golden.flatMap(({ attempts }) => attempts)) counts.set(day, (counts.get(day) ?? 0) + 1)
  const days = [...counts].sort(([, a], [, b]) => b - a).map(([day]) => day)
  const chosen = new Map<string, number>()
  for (let count = 0; count < kills; count++) {
    const day = days[count % days.length] ?? ''
    chosen.set(day, (chosen.get(day) ?? 0) + 1)
  }
  return chosen
}
