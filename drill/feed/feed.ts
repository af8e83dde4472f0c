import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { randomPause } from '../payments/kill.ts'
import type { Backend } from '../site/backends.ts'
import { startCrowd } from '../visitor/crowd.ts'
import { createHttpClient } from '../visitor/http-client.ts'
import { compareBooks, playBack, readBooks } from './playback.ts'
import { type Reader, startReader } from './reader.ts'
import { type FeedSite, openFeedSite } from './site.ts'

const LANES = 4
const SETTLE_SECONDS = 300
const MAX_LINES = 10

const sizes = {
  PostgreSQL: { long: { kills: 200, idleMs: 600_000 }, short: { kills: 3, idleMs: 2_000 } },
  embedded: { long: { kills: 60, idleMs: 0 }, short: { kills: 2, idleMs: 0 } },
}

/** Follows the feed through kills, a long transaction and a restore, and plays the events back. */
export const feed: Drill = async (run, backend) => {
  const rows = [await follow(run, backend)]
  if (!run.short && backend.name === 'PostgreSQL') rows.push(await withoutPositions(run, backend))
  return rows
}

async function follow(run: DrillRun, backend: Backend): Promise<ReportRow> {
  const { kills, idleMs } = sizes[backend.name][run.short ? 'short' : 'long']
  const site = await openFeedSite(backend, false)
  const reader = startReader(site.feedUrl)
  const touched = new Set<string>()
  const lanes = startLoad(site, reader, touched)
  try {
    const idle = idleMs ? await openIdleTransaction(site, reader, idleMs) : undefined
    const rounds = async (count: number, name: string) => {
      for (let round = 1; round <= count; round++) {
        run.showProgress(backend.name, `feed: kill ${round} of ${count} ${name}, ${reader.heard().length} events`)
        await lanes.changeSomething()
        await randomPause(0, 500)
        await site.crash()
      }
    }
    await rounds(Math.ceil(kills / 2), 'before the backup')
    await site.backUp()
    await lanes.changeSomething()
    await rounds(Math.floor(kills / 2), 'after it')
    const heldUp = (await idle?.end()) ?? 0
    await lanes.leave()
    await site.restore()
    const newLanes = startLoad(site, reader, touched)
    await until(() => reader.toldToGoBack() > 0)
    await newLanes.changeSomething()
    await site.crash()
    await newLanes.leave()
    const { findings, count } = await finish(run, site, reader)
    const { length } = reader.heard()
    return {
      action: `followed ${length} events of ${count} members through ${kills + 1} kills of the server and one restore${idleMs ? `, beside an idle transaction of ${idleMs / 1000} s` : ''}`,
      expected: '27.2 27.5 the events play back to the members, payments and states of the database',
      result: `${findings.length} discrepancies, told to go back ${reader.toldToGoBack()} times${heldUp ? ', held up by the transaction' : ''}`,
      passed: !findings.length && count > 0 && reader.toldToGoBack() === 1 && !heldUp,
    }
  } finally {
    await site.close()
  }
}

/** Proves that the drill would notice. */
async function withoutPositions(run: DrillRun, backend: Backend): Promise<ReportRow> {
  const site = await openFeedSite(backend, true)
  const reader = startReader(site.feedUrl, { knowsPositions: false })
  const touched = new Set<string>()
  const lanes = startLoad(site, reader, touched)
  try {
    for (let round = 0; round < 10; round++) await lanes.changeSomething()
    await lanes.leave()
    const { findings } = await finish({ ...run, print: () => undefined }, site, reader)
    return {
      action: 'followed the numbers that are drawn inside transactions, without positions',
      expected: '27.2 the drill notices',
      result: findings.length ? 'noticed' : 'not noticed',
      passed: findings.length > 0,
    }
  } finally {
    await site.close()
  }
}

/** Visitors who pay, and changes to what they have paid. */
function startLoad(site: FeedSite, reader: Reader, touched: Set<string>) {
  const client = createHttpClient(site.url)
  const crowd = startCrowd(client, LANES)
  /** One that the reader has heard of, and the database with it. */
  const next = async (subjects: () => string[]) => {
    const untouched = () => subjects().find((subject) => !touched.has(subject))
    await until(() => untouched() !== undefined)
    const subject = untouched() ?? ''
    touched.add(subject)
    return subject
  }
  const payments = () =>
    reader.heard().flatMap(({ type, payload }) => (type === 'payment.captured' ? [payload.reference] : []))
  const members = () =>
    reader.heard().flatMap(({ type, member_id }) => (type === 'member.joined' ? [member_id ?? ''] : []))
  return {
    /** One payment is refunded, another one disputed, and a membership canceled. */
    changeSomething: async () => {
      await site.command('refund', await next(payments))
      await site.dispute(await next(payments))
      await site.command('cancel', await next(members))
      await crowd.nextApproval()
    },
    leave: async () => {
      await crowd.leave()
      client.close()
    },
  }
}

const UNTIL_MS = 300_000

async function until(condition: () => boolean) {
  for (const end = performance.now() + UNTIL_MS; !condition(); await sleep(20))
    if (performance.now() > end) throw new Error('The reader heard nothing for five minutes.')
}

/** A transaction that has seen the tables and does nothing. Meanwhile events must go on. */
async function openIdleTransaction(site: FeedSite, reader: Reader, ms: number) {
  const database = await site.openDatabase()
  const transaction = await database.db.startTransaction().setIsolationLevel('repeatable read').execute()
  await sql`select count(*) from new_event`.execute(transaction)
  const before = reader.heard().length
  const isOver = sleep(ms)
  return {
    /** Returns 1 if the reader heard nothing meanwhile. */
    end: async () => {
      await isOver
      const heldUp = reader.heard().length > before ? 0 : 1
      await transaction.rollback().execute()
      await database.close()
      return heldUp
    },
  }
}

async function finish(run: DrillRun, site: FeedSite, reader: Reader) {
  await site.settle(SETTLE_SECONDS)
  await reader.finish()
  await site.stop()
  const real = await site.withDatabase(readBooks)
  const findings = [...reader.problems, ...compareBooks(playBack(reader.heard()), real)]
  for (const line of findings.slice(0, MAX_LINES)) run.print(line)
  return { findings, count: real.members.length }
}
