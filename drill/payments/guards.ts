import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Drill, ReportRow } from '../drill.ts'
import type { RemovedGuard } from '../fault-injection/removed-guards.ts'
import { type Findings, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { openSite, type Site } from '../site/site.ts'
import { startCrowd } from '../visitor/crowd.ts'
import { answersOf, arrive, callsOf, otherCard, solveCaptcha } from '../visitor/visitor.ts'
import { runRace } from './race.ts'

const LANES = 12
const KILLS = { long: 5, short: 2 }
const SETTLE_SECONDS = 30
/** Long enough for an attempt to be abandoned. What is lost by then stays lost. */
const UNGUARDED_SETTLE_SECONDS = 12
const RUNNERS = 30
const IMPATIENT_VISITORS = 12
const CONCURRENCY = 2
const GUARDS_IN_SHORT: RemovedGuard[] = ['commit', 'names']

/** The harm in one line, or undefined. */
type Harm = string | undefined
type Guard = {
  guard: RemovedGuard
  name: string
  scenario: Scenario
}
type Scenario = {
  name: string
  play: (backend: Backend, removedGuard: RemovedGuard | undefined, kills: number) => Promise<Harm>
}

const killScenario: Scenario = { name: 'kill -9 under load', play: playKills }
const raceScenario: Scenario = { name: 'a race for one username', play: playRace }
const tripleSubmitScenario: Scenario = { name: 'three attempts sent at the same time', play: playTripleSubmit }

/** Each guard, and the small scenario that must notice when it is missing. */
const guards: Guard[] = [
  { guard: 'key', name: 'the gateway reference', scenario: killScenario },
  { guard: 'journal', name: 'the commit before the gateway call', scenario: killScenario },
  { guard: 'commit', name: 'the commit before the answer', scenario: killScenario },
  { guard: 'names', name: 'the unique claim on names', scenario: raceScenario },
  { guard: 'turn', name: 'the one-attempt-at-a-time rule', scenario: tripleSubmitScenario },
]

/** Removes each guard and expects harm. With all guards in place there must be none. */
export const guardDrill: Drill = async (run, backend) => {
  const kills = KILLS[run.short ? 'short' : 'long']
  const selection = guards.filter(({ guard }) => !run.short || GUARDS_IN_SHORT.includes(guard))
  const scenarios = [...new Set(selection.map(({ scenario }) => scenario))]
  const trials = [
    ...(run.short ? [] : scenarios.map((scenario) => () => playGuarded(backend, scenario, kills))),
    ...selection.map((guard) => () => playUnguarded(backend, guard, kills)),
  ]
  const rows: ReportRow[] = []
  const lane = async () => {
    for (let trial = trials.shift(); trial; trial = trials.shift()) {
      rows.push(await trial())
      run.showProgress(backend.name, `guards: ${rows.length} done, ${trials.length} to come`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  return rows
}

async function playUnguarded(backend: Backend, { name, guard, scenario }: Guard, kills: number): Promise<ReportRow> {
  const harm = await scenario.play(backend, guard, kills)
  return {
    action: `${scenario.name}, without ${name}`,
    expected: 'harm is detected',
    result: harm ? `detected: ${harm}` : 'not detected',
    passed: harm !== undefined,
  }
}

async function playGuarded(backend: Backend, scenario: Scenario, kills: number): Promise<ReportRow> {
  const harm = await scenario.play(backend, undefined, kills)
  return {
    action: `${scenario.name}, with all guards`,
    expected: 'no harm',
    result: harm ?? 'no harm',
    passed: harm === undefined,
  }
}

async function playKills(backend: Backend, removedGuard: RemovedGuard | undefined, kills: number): Promise<Harm> {
  const site = await openSite(backend, { injection: removedGuard ? { removedGuard } : {} })
  const crowd = startCrowd(site.client, LANES)
  for (let count = 0; count < kills; count++) {
    await crowd.nextApproval()
    await sleep(Math.random() * 300)
    await site.crash()
    await crowd.checkApprovals()
  }
  await crowd.leave()
  const { findings } = await site.settle(crowd.records, settleSeconds(removedGuard))
  await site.close()
  return harmIn(findings)
}

async function playRace(backend: Backend, removedGuard: RemovedGuard | undefined): Promise<Harm> {
  const prepare = removedGuard ? allowDuplicateClaims : undefined
  const { findings, chargedLosers } = await runRace(backend, RUNNERS, () => undefined, {
    isSmall: true,
    ...(prepare ? { prepare } : {}),
  })
  const outcome = isClean(findings) ? 'and released again' : `, ${summarize(findings)}`
  return chargedLosers ? `${chargedLosers} losers charged ${outcome}` : harmIn(findings)
}

const allowDuplicateClaims = (site: Site) =>
  site.changeDatabase((db) => sql`alter table claim drop constraint claim_pkey`.execute(db))

/** Visitors send three attempts at the same time, each with its own number. Only one of them may be held at a time. */
async function playTripleSubmit(backend: Backend, removedGuard: RemovedGuard | undefined): Promise<Harm> {
  const site = await openSite(backend, { injection: removedGuard ? { removedGuard } : {} })
  if (removedGuard) await allowDuplicateClaims(site)
  const { client } = site
  const visitors = await Promise.all(Array.from({ length: IMPATIENT_VISITORS }, () => arrive(client)))
  await Promise.all(
    visitors.map(async (visitor) => {
      const calls = callsOf(client, visitor)
      const bodies = await Promise.all(
        [1, 2, 3].map(async () => ({ ...answersOf(visitor), captcha: await solveCaptcha(client) })),
      )
      const submissions = bodies.map((body, index) =>
        calls.addEnrollment({ ...body, cc_number: otherCard }, { key: `${visitor.enrollment_id}.${index + 1}` }),
      )
      await Promise.allSettled(submissions)
    }),
  )
  const { findings, transactions, state } = await site.settle(visitors, settleSeconds(removedGuard))
  await site.close()
  const enrollmentOf = new Map(state.attempts.map(({ reference, enrollment_id }) => [reference, enrollment_id]))
  const transactionsOf = Map.groupBy(transactions, ({ reference }) => enrollmentOf.get(reference))
  const multiple = [...transactionsOf.values()].filter((several) => several.length > 1).length
  return multiple
    ? `${multiple} of ${IMPATIENT_VISITORS} visitors had more than one hold at a time, ${summarize(findings)}`
    : harmIn(findings)
}

const settleSeconds = (removedGuard: RemovedGuard | undefined) =>
  removedGuard ? UNGUARDED_SETTLE_SECONDS : SETTLE_SECONDS

const harmIn = (findings: Findings): Harm => (isClean(findings) ? undefined : summarize(findings))
