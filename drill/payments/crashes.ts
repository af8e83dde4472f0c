import { setTimeout as sleep } from 'node:timers/promises'
import { RejectedCall } from '#web/call.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { type Point, points, UNDER_WAY } from '../fault-injection/crash-points.ts'
import { type Foyer, LOSING, type Sandbox } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import type { Caller } from '../visitor/http-client.ts'
import { answersOf, arrive, callsOf, cards, type Heard, otherCard, solveCaptcha, visit } from '../visitor/visitor.ts'
import { examples, inWords, isClean } from './audit.ts'

type Scene = { caller: Caller; heard: Heard; card: string; going: () => boolean; restarted: Promise<unknown> }

const NAIVE = 'takes another card without asking'

/** What a client does about a server that ended under it. The naive one is not of our making, and comes on PostgreSQL only. */
const clients: Record<string, (scene: Scene) => Promise<void>> = {
  'retries the same': ({ caller, heard, card, going }) =>
    visit(caller, heard, { cards: [card, cards.good] }, { going }),
  'gives up': ({ caller, heard, card, going }) => visit(caller, heard, { cards: [card], leavesAfter: 0 }, { going }),
  'takes another card': ({ caller, heard, card, going }) =>
    visit(caller, heard, { cards: [card, otherCard], changesCard: true }, { going }),
  [NAIVE]: async ({ caller, heard, card, going, restarted }) => {
    await visit(caller, heard, { cards: [card], leavesAfter: 0 }, { going })
    await restarted
    await insist(caller, heard, going)
  },
}

/** Somebody else's client: it makes up the next attempt's number by itself, and asks for that until it is told. */
async function insist(caller: Caller, heard: Heard, going: () => boolean) {
  const calls = callsOf(caller, heard)
  const key = `${heard.enrollment_id}.2`
  for (; going(); await sleep(300)) {
    try {
      const captcha = await solveCaptcha(caller)
      const { payment } = await calls.addEnrollment({ ...answersOf(heard), cc_number: otherCard, captcha }, { key })
      if (payment !== 'Pending') return
    } catch (error) {
      if (error instanceof RejectedCall && error.status === 409) return
    }
  }
}

const AT_ONCE = 2
const SAMPLE = 24
const REACH_MS = 30_000
const ACT_MS = 30_000
const HOUR = 3600

/** Every crash point times every client, each on a database of its own. */
export async function crashPoints(drill: Scale, ground: Ground): Promise<Row[]> {
  const started = performance.now()
  const asking = Object.keys(clients).filter((client) => client !== NAIVE || ground.name === 'PostgreSQL')
  const all = points.flatMap((point) => asking.map((client) => ({ point, client })))
  const chosen = drill.short ? all.filter((_, index) => index % SAMPLE === 7) : all
  const waiting = [...chosen]
  const wrong: string[] = []
  let played = 0
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { point, client } = next
      const found = await play(ground, point, client).catch((error: unknown) => [String(error)])
      if (found.length) {
        wrong.push(`${point.name} / ${client}`)
        for (const line of [`crash point '${point.name}', the client ${client}:`, ...found]) drill.say(line)
      }
      const seconds = Math.round((performance.now() - started) / 1000)
      drill.progress(ground.name, `points: ${++played} of ${chosen.length} scenes, ${wrong.length} wrong, ${seconds} s`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return [
    {
      done: `${points.length} crash points × ${asking.length} clients${drill.short ? ', a sample' : ''}: ${chosen.length} scenes, clock turned`,
      asked: '8.4 every point reached, no harm, nothing open',
      found: wrong.length
        ? `wrong: ${wrong.slice(0, 5).join('; ')}${wrong.length > 5 ? ` and ${wrong.length - 5} more` : ''}`
        : 'no harm',
      passed: wrong.length === 0,
    },
  ]
}

/** One scene: the server ends at the point, starts again, and time passes. Returns what is wrong. */
async function play(ground: Ground, point: Point, client: string): Promise<string[]> {
  const site = await openSite(ground, { dressing: { point: point.name }, faults: firstFaults(point), settings: {} })
  const { caller, sandbox } = site
  const heard = await arrive(caller)
  const { promise: restarted, resolve: isBack } = Promise.withResolvers<void>()
  let going = true
  const scene = { caller, heard, card: point.card ?? cards.good, going: () => going, restarted }
  const acting = Promise.resolve(clients[client]?.(scene)).catch((error: unknown) => void heard.odd.push(String(error)))
  try {
    if (!(await reaches(site.foyer(), point))) return [`the point was not reached:\n${site.foyer().said()}`]
    await sandbox.setFaults(LOSING)
    await site.crash({ ahead: point.givenUp ? HOUR : 0 })
    isBack()
    await sleep(400) // the client is quicker than the clock
    const turning = turn(site)
    await Promise.race([acting, sleep(ACT_MS)])
    going = false
    await acting
    const { findings, took } = await site.settle([heard], ACT_MS / 1000)
    turning.stop()
    const said = took === undefined ? [`  not settled:\n${site.foyer().said()}`] : []
    return isClean(findings) ? said : [...said, `  ${inWords(findings)}`, ...examples(findings)]
  } finally {
    going = false
    isBack()
    await acting
    await site.close()
  }
}

const firstFaults = ({ unheard, slow }: Point): Parameters<Sandbox['setFaults']>[0] => [
  ...(unheard ? [{ on: 'authorize' as const, fault: 'lost_before' as const, share: 1, times: 1 }] : []),
  ...(slow ? [{ on: 'authorize' as const, fault: 'slow' as const, share: 1, times: 1, ms: 1500 }] : []),
]

async function reaches(foyer: Foyer, { givenUp }: Point): Promise<boolean> {
  const end = performance.now() + REACH_MS
  if (givenUp) {
    while (!foyer.said().includes(UNDER_WAY) && performance.now() < end) await sleep(20)
    foyer.turn(HOUR)
  }
  return Promise.race([foyer.ended.then(({ signal }) => signal === 'SIGKILL'), sleep(end - performance.now(), false)])
}

/** Time passes quickly: first a lease, then an hour, then on and on. */
function turn(site: Site) {
  site.turn(60)
  const hour = setTimeout(() => site.turn(HOUR), 600)
  const on = setInterval(() => site.turn(20), 300)
  return {
    stop: () => {
      clearTimeout(hour)
      clearInterval(on)
    },
  }
}
