import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground, Part, Row, Scale } from '../drill.ts'
import { inHaste } from '../site/processes.ts'
import { openSite, type Site } from '../site/site.ts'
import { gather } from '../visitor/crowd.ts'
import type { Caller } from '../visitor/http-client.ts'
import { examples, inWords, isClean, settledIn } from './audit.ts'

const LANES = 16
const SETTLE_SECONDS = 60
/** At some moment between the two. */
export const soon = (least: number, most: number) => sleep(least + Math.random() * (most - least))

const times = {
  PostgreSQL: { long: 150, short: 4 },
  embedded: { long: 50, short: 3 },
  database: { long: 20, short: 2 },
}

/** kill -9 of the server under load, and of PostgreSQL under a server that goes on. */
export const kill: Part = async (drill, ground) => {
  const { name, server } = ground
  const of = (what: keyof typeof times) => times[what][drill.short ? 'short' : 'long']
  return [
    await killServer(drill, ground, of(name)),
    ...(server ? [await killAndRestart(drill, ground, 'PostgreSQL', of('database'), () => server)] : []),
  ]
}

/** The visitors live on through the crashes, as an open page does. */
const killServer = (drill: Scale, ground: Ground, most: number) =>
  underLoad(drill, ground, `${most} × kill -9 of the server`, most, async (site) => {
    await soon(100, 1200)
    await site.crash()
  })

type Killable = { kill: () => Promise<void>; restart: () => Promise<void> }

/** The server goes on, and what it needs comes back. */
export const killAndRestart = (drill: Scale, ground: Ground, name: string, most: number, victim: () => Killable) =>
  underLoad(drill, ground, `${most} × kill -9 of ${name}`, most, async () => {
    await soon(300, 1500)
    await victim().kill()
    await soon(0, 500)
    await victim().restart()
  })

type Round = (site: Site) => Promise<void>
type Through = (caller: Caller) => Caller

/** Visitors pay while a round of something happens again and again; then both books are compared. */
export async function underLoad(
  drill: Scale,
  ground: Ground,
  what: string,
  most: number,
  round: Round,
  through: Through = (caller) => caller,
): Promise<Row> {
  const started = performance.now()
  const site = await openSite(ground)
  const crowd = gather(through(site.caller), LANES)
  for (let count = 1; count <= most; count++) {
    await crowd.heardSomething()
    await round(site)
    const acknowledged = await crowd.askAgain()
    const seconds = Math.round((performance.now() - started) / 1000)
    drill.progress(ground.name, `kill: ${count} of ${what}, ${acknowledged} members, ${seconds} s`)
  }
  await soon(300, 1000)
  await crowd.leave()
  const { findings, books, took } = await site.settle(crowd.heard, SETTLE_SECONDS)
  await site.close()
  for (const line of examples(findings)) drill.say(line)
  return {
    done: `${what} under ${LANES} visitors at once: ${books.attempts.length} attempts, ${books.members.length} members (${inHaste})`,
    asked: `8.4 no harm, nothing open ${SETTLE_SECONDS} s later`,
    found: `${inWords(findings)}, ${settledIn(took)}`,
    passed: isClean(findings) && took !== undefined && books.members.length > 0,
  }
}
