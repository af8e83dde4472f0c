import type { Ground, Part, Row, Scale } from '../drill.ts'
import { killAndRestart, soon, underLoad } from '../payments/kill.ts'
import { manyGround, PROCESSES } from './process-cluster.ts'
import { watch } from './request-monitor.ts'

const times = { process: { long: 8, short: 4 }, pooler: { long: 2, short: 1 }, database: { long: 2, short: 1 } }

/** kill -9 of one process, of PgBouncer and of PostgreSQL, under visitors who pay. */
export const kills: Part = async (drill, ground) => {
  const { server } = ground
  if (!server) throw new Error('there is no database server to kill')
  const behind = manyGround(ground)
  const of = (what: keyof typeof times) => times[what][drill.short ? 'short' : 'long']
  return [
    await killProcesses(drill, ground, of('process')),
    await killAndRestart(drill, behind, 'PgBouncer', of('pooler'), () => behind.many().pooler),
    await killAndRestart(drill, behind, 'PostgreSQL', of('database'), () => server),
  ]
}

/** Who was under way when a process died may lose an answer; nobody who comes later. */
async function killProcesses(drill: Scale, ground: Ground, most: number): Promise<Row> {
  const behind = manyGround(ground)
  const { through, failed, count } = watch()
  const deaths: { at: number; underWay: number }[] = []
  const round = async () => {
    const many = behind.many()
    const index = deaths.length % PROCESSES
    await soon(300, 1200)
    const { underWay } = count
    await many.killOne(index)
    deaths.push({ at: performance.now(), underWay })
    await soon(300, 1200)
    await many.startAgain(index)
  }
  const what = `${most} × kill -9 of one of ${PROCESSES} processes`
  const row = await underLoad(drill, behind, what, most, round, through)
  const isLost = ({ began, ended }: (typeof failed)[number]) =>
    deaths.some(({ at }) => began < at && ended > at - DYING_MS && ended < at + DYING_MS)
  const others = failed.filter((failure) => !isLost(failure))
  for (const { what } of others.slice(0, 3)) drill.say(`  ${what}`)
  const underWay = deaths.reduce((sum, death) => sum + death.underWay, 0)
  return {
    ...row,
    done: `${row.done}; ${count.all} requests`,
    asked: `8.7 ${row.asked}; no request fails but those under way when a process died`,
    found: `${row.found}; ${failed.length - others.length} of ${underWay} under way failed, ${others.length} others`,
    passed: row.passed && !others.length,
  }
}

/** From the signal until everybody has heard of it. */
const DYING_MS = 250
