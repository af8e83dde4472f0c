import { missingForFailover } from '../../scripts/drills.mjs'
import { type DatabaseCluster, startDatabaseCluster } from '../cluster/cluster.ts'
import { abortedRow, type Drill, type DrillRun, type ReportRow } from '../drill.ts'
import { randomPause } from '../payments/kill.ts'
import { examples, formatSettled, isClean, summarize } from '../site/audit.ts'
import type { Backend } from '../site/backends.ts'
import { describeMessages, describeRenewals, describeSecondWorker } from './aftermath.ts'
import { keepConnections, loseAcknowledged } from './controls.ts'
import { complaints, type People, startPeople } from './people.ts'
import { countTexts, logRequests, type RequestLog } from './request-log.ts'
import { type Scene, scenes } from './scenes.ts'
import { type FailoverSite, openFailoverSite } from './site.ts'

const LANES = { visitors: 8, members: 2, readers: 2 }
const SETTLE_SECONDS = 180
const MAX_WAIT_SECONDS = 60
const MAX_MEDIAN_SECONDS = 2

/** Three nodes that elect a primary, two Foyers, and everyone who uses them, while the primary is killed, frozen and moved. */
export const failover: Drill = async (run, backend) => {
  if (backend.name === 'embedded') return [] // there is nothing to fail over to
  const missing = missingForFailover()
  if (missing.length) return [abortedRow(`not installed: ${missing.join(', ')}`)]
  run.showProgress(backend.name, 'failover · starting the cluster')
  const cluster = await startDatabaseCluster()
  try {
    const rows = await playScenes(run, backend, cluster)
    return run.short ? rows : [...rows, await keepConnections(cluster), await loseAcknowledged(run, cluster)]
  } finally {
    await cluster.stop()
  }
}

/** In the middle of charging. */
const renewalStrikes = [
  async (cluster: DatabaseCluster) => {
    const primary = await cluster.primary()
    cluster.killPostmaster(primary)
    await cluster.primary(primary)
  },
  async (cluster: DatabaseCluster) => {
    const primary = await cluster.primary()
    cluster.freeze(primary)
    await cluster.primary(primary)
    cluster.thaw(primary)
  },
  (cluster: DatabaseCluster) => cluster.switchover(),
]

type Round = { electedAfter: number; enrolledAfter: number; unanswered: string[]; waits: number }
type Stage = { cluster: DatabaseCluster; site: FailoverSite; people: People; log: RequestLog }

async function playScenes(run: DrillRun, backend: Backend, cluster: DatabaseCluster) {
  const site = await openFailoverSite(cluster)
  const log = logRequests()
  const people = startPeople(log.watch(site.client), LANES)
  const stage = { cluster, site, people, log }
  const rows: ReportRow[] = []
  const allRounds: Round[] = []
  for (const scene of scenes) {
    const count = scene.rounds[run.short ? 'short' : 'long']
    const rounds: Round[] = []
    for (let round = 1; round <= count; round++) {
      rounds.push(await playRound(stage, scene))
      const approvals = await people.checkApprovals()
      run.showProgress(backend.name, `failover · ${scene.name}: ${round} of ${count}, ${approvals} members`)
    }
    if (!count) continue
    rows.push(describeScene(run, scene, rounds))
    run.print(`${rows.at(-1)?.action}: ${rows.at(-1)?.result}`)
    if (scene.moves) allRounds.push(...rounds)
  }
  await people.leave()
  rows.push(describeSpeed(allRounds, people.usualPause()), ...(await describeEnd(run, stage)))
  const strikes = renewalStrikes.slice(0, run.short ? 1 : renewalStrikes.length)
  rows.push(await describeRenewals(run, site, cluster, strikes), ...(await describeMessages(run, site)))
  if (!run.short) rows.push(await describeSecondWorker(site))
  await site.close()
  return rows
}

async function playRound({ cluster, people, log }: Stage, scene: Scene): Promise<Round> {
  await people.secondsUntilApproval(performance.now(), MAX_WAIT_SECONDS)
  await randomPause(200, 1200)
  const before = await cluster.primary()
  const start = performance.now()
  const waitsBefore = log.waits.length
  await scene.strike(cluster, before)
  if (scene.moves) await cluster.primary(before)
  const elected = performance.now()
  const enrolledAfter = await people.secondsUntilApproval(elected, MAX_WAIT_SECONDS)
  await scene.mend?.(cluster, before)
  await cluster.whole()
  return {
    electedAfter: (elected - start) / 1000,
    enrolledAfter,
    unanswered: log.unansweredDuring(start, performance.now()),
    waits: log.waits.length - waitsBefore,
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const seconds = (number: number) => `${number.toFixed(1)} s`

function describeScene(run: DrillRun, { name, moves, smooth }: Scene, rounds: Round[]): ReportRow {
  const isFailure = (what: string) => smooth || !/: 503 /.test(what)
  const failed = rounds.flatMap(({ unanswered }) => unanswered).filter(isFailure)
  for (const text of countTexts(failed).slice(0, 10)) run.print(`  ${text}`)
  const stuck = rounds.filter(({ enrolledAfter }) => enrolledAfter >= MAX_WAIT_SECONDS).length
  const elections = `a new primary after ${seconds(median(rounds.map(({ electedAfter }) => electedAfter)))}, the first enrollment `
  return {
    action: `${rounds.length} × ${name}`,
    expected: smooth ? 'no request fails or is asked to wait' : 'enrollments go on, and requests only wait',
    result: `${moves ? elections : 'an enrollment '}${seconds(median(rounds.map(({ enrolledAfter }) => enrolledAfter)))} later; ${sum(rounds.map(({ waits }) => waits))} requests were asked to wait, ${failed.length} failed`,
    passed: !failed.length && !stuck,
  }
}

/** On a busy machine some time passes between any two enrollments. */
function describeSpeed(rounds: Round[], usualPause: number): ReportRow {
  const times = rounds.map(({ enrolledAfter }) => enrolledAfter)
  return {
    action: `from a new primary to the first written enrollment, ${rounds.length} times`,
    expected: `at most ${MAX_MEDIAN_SECONDS} s at the median, beyond the usual ${seconds(usualPause)} between two enrollments`,
    result: `${seconds(median(times))} at the median, ${seconds(Math.max(...times))} at most`,
    passed: median(times) <= MAX_MEDIAN_SECONDS + usualPause,
  }
}

async function describeEnd(run: DrillRun, { site, people, log }: Stage): Promise<ReportRow[]> {
  const { findings, state, settledAfter } = await site.settle(people.records, SETTLE_SECONDS)
  for (const line of examples(findings)) run.print(`  ${line}`)
  const answers = [
    ['answers of 5xx other than 503', log.failures],
    ['answers of 503 without a time', log.withoutTime],
    ['honest people refused for trying too often', log.lockedOut],
  ] as const
  for (const [name, list] of answers)
    for (const text of countTexts(list.map(({ what }) => what)).slice(0, 10)) run.print(`  ${name}: ${text}`)
  const complained = Object.entries(complaints).map(([kind, name]) => {
    const texts = people.complaints[kind as keyof typeof complaints]
    for (const text of countTexts(texts).slice(0, 10)) run.print(`  ${name}: ${text}`)
    return [name, texts] as const
  })
  for (const text of countTexts(people.errors)) run.print(`  unexpected: ${text}`)
  const list = (parts: readonly (readonly [string, { length: number }])[]) =>
    parts.map(([name, { length }]) => `${length} ${name}`).join(', ')
  const isEmpty = ([, { length }]: readonly [string, { length: number }]) => !length
  return [
    {
      action: `${state.members.length} members joined, ${state.attempts.length} attempts`,
      expected: `no harm, nothing open ${SETTLE_SECONDS} s later`,
      result: `${summarize(findings)}, ${formatSettled(settledAfter)}`,
      passed: isClean(findings) && settledAfter !== undefined && state.members.length > 0,
    },
    {
      action: `${log.counts.all} requests`,
      expected: 'none fails, and each 503 says when to ask again',
      result: `${list(answers)}; ${log.waits.length} were asked to wait`,
      passed: answers.every(isEmpty),
    },
    {
      action: `${people.records.length} visitors, ${people.counts.signIns} sign-ins, ${people.counts.pages} pages`,
      expected: 'nobody has to do anything',
      result: list([...complained, ['unexpected errors', people.errors]]),
      passed: complained.every(isEmpty) && !people.errors.length,
    },
  ]
}
