import { hash } from 'node:crypto'
import type { Chance, Rule } from '#server/gateways/payment/sandbox/faults.ts'
import { startSandbox } from '#server/gateways/payment/sandbox/process.ts'
import { freePort } from '../../scripts/port.mjs'
import type { SeededRandom } from '../seeded-random.ts'
import type { Workspace } from '../site/workspace.ts'
import { timeInZone } from './calendar.ts'
import type { Plan } from './members.ts'
import { referenceOfAttempt, writeLedger } from './population.ts'
import { startWorkers, type Task } from './worker-pool.ts'

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

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
/** A request whose answer is lost can no longer be on its way: PAYMENT_IN_FLIGHT_SECONDS have passed. */
const GIVEN_UP_MS = 31 * MINUTE_MS
const DISPUTED_WITHIN_MS = 90 * 24 * HOUR_MS
const MOST_ROUNDS = 20
const MOST_ATTEMPTS = 60

type Options = {
  zone: string
  plans: Plan[]
  firstDay: string
  seed: number
  random: SeededRandom
  processes: number
  /** In each process. */
  lanes: number
}
export type DrivenSite = Awaited<ReturnType<typeof startDrivenSite>>
type Untimed = Task extends infer Any ? (Any extends Task ? Omit<Any, 'at' | 'hasMail'> : never) : never
type Books = { transactions: { transaction_id: string; reference: string; state: string }[] }

/** A bank, and processes that work only when told to, at a time that the drill sets. */
export async function startDrivenSite(workspace: Workspace, options: Options) {
  const { zone, plans, firstDay, seed, random, processes, lanes } = options
  let time = timeInZone(zone, firstDay, '00:00:00')
  let hasMail = true
  const now = () => time
  const ledgerFile = `${workspace.folder}/ledger.jsonl`
  writeLedger(ledgerFile, zone, plans)
  const sandbox = await startSandbox({ port: await freePort(), ledgerFile, now, chance: seededChance(seed) })
  const send = async (method: 'PUT' | 'POST', path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${sandbox.url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(await reply.text())
  }
  const losesAnswers = (isOn: boolean) => send('PUT', '/faults', isOn ? faults : [])
  await losesAnswers(true)
  const settings = { LOG_LEVEL: 'error', PUBLIC_URL: 'http://foyer.test', TIME_ZONE: zone, DATABASE_POOL: '4' }
  const env = { ...workspace.settings, ...settings, PAYMENT_SANDBOX_URL: sandbox.url }
  const pool = await startWorkers(processes, env, now, random)

  const timed = (task: Untimed): Task => ({ at: time.toISOString(), hasMail, ...task })
  const ask = (task: Untimed) => pool.any().send(timed(task))
  const work = () =>
    Promise.all(pool.workers.map((worker) => worker.send(timed({ lanes })))).then((replies) =>
      Math.max(...replies.map((reply) => (reply === 'killed' ? 1 : (reply.open ?? 0)))),
    )
  const forward = (ms: number) => {
    time = new Date(time.getTime() + ms)
  }
  return {
    pool,
    ledgerFile,
    now,
    forward,
    setClock: (day: string, clock: string) => {
      time = timeInZone(zone, day, clock)
    },
    setMail: (isUp: boolean) => {
      hasMail = isUp
    },
    losesAnswers,
    ask,
    work,
    /** Returns how much is still open, at most after some hours. */
    workUntilDone: async (openBefore?: number): Promise<number> => {
      let open = openBefore ?? (await work())
      for (let round = 0; open && round < MOST_ROUNDS; round++) {
        forward(round % 2 ? MINUTE_MS : GIVEN_UP_MS)
        open = await work()
      }
      return open
    },
    /** The bank declines the next charges of some cards. */
    decline: async (rules: object[]) => {
      const left = (await (await fetch(`${sandbox.url}/declines`)).json()) as { times: number }[]
      await send('PUT', '/declines', [...left.filter(({ times }) => times > 0), ...rules])
    },
    /** The bank takes back the newest charge. Only the gateway's books say so. */
    dispute: async (plan: Plan) => {
      const since = new Date(time.getTime() - DISPUTED_WITHIN_MS).toISOString()
      const { transactions } = (await (await fetch(`${sandbox.url}/transactions?since=${since}`)).json()) as Books
      const ours = new Set(Array.from({ length: MOST_ATTEMPTS }, (_, index) => referenceOfAttempt(plan, index + 2)))
      const newest = transactions.findLast(({ reference, state }) => state === 'captured' && ours.has(reference))
      if (!newest) throw new Error(`${plan.email} has paid nothing that can be disputed.`)
      await send('POST', '/dispute', { transaction_id: newest.transaction_id, change: 'open' })
    },
    stop: async () => {
      await pool.stop()
      await sandbox.close()
    },
  }
}
