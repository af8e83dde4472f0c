import { setTimeout as sleep } from 'node:timers/promises'
import { RejectedCall } from '#web/rejected-call.ts'
import type { Drill } from '../drill.ts'
import { type CrashPoint, crashPoints } from '../fault-injection/crash-points.ts'
import { GATEWAY_CALL_STARTED } from '../fault-injection/fault-injection.ts'
import { examples, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { type Foyer, LOST_ANSWERS, type Sandbox } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import type { HttpClient } from '../visitor/http-client.ts'
import {
  answersOf,
  arrive,
  callsOf,
  cards,
  otherCard,
  solveCaptcha,
  type VisitorRecord,
  visit,
} from '../visitor/visitor.ts'

type Scene = {
  client: HttpClient
  visitor: VisitorRecord
  card: string
  isOpen: () => boolean
  restarted: Promise<unknown>
}

/** A client that is not ours. It runs on PostgreSQL only. */
const FOREIGN_CLIENT = 'tries another card without checking the status'

/** What a visitor does after the server has died. */
const reactions: Record<string, (scene: Scene) => Promise<void>> = {
  'retries the same card': ({ client, visitor, card, isOpen }) =>
    visit(client, visitor, { cards: [card, cards.good] }, { isOpen }),
  leaves: ({ client, visitor, card, isOpen }) =>
    visit(client, visitor, { cards: [card], leavesAfterMs: 0 }, { isOpen }),
  'tries another card': ({ client, visitor, card, isOpen }) =>
    visit(client, visitor, { cards: [card, otherCard], changesCard: true }, { isOpen }),
  [FOREIGN_CLIENT]: async ({ client, visitor, card, isOpen, restarted }) => {
    await visit(client, visitor, { cards: [card], leavesAfterMs: 0 }, { isOpen })
    await restarted
    await submitSecondAttempt(client, visitor, isOpen)
  },
}

/** Chooses the next attempt number itself and submits it until there is a final answer. */
async function submitSecondAttempt(client: HttpClient, visitor: VisitorRecord, isOpen: () => boolean) {
  const calls = callsOf(client, visitor)
  const key = `${visitor.enrollment_id}.2`
  for (; isOpen(); await sleep(300)) {
    try {
      const captcha = await solveCaptcha(client)
      const { payment } = await calls.addEnrollment({ ...answersOf(visitor), cc_number: otherCard, captcha }, { key })
      if (payment !== 'Pending') return
    } catch (error) {
      if (error instanceof RejectedCall && error.status === 409) return
    }
  }
}

/** Approved like the good test card, but limits count it. */
const COUNTED_CARD = '4111111111111111'

const CONCURRENCY = 2
/** The short form plays one scene in this many. */
const SAMPLE = 24
const REACH_MS = 30_000
const REACTION_MS = 30_000
const HOUR = 3600

/** Every crash point with every reaction, each on a database of its own. */
export const crashDrill: Drill = async (run, backend) => {
  const startTime = performance.now()
  const names = Object.keys(reactions).filter((name) => name !== FOREIGN_CLIENT || backend.name === 'PostgreSQL')
  const all = crashPoints.flatMap((crashPoint) => names.map((reaction) => ({ crashPoint, reaction })))
  const scenes = run.short ? all.filter((_, index) => index % SAMPLE === 7) : all
  const queue = [...scenes]
  const failures: string[] = []
  let count = 0
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { crashPoint, reaction } = next
      const problems = await playScene(backend, crashPoint, reaction).catch((error: unknown) => [String(error)])
      if (problems.length) {
        failures.push(`${crashPoint.name} / ${reaction}`)
        for (const line of [`crash point '${crashPoint.name}', the visitor ${reaction}:`, ...problems]) run.print(line)
      }
      const seconds = Math.round((performance.now() - startTime) / 1000)
      run.showProgress(
        backend.name,
        `points: ${++count} of ${scenes.length} scenes, ${failures.length} failed, ${seconds} s`,
      )
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  return [
    {
      action: `${crashPoints.length} crash points × ${names.length} reactions${run.short ? ', a sample' : ''}: ${scenes.length} scenes, with a moved clock`,
      expected: '8.4 every crash point reached, no harm, nothing open',
      result: failures.length
        ? `failed: ${failures.slice(0, 5).join('; ')}${failures.length > 5 ? ` and ${failures.length - 5} more` : ''}`
        : 'no harm',
      passed: failures.length === 0,
    },
  ]
}

/** The server dies at the crash point, restarts, and time passes. Returns the problems. */
async function playScene(backend: Backend, crashPoint: CrashPoint, reaction: string): Promise<string[]> {
  const site = await openSite(backend, {
    injection: { crashPoint: crashPoint.name },
    faults: faultsFor(crashPoint),
    settings: {},
  })
  const { client, sandbox } = site
  const visitor = await arrive(client)
  const { promise: restarted, resolve: resolveRestarted } = Promise.withResolvers<void>()
  let isOpen = true
  const scene = { client, visitor, card: crashPoint.card ?? COUNTED_CARD, isOpen: () => isOpen, restarted }
  const acting = Promise.resolve(reactions[reaction]?.(scene)).catch(
    (error: unknown) => void visitor.unexpectedRefusals.push(String(error)),
  )
  try {
    if (!(await reachesCrash(site.foyer(), crashPoint)))
      return [`the crash point was not reached:\n${site.foyer().output()}`]
    await sandbox.setFaults(LOST_ANSWERS)
    await site.crash({ clockAheadSeconds: crashPoint.abandoned ? HOUR : 0 })
    resolveRestarted()
    await sleep(400) // let the visitor act before the clock moves
    const clock = runClockFast(site)
    await Promise.race([acting, sleep(REACTION_MS)])
    isOpen = false
    await acting
    const { findings, settledAfter } = await site.settle([visitor], REACTION_MS / 1000)
    clock.stop()
    const unsettled = settledAfter === undefined ? [`  not settled:\n${site.foyer().output()}`] : []
    return isClean(findings) ? unsettled : [...unsettled, `  ${summarize(findings)}`, ...examples(findings)]
  } finally {
    isOpen = false
    resolveRestarted()
    await acting
    await site.close()
  }
}

const faultsFor = ({ neverSent, slow }: CrashPoint): Parameters<Sandbox['setFaults']>[0] => [
  ...(neverSent ? [{ on: 'authorize' as const, fault: 'lost_before' as const, share: 1, times: 1 }] : []),
  ...(slow ? [{ on: 'authorize' as const, fault: 'slow' as const, share: 1, times: 1, ms: 1500 }] : []),
]

async function reachesCrash(foyer: Foyer, { abandoned }: CrashPoint): Promise<boolean> {
  const end = performance.now() + REACH_MS
  if (abandoned) {
    while (!foyer.output().includes(GATEWAY_CALL_STARTED) && performance.now() < end) await sleep(20)
    foyer.advanceClock(HOUR)
  }
  return Promise.race([foyer.ended.then(({ signal }) => signal === 'SIGKILL'), sleep(end - performance.now(), false)])
}

/** Moves the clock past a lease, then by an hour, then on in small steps. */
function runClockFast(site: Site) {
  site.advanceClock(60)
  const hour = setTimeout(() => site.advanceClock(HOUR), 600)
  const steps = setInterval(() => site.advanceClock(20), 300)
  return {
    stop: () => {
      clearTimeout(hour)
      clearInterval(steps)
    },
  }
}
