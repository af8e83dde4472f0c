import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ground, Row, Scale } from '../drill.ts'
import type { Sabotage } from '../fault-injection/removed-guards.ts'
import { openSite, type Site } from '../site/site.ts'
import { gather } from '../visitor/crowd.ts'
import { answersOf, arrive, callsOf, otherCard, solveCaptcha } from '../visitor/visitor.ts'
import { type Findings, inWords, isClean } from './audit.ts'
import { run as runRace } from './race.ts'

const LANES = 12
const KILLS = { long: 5, short: 2 }
const SETTLE_SECONDS = 30
/** Long enough for an attempt to be given up; what has been lost will not be found later. */
const BROKEN_SECONDS = 12
const RUNNERS = 30
const IMPATIENT = 12

/** What the drill found, in words. Nothing: all is well. */
type Found = string | undefined
type Guard = {
  sabotage: Sabotage
  name: string
  drill: (ground: Ground, sabotage: Sabotage | undefined, kills: number) => Promise<Found>
}

/** Each guard, and the small drill that must notice when it is gone. */
const guards: Guard[] = [
  { sabotage: 'key', name: 'the gateway’s key', drill: killed },
  { sabotage: 'journal', name: 'commit before the gateway is asked', drill: killed },
  { sabotage: 'commit', name: 'commit before the answer', drill: killed },
  { sabotage: 'names', name: 'the reservation of names', drill: raced },
  { sabotage: 'turn', name: 'the reservation of a turn', drill: impatient },
]

/** Takes each guard away from outside and demands that the drill catches it, and that it is silent with the guard. */
export async function provenGuards(drill: Scale, ground: Ground): Promise<Row[]> {
  const kills = KILLS[drill.short ? 'short' : 'long']
  const chosen = guards.filter(({ sabotage }) => !drill.short || SHORT.includes(sabotage))
  const drills = [...new Set(chosen.map(({ drill }) => drill))]
  const trials = [
    ...(drill.short ? [] : drills.map((small) => () => control(ground, small, kills))),
    ...chosen.map((guard) => () => without(ground, guard, kills)),
  ]
  const rows: Row[] = []
  const lane = async () => {
    for (let trial = trials.shift(); trial; trial = trials.shift()) {
      rows.push(await trial())
      drill.progress(ground.name, `guards: ${rows.length} done, ${trials.length} to come`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return rows
}

const AT_ONCE = 2
const SHORT: Sabotage[] = ['commit', 'names']

async function without(ground: Ground, { name, sabotage, drill }: Guard, kills: number): Promise<Row> {
  const found = await drill(ground, sabotage, kills)
  return {
    done: `${drill.name}, without ${name}`,
    asked: 'caught',
    found: found ? `caught: ${found}` : 'not caught',
    passed: found !== undefined,
  }
}

async function control(ground: Ground, drill: Guard['drill'], kills: number): Promise<Row> {
  const found = await drill(ground, undefined, kills)
  return {
    done: `${drill.name}, with all guards`,
    asked: 'no harm',
    found: found ?? 'no harm',
    passed: found === undefined,
  }
}

/** kill -9 under load, a few times. */
async function killed(ground: Ground, sabotage: Sabotage | undefined, kills: number): Promise<Found> {
  const site = await openSite(ground, { dressing: sabotage ? { sabotage } : {} })
  const crowd = gather(site.caller, LANES)
  for (let count = 0; count < kills; count++) {
    await crowd.heardApproval()
    await sleep(Math.random() * 300)
    await site.crash()
    await crowd.askAgain()
  }
  await crowd.leave()
  const { findings } = await site.settle(crowd.heard, sabotage ? BROKEN_SECONDS : SETTLE_SECONDS)
  await site.close()
  return harmIn(findings)
}

/** A race for one username. */
async function raced(ground: Ground, sabotage: Sabotage | undefined): Promise<Found> {
  const prepare = sabotage ? letEverybodyClaim : undefined
  const { findings, chargedLosers } = await runRace(ground, RUNNERS, () => undefined, {
    isSmall: true,
    ...(prepare ? { prepare } : {}),
  })
  const later = isClean(findings) ? 'and let go again' : `, ${inWords(findings)}`
  return chargedLosers ? `${chargedLosers} losers charged ${later}` : harmIn(findings)
}

const letEverybodyClaim = (site: Site) =>
  site.within((db) => sql`alter table claim drop constraint claim_pkey`.execute(db))

/** Visitors who send three attempts at the same moment, each with its own number. Nobody is asked to pay twice at once. */
async function impatient(ground: Ground, sabotage: Sabotage | undefined): Promise<Found> {
  const site = await openSite(ground, { dressing: sabotage ? { sabotage } : {} })
  if (sabotage) await letEverybodyClaim(site)
  const { caller } = site
  const heard = await Promise.all(Array.from({ length: IMPATIENT }, () => arrive(caller)))
  await Promise.all(
    heard.map(async (visitor) => {
      const calls = callsOf(caller, visitor)
      const bodies = await Promise.all(
        [1, 2, 3].map(async () => ({ ...answersOf(visitor), captcha: await solveCaptcha(caller) })),
      )
      const presses = bodies.map((body, index) =>
        calls.addEnrollment({ ...body, cc_number: otherCard }, { key: `${visitor.enrollment_id}.${index + 1}` }),
      )
      await Promise.allSettled(presses)
    }),
  )
  const { findings, transactions, books } = await site.settle(heard, sabotage ? BROKEN_SECONDS : SETTLE_SECONDS)
  await site.close()
  const enrollmentOf = new Map(books.attempts.map(({ reference, enrollment_id }) => [reference, enrollment_id]))
  const asked = Map.groupBy(transactions, ({ reference }) => enrollmentOf.get(reference))
  const twice = [...asked.values()].filter((several) => several.length > 1).length
  return twice ? `${twice} of ${IMPATIENT} held more than once at a time, ${inWords(findings)}` : harmIn(findings)
}

const harmIn = (findings: Findings): Found => (isClean(findings) ? undefined : inWords(findings))
