import { setTimeout as sleep } from 'node:timers/promises'
import type { EnrollmentReply } from '#contract/api.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { LOSING } from '../site/processes.ts'
import { openSite } from '../site/site.ts'
import { answersOf, arrive, callsOf, cards, solveCaptcha } from '../visitor/visitor.ts'
import { examples, inWords, isClean } from './audit.ts'

const LONG = { submits: 10_000, atOnce: 600, leastInFlight: 500 }
const SHORT = { submits: 1_000, atOnce: 600, leastInFlight: 500 }
const SETTLE_SECONDS = 60
const PAUSE = 300

/** What never reaches the gateway ends the attempt, rightly, and there would be no payment to count. */
const REACHED = LOSING.filter(({ on, fault }) => on !== 'authorize' || fault !== 'lost_before')

/** One attempt, submitted thousands of times, hundreds at once: it is paid for once, and all hear the same. */
export async function duplicates(drill: Scale, ground: Ground): Promise<Row[]> {
  const started = performance.now()
  const { submits, atOnce, leastInFlight } = drill.short ? SHORT : LONG
  const site = await openSite(ground, { sockets: atOnce, faults: REACHED })
  const { caller } = site
  const heard = await arrive(caller)
  const calls = callsOf(caller, heard)
  const key = `${heard.enrollment_id}.1`
  const body = { ...answersOf(heard), cc_number: cards.good, captcha: await solveCaptcha(caller) }

  let begun = 0
  let repeats = 0
  let most = 0
  let inFlight = 0
  const final: EnrollmentReply[] = []
  const failures: string[] = []
  const submit = async () => {
    most = Math.max(most, ++inFlight)
    return calls.addEnrollment(body, { key }).finally(() => {
      inFlight -= 1
    })
  }
  /** Submits, and while it is told to wait submits again, until it hears what became of it. */
  const insist = async () => {
    for (; ; repeats++) {
      const reply = await submit().catch((error: unknown) => void failures.push(String(error)))
      if (!reply) return
      if (reply.payment !== 'Pending') return void final.push(reply)
      await sleep(PAUSE)
    }
  }
  const lane = async () => {
    while (begun < submits) {
      begun += 1
      await insist()
      const seconds = Math.round((performance.now() - started) / 1000)
      drill.progress(
        ground.name,
        `duplicates: ${final.length} of ${submits} have their final answer, ${inFlight} in flight, ${seconds} s`,
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const { findings, books, transactions, took } = await site.settle([heard], SETTLE_SECONDS)
  await site.close()

  const kinds = new Set(final.map(({ token, ...rest }) => JSON.stringify({ ...rest, hasToken: token !== '' })))
  const captured = transactions.filter(({ state }) => state === 'captured').length
  const one = transactions.length === 1 && captured === 1 && books.members.length === 1
  for (const line of [...examples(findings), ...[...kinds].slice(0, 3), ...new Set(failures.slice(0, 3))])
    if (!one || kinds.size !== 1 || failures.length) drill.say(`  ${line}`)
  return [
    {
      done: `${submits} submits of one attempt and ${repeats} repeats while pending, ${most} in flight at most`,
      asked: `4.8 ≥ ${leastInFlight} in flight; one authorization, one capture, one member; one final answer but for the token`,
      found: `${transactions.length} authorizations, ${captured} captures, ${books.members.length} members, ${kinds.size} different answers in ${final.length}, ${failures.length} failed requests, ${inWords(findings)}`,
      passed:
        one &&
        kinds.size === 1 &&
        final.length === submits &&
        most >= leastInFlight &&
        took !== undefined &&
        isClean(findings),
    },
  ]
}
