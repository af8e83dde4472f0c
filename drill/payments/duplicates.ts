import { setTimeout as sleep } from 'node:timers/promises'
import type { EnrollmentReply } from '#contract/api.ts'
import type { Drill } from '../drill.ts'
import { examples, isClean, summarize } from '../site/audit.ts'
import { LOST_ANSWERS } from '../site/processes.ts'
import { openSite } from '../site/site.ts'
import { answersOf, arrive, callsOf, cards, solveCaptcha } from '../visitor/visitor.ts'

const LONG = { submits: 10_000, concurrency: 600, minInFlight: 500 }
const SHORT = { submits: 1_000, concurrency: 600, minInFlight: 500 }
const SETTLE_SECONDS = 60
const PAUSE_MS = 300

/** A request that never reaches the gateway ends the attempt, and there would be no payment to count. */
const FAULTS = LOST_ANSWERS.filter(({ on, fault }) => on !== 'authorize' || fault !== 'lost_before')

/** Submits one attempt thousands of times, hundreds at the same time. It is paid once, and every submit gets the same answer. */
export const duplicates: Drill = async (run, backend) => {
  const startTime = performance.now()
  const { submits, concurrency, minInFlight } = run.short ? SHORT : LONG
  const site = await openSite(backend, { sockets: concurrency, faults: FAULTS })
  const { client } = site
  const visitor = await arrive(client)
  const calls = callsOf(client, visitor)
  const key = `${visitor.enrollment_id}.1`
  const body = { ...answersOf(visitor), cc_number: cards.good, captcha: await solveCaptcha(client) }

  let count = 0
  let repeats = 0
  let inFlight = 0
  let maxInFlight = 0
  const finalReplies: EnrollmentReply[] = []
  const failures: string[] = []
  const submit = async () => {
    maxInFlight = Math.max(maxInFlight, ++inFlight)
    return calls.addEnrollment(body, { key }).finally(() => {
      inFlight -= 1
    })
  }
  const submitUntilFinal = async () => {
    for (; ; repeats++) {
      const reply = await submit().catch((error: unknown) => void failures.push(String(error)))
      if (!reply) return
      if (reply.payment !== 'Pending') return void finalReplies.push(reply)
      await sleep(PAUSE_MS)
    }
  }
  const lane = async () => {
    while (count < submits) {
      count += 1
      await submitUntilFinal()
      const seconds = Math.round((performance.now() - startTime) / 1000)
      run.showProgress(
        backend.name,
        `duplicates: ${finalReplies.length} of ${submits} have a final answer, ${inFlight} in flight, ${seconds} s`,
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const { findings, state, transactions, settledAfter } = await site.settle([visitor], SETTLE_SECONDS)
  await site.close()

  const distinctReplies = new Set(
    finalReplies.map(({ token, ...rest }) => JSON.stringify({ ...rest, hasToken: token !== '' })),
  )
  const captures = transactions.filter(({ state }) => state === 'captured').length
  const isPaidOnce = transactions.length === 1 && captures === 1 && state.members.length === 1
  for (const line of [...examples(findings), ...[...distinctReplies].slice(0, 3), ...new Set(failures.slice(0, 3))])
    if (!isPaidOnce || distinctReplies.size !== 1 || failures.length) run.print(`  ${line}`)
  return [
    {
      action: `${submits} submits of one attempt and ${repeats} repeats while pending, at most ${maxInFlight} in flight`,
      expected: `4.8 ≥ ${minInFlight} in flight; one authorization, one capture, one member; the same final answer except for the token`,
      result: `${transactions.length} authorizations, ${captures} captures, ${state.members.length} members, ${distinctReplies.size} different answers in ${finalReplies.length}, ${failures.length} failed requests, ${summarize(findings)}`,
      passed:
        isPaidOnce &&
        distinctReplies.size === 1 &&
        finalReplies.length === submits &&
        maxInFlight >= minInFlight &&
        settledAfter !== undefined &&
        isClean(findings),
    },
  ]
}
