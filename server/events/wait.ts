import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { EventType } from '#contract/events.ts'
import type { Db } from '#server/db/db.ts'
import type { World } from '#server/world/world.ts'
import { readCursor } from './cursor.ts'
import { type FeedPage, readFeed } from './feed.ts'

/** Proxies on the way give up on longer requests. */
export const MAX_WAIT_SECONDS = 20
const LOOK_MS = 250

type Wait = { limit: number; types?: EventType[] | undefined; seconds: number; signal?: AbortSignal | undefined }

/** Answers as soon as there is an event after the cursor. If none comes in time, or the reader has gone, the page is empty. */
export async function waitForEvents(
  context: Pick<World, 'db' | 'reader' | 'now'>,
  after: string | undefined,
  { limit, types, seconds, signal }: Wait,
): Promise<FeedPage> {
  const ends = performance.now() + Math.min(seconds, MAX_WAIT_SECONDS) * 1000
  for (let page = await readFeed(context, after, limit, types); ; ) {
    const remainingMs = ends - performance.now()
    if (page.events.length || remainingMs <= 0 || signal?.aborted) return page
    if (!page.has_more) await nextEvent(context.db, readCursor(page.cursor).position, remainingMs, signal)
    page = await readFeed(context, page.cursor, limit, types)
  }
}

type Waiter = { position: number; wake: () => void }
const waitersOf = new WeakMap<Db, Set<Waiter>>()

/** All waiting readers of this process share one query. */
async function nextEvent(db: Db, position: number, ms: number, signal?: AbortSignal): Promise<void> {
  const existing = waitersOf.get(db)
  const waiters = existing ?? new Set()
  const woken = new Promise<void>((resolve) => {
    const waiter = { position, wake: () => waiters.delete(waiter) && resolve() }
    waiters.add(waiter)
    setTimeout(waiter.wake, ms).unref()
    signal?.addEventListener('abort', waiter.wake, { once: true })
  })
  if (!existing) {
    waitersOf.set(db, waiters)
    void wakeWaiters(db, waiters)
  }
  await woken
}

async function wakeWaiters(db: Db, waiters: Set<Waiter>): Promise<void> {
  while (waiters.size) {
    await sleep(LOOK_MS, undefined, { ref: false })
    const newest = await newestPosition(db).catch(() => Number.POSITIVE_INFINITY) // the readers find out why
    for (const { position, wake } of [...waiters]) if (newest > position) wake()
  }
  waitersOf.delete(db)
}

/** An event without a position is newer than any other. */
async function newestPosition(db: Db): Promise<number> {
  const { rows } = await sql<{ position: number | null; has_new: boolean }>`
    select (select position from feed) as position, exists (select from new_event) as has_new`.execute(db)
  return rows[0]?.has_new ? Number.POSITIVE_INFINITY : Number(rows[0]?.position ?? 0)
}
