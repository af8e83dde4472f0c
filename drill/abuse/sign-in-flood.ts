import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { calls } from '#contract/api.ts'
import { officeCalls } from '#contract/office/office.ts'
import { clock } from '#server/world/world.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import { createSolutionPool, solveCaptcha } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type InProcessSite, openInProcessSite, type Reply } from '../in-process-site/in-process-site.ts'
import type { Backend } from '../site/backends.ts'
import { americanPhone, attackerAddress, cardNumber, formAnswers, visitorAddress } from '../test-data.ts'

/** People give up after 30 seconds. The short form ignores the time, because the machine may be busy. */
const LONG = { signIns: 400, members: 20, patienceMs: 30_000 }
const SHORT = { signIns: 40, members: 6, patienceMs: Infinity }
const STRANGERS = 120
const MEMBERS_PER_SECOND = 5
/** Members who wait for their reply at the same time, however slow the machine is. */
const MEMBERS_AT_ONCE = 10
const EXPECTED_PERCENT = 99

type TestMember = { name: string; password: string; cookie: string }

/**
 * Strangers from ever new networks sign in and join, 120 of them at any time, so that no limit by address stops them.
 * Meanwhile members sign in, half of them in a browser that they have used before, whose names the strangers guess at.
 */
export async function signInFlood(run: DrillRun, backend: Backend): Promise<ReportRow> {
  const { signIns, members: count, patienceMs } = run.short ? SHORT : LONG
  const workspace = await backend.createWorkspace()
  const site = await openInProcessSite(workspace, {
    now: clock, // it measures how long people wait
    settings: { MINIMUM_SECONDS: '0' },
    onLogLine: (line) => run.print(`  ${line.slice(0, 300)}`),
  })
  const members = await Promise.all(Array.from({ length: count }, (_, n) => join(site, n)))
  const known = members.slice(0, count / 2)
  const strangers = startStrangers(site, known)
  await sleep(2_000) // until the queues are full

  const waits: number[] = []
  const failures: string[] = []
  const signIn = async (n: number) => {
    const isKnown = n % 2 === 0
    const from = isKnown ? known : members.slice(count / 2)
    const { name, password, cookie } = from[Math.floor(n / 2) % from.length] as TestMember
    const start = performance.now()
    const sender = { address: visitorAddress(n), ...(isKnown ? { cookie } : {}) }
    const reply = await site.post(officeCalls.signIn.path, { name, password }, sender)
    const wait = performance.now() - start
    waits.push(wait)
    if (reply.statusCode !== 200) failures.push(`${isKnown ? 'known' : 'new'} browser: ${reply.statusCode}`)
    else if (wait > patienceMs) failures.push(`${isKnown ? 'known' : 'new'} browser: too slow`)
    run.showProgress(
      backend.name,
      `abuse · sign-ins in a flood: ${waits.length} of ${signIns}, ${failures.length} failed`,
    )
  }
  const waiting = new Set<Promise<unknown>>()
  for (let n = 0; n < signIns; n++) {
    const sent = signIn(n).finally(() => waiting.delete(sent))
    waiting.add(sent)
    await sleep(1000 / MEMBERS_PER_SECOND)
    if (waiting.size >= MEMBERS_AT_ONCE) await Promise.race(waiting)
  }
  await Promise.all(waiting)
  const replies = await strangers.stop()
  await site.close()
  await workspace.remove()

  run.print(`  replies to strangers in the flood: ${countsOf(replies)}`)
  if (failures.length) run.print(`  failed sign-ins of members: ${countsOf(failures)}`)
  const percent = (100 * (signIns - failures.length)) / signIns
  const sorted = waits.toSorted((a, b) => a - b)
  const atMost = (share: number) => `${((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1000).toFixed(1)} s`
  return {
    action: `${signIns} sign-ins of members while ${STRANGERS} strangers at the same time sign in and join, each from a new network`,
    expected: `21.23 at least ${EXPECTED_PERCENT} % of the members get in`,
    result: `${percent.toFixed(1)} %, half within ${atMost(0.5)}, 99 of 100 within ${atMost(0.99)}; ${replies.length} replies to strangers`,
    passed: percent >= EXPECTED_PERCENT && replies.length >= STRANGERS,
  }
}

async function join(site: InProcessSite, n: number): Promise<TestMember> {
  const address = visitorAddress(100_000 + n)
  const answers = formAnswers(`member${n}`, americanPhone(n), cardNumber('4539', n))
  const captcha = await solveCaptcha(site, { address })
  const reply = await site.post(calls.addEnrollment.path, { ...answers, captcha }, { address })
  const { token } = reply.json()
  const entered = await site.post(officeCalls.enterOffice.path, { token }, { address })
  const { username: name = '', password = '' } = answers
  return { name, password, cookie: cookieOf(entered) }
}

/** Two of three guess passwords, half of them at names that exist; the third joins. */
function startStrangers(site: InProcessSite, victims: TestMember[]) {
  let isStopped = false
  let count = 0
  const replies: string[] = []
  const solutions = createSolutionPool(site)
  const guess = (n: number): Promise<Reply> => {
    const name = n % 2 ? `nobody${n}` : (victims[n % victims.length]?.name ?? '')
    return site.post(officeCalls.signIn.path, { name, password: `Guess-${n}-x` }, { address: attackerAddress(n) })
  }
  const enroll = async (n: number): Promise<Reply> => {
    const answers = formAnswers(`flood${n}`, americanPhone(300_000 + n), cardNumber('4539', 100_000 + n))
    const body = { ...answers, captcha: (await solutions.take()).text }
    return site.post(calls.addEnrollment.path, body, { address: attackerAddress(n), key: `${randomUUID()}.1` })
  }
  const stranger = async (kind: number) => {
    while (!isStopped) {
      const reply = await (kind % 3 ? guess : enroll)(++count)
      replies.push(`${kind % 3 ? 'sign-in' : 'enrollment'} ${reply.statusCode}`)
    }
  }
  const loops = Promise.all(Array.from({ length: STRANGERS }, (_, kind) => stranger(kind)))
  return {
    stop: async () => {
      isStopped = true
      await loops
      return replies
    },
  }
}

const countsOf = (list: string[]) =>
  [...Map.groupBy(list, (text) => text)].map(([text, { length }]) => `${text}: ${length}`).join(', ')
