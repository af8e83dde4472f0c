import { setTimeout as sleep } from 'node:timers/promises'
import type { Rule } from '#server/gateways/payment/sandbox/faults.ts'
import { startSandbox } from '#server/gateways/payment/sandbox/process.ts'
import { freePort } from '../../scripts/port.mjs'
import type { Workspace } from '../site/workspace.ts'
import { monthsLater, timeInZone } from './calendar.ts'
import { dayOf, firstUp, type Golden, type Schedule } from './golden-ledger.ts'
import type { Plan } from './members.ts'
import { firstCard, memberId, writeVault } from './population.ts'
import { startWorkers, type WorkerPool } from './worker-pool.ts'

/** One answer in ten is lost, half of them before the gateway has acted, and some are slow. */
const faults: Rule[] = (['charge', 'lookup', 'replaceCard'] as const).flatMap((on) => [
  { on, fault: 'lost_before', share: 0.05 },
  { on, fault: 'lost_after', share: 0.05 / 0.95 },
  { on, fault: 'slow', share: 0.03, ms: 150 },
])

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A request whose answer is lost can no longer be on its way: PAYMENT_IN_FLIGHT_SECONDS have passed. */
const GIVEN_UP_MS = 31 * MINUTE_MS
const MOST_ROUNDS = 20

export type TurnOptions = {
  zone: string
  plans: Plan[]
  golden: Golden[]
  schedule: Schedule
  kills: number
  /** After the work of this day, the clock jumps back by more than a day. */
  jumpsBackOn: string
  processes: number
  /** In each process. */
  lanes: number
  onDay: (day: string) => void
}
export type Turned = { killed: number; killedAtWork: number; log: string; ledgerFile: string }

/** Lets the days pass, and on each of them the workers, the bank and the members do what is due. */
export async function turnClock(workspace: Workspace, options: TurnOptions): Promise<Turned> {
  const { zone, plans, golden, schedule, jumpsBackOn, processes, lanes, onDay } = options
  let time = timeInZone(zone, schedule.days[0] ?? '', '00:00:00')
  const now = () => time
  const ledgerFile = `${workspace.folder}/ledger.jsonl`
  writeVault(ledgerFile, plans)
  const sandbox = await startSandbox({ port: await freePort(), ledgerFile, now })
  const put = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${sandbox.url}${path}`, { method: 'PUT', headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(await reply.text())
  }
  await put('/faults', faults)
  const settings = { LOG_LEVEL: 'error', PUBLIC_URL: 'http://foyer.test', TIME_ZONE: zone, DATABASE_POOL: '4' }
  const env = { ...workspace.settings, ...settings, PAYMENT_SANDBOX_URL: sandbox.url }
  const pool = await startWorkers(processes, env, now)

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
  const [firstDay = '', middleDay] = [schedule.days[0], schedule.days[Math.floor(schedule.days.length / 2)]]
  let killed = 0
  let killedAtWork = 0

  /** Kills a worker while it works. The next minute may begin before the work of the last one is done. */
  const morning = async (day: string) => {
    const races = racesOf.get(day) ?? []
    const kills = killDays.get(day) ?? 0
    const works = [work()]
    for (const { act, member_id } of races) works.push(race(pool, { at: time.toISOString(), act, member_id }))
    for (let count = 0; count < kills; count++) {
      await sleep(Math.random() * 60)
      killed += 1
      if (await pool.kill()) killedAtWork += 1
      works.push(work())
    }
    if (Math.random() < 0.5) await Promise.all(works)
    else await sleep(Math.random() * 100)
    forward(MINUTE_MS)
    works.push(work())
    const open = await Promise.all(works)
    return kills || (open.at(-1) ?? 0)
  }

  for (const day of schedule.days) {
    const newDeclines = declinesOf.get(day)
    if (newDeclines) {
      const left = (await (await fetch(`${sandbox.url}/declines`)).json()) as { times: number }[]
      await put('/declines', [...left.filter(({ times }) => times > 0), ...newDeclines])
    }
    if (!schedule.isUp(day)) continue
    onDay(day)
    time = timeInZone(zone, day, '06:00:00')
    if (day === middleDay) await pool.any().send({ at: time.toISOString(), act: 'raise prices', member_id: '' })
    let open = await morning(day)
    for (let round = 0; open && round < MOST_ROUNDS; round++) {
      forward(round % 2 ? MINUTE_MS : GIVEN_UP_MS)
      open = await work()
    }
    if (day === jumpsBackOn) {
      const before = time
      forward(-30 * HOUR_MS)
      await work()
      time = before
    }
    time = timeInZone(zone, day, '20:00:00')
    for (const { kind: act, member_id } of actionsOf.get(day) ?? [])
      await pool.any().send({ at: time.toISOString(), act, member_id })
    if (actionsOf.has(day)) {
      for (let round = 0; round < MOST_ROUNDS && (await work()); round++) forward(round % 2 ? MINUTE_MS : GIVEN_UP_MS)
    }
    time = timeInZone(zone, day, '23:50:00')
    if (day > firstDay) await pool.any().send({ at: time.toISOString(), lanes })
  }
  await pool.stop()
  await sandbox.close()
  return { killed, killedAtWork, log: pool.output(), ledgerFile }
}

/** A member acts while the workers are at work. If the process was killed, the member presses the button again. */
async function race(pool: WorkerPool, task: { at: string; act: 'cancel' | 'cancel and resume'; member_id: string }) {
  await sleep(Math.random() * 40)
  while ((await pool.any().send(task)) === 'killed');
  return 0
}

const group = <Item>(items: (Item & { on: string })[]) => Map.groupBy(items, ({ on }) => on)

const scriptByDay = (plans: Plan[]) => {
  const scripts = plans.flatMap((plan) =>
    [...plan.declines].map(([n, { code, times }]) => ({
      on: monthsLater(plan.joinedOn, n),
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
        member_id: memberId(plan),
      })),
    ),
  )

const racesByDay = (plans: Plan[], schedule: Schedule) =>
  group(
    plans.flatMap((plan) => {
      const { race } = plan
      if (!race) return []
      return [
        { on: firstUp(monthsLater(plan.joinedOn, race.period), schedule), act: race.kind, member_id: memberId(plan) },
      ]
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
