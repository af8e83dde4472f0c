// Foyer with a feed that anyone may read, transactions that commit late, and commands. Started as a process of its own by site.ts.
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '#server/config/config.ts'
import type { Db } from '#server/db/db.ts'
import type { PaymentState } from '#server/db/tables.ts'
import { waitForEvents } from '#server/events/wait.ts'
import { jobGroups } from '#server/jobs/queue.ts'
import { cancel } from '#server/membership/cancellation.ts'
import { reconcile } from '#server/payments/books/reconciliation.ts'
import { requestRefund } from '#server/payments/refunds.ts'
import { Refusal } from '#server/refusal.ts'
import { startWorker } from '#server/worker/worker.ts'
import type { World } from '#server/world/world.ts'
import { openHookedSite } from '../fault-injection/hooked-site.ts'
import type { DatabaseHooks } from '../fault-injection/hooks.ts'

export type Arguments = { feedPort: number; removesPositions: boolean }

const PAGE = 100
const LATE_MS = 400
const DAY_MS = 86_400_000
const OPEN: PaymentState[] = ['reserved', 'authorizing', 'authorized', 'unknown', 'review', 'enrolled']

/** A transaction that has written an event commits up to this much later, so commits come out of order. */
const commitLate: DatabaseHooks['beforeCommit'] = async (statements) => {
  if (statements.length > 1 && statements.some(({ sql }) => sql.includes('"new_event"')))
    await sleep(Math.random() * LATE_MS)
}

/** Events get no position after the commit: the reader follows the numbers that were drawn inside the transactions. */
const withoutPositions: DatabaseHooks['instead'] = ({ sql }) =>
  sql.startsWith('select exists (select from new_event)') ? Promise.resolve({ rows: [{ some: false }] }) : undefined

async function readWithoutPositions(db: Db, after: string | null) {
  const events = await db
    .selectFrom('new_event')
    .select(['written as position', 'id', 'type', 'member_id', 'payload'])
    .where('written', '>', Number(after ?? 0))
    .orderBy('written')
    .limit(PAGE)
    .execute()
  return { events, cursor: String(events.at(-1)?.position ?? after ?? 0), has_more: false }
}

/** What the drill can ask for. */
const commandsOf = (world: World, worker: ReturnType<typeof startWorker>) => ({
  cancel: (member_id: string) => cancel(world, member_id),
  refund: (reference: string) => requestRefund(world, { reference, reason: 'A drill', who: 'drill' }),
  compareBooks: () => reconcile(world, new Date(world.now().getTime() - DAY_MS)),
  rest: () => worker.stop(),
  /** How many payments are not finished. */
  countOpen: async () => {
    const { rows } = await sql<{ count: number }>`
      select (select count(*) from job where done_at is null and kind in (${sql.join(jobGroups.payments)}))
        + (select count(*) from payment where state in (${sql.join(OPEN)})) as count`.execute(world.db)
    return Number(rows[0]?.count)
  },
})
export type Command = keyof ReturnType<typeof commandsOf>

async function main() {
  const { feedPort, removesPositions }: Arguments = JSON.parse(process.argv[2] ?? '{}')
  const database: DatabaseHooks = {
    beforeCommit: commitLate,
    ...(removesPositions ? { instead: withoutPositions } : {}),
  }
  const site = await openHookedSite({ config: readConfig(), hooks: { database }, now: () => new Date() })
  const { world } = site
  const worker = startWorker(world)
  const commands = commandsOf(world, worker)
  flushCompileCache() // now, because a killed process cannot do it on exit

  const read = (query: URLSearchParams) =>
    removesPositions
      ? readWithoutPositions(world.db, query.get('after'))
      : waitForEvents(world, query.get('after') ?? undefined, { limit: PAGE, seconds: Number(query.get('wait')) })
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://feed')
    try {
      const run: ((subject: string) => Promise<unknown>) | undefined = commands[pathname.slice(1) as Command]
      const body = run ? await run(((await json(request)) as { subject: string }).subject) : await read(searchParams)
      response.end(JSON.stringify(body ?? null))
    } catch (error) {
      const { status, message, details } = error instanceof Refusal ? error : new Refusal(500, String(error))
      response.writeHead(status).end(JSON.stringify({ message, ...details.body }))
    }
  }).listen(feedPort, '127.0.0.1')
  process.once('SIGTERM', async () => {
    await worker.stop()
    await site.close()
    process.exit(0)
  })
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
