import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { EVENT_DAYS, type EventType } from '#contract/events.ts'
import { backup, restore } from '#server/db/backup.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { tablesOf } from '#server/db/migrate.ts'
import { Refusal } from '#server/refusal.ts'
import { isPostgres, recordStatements, testDatabase } from '#server/test/database.ts'
import { writeCursor } from './cursor.ts'
import { addEvent } from './events.ts'
import { type FeedPage, NOW, readFeed } from './feed.ts'
import { EVENTS_AT_ONCE, forgetOldEvents, positionNewEvents, startNewHistory } from './positions.ts'
import { waitForEvents } from './wait.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let folder: string
let db: Db
const clock = { ms: Date.parse('2026-11-15T12:00:00Z') }
const now = () => new Date(clock.ms)
const at = (db: Db) => ({ db, now })
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  folder = await mkdtemp(join(tmpdir(), 'foyer-feed-'))
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => sql`truncate new_event, event, feed, feed_epoch`.execute(db))

/** Tells events apart in these tests. */
const named = (name: string) => ({
  type: 'member.changed' as const,
  member_id: randomUUID(),
  payload: { fields: [name] },
})
const write = async (db: Db, ...names: string[]) => {
  for (const name of names) await addEvent(db, now(), named(name))
}
const writeMany = (count: number) =>
  sql`insert into new_event (id, type, version, at, payload)
    select gen_random_uuid(), 'member.changed', 1, ${now()}, '{"fields":[]}' from generate_series(1, ${count})`.execute(
    db,
  )
const namesIn = ({ events }: FeedPage) => events.map((event) => (event.payload as { fields: string[] }).fields[0])
const read = (after?: string, { limit = 100, types }: { limit?: number; types?: EventType[] } = {}, from = db) =>
  readFeed(at(from), after, limit, types)
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof Refusal ? error : Promise.reject(error)),
  )
const commonCursorOf = async (promise: Promise<unknown>, status: number) => {
  const refusal = await refusalOf(promise)
  expect(refusal?.status).toBe(status)
  const { body } = refusal?.details ?? {}
  return body && 'last_common_cursor' in body ? body.last_common_cursor : ''
}

it('a replica gives the old events, and the database itself those that the replica lacks', async () => {
  await write(db, 'one')
  const { cursor } = await read()
  await write(db, 'two')
  const behind = await testDatabase()
  const upToDate = recordStatements(db)
  for (const replica of [behind.db, upToDate.db])
    expect(namesIn(await readFeed({ ...at(db), reader: async () => replica }, cursor, 100))).toEqual(['two'])
  expect(upToDate.statements).toHaveLength(1)
  await behind.close()
})

it('27.1 an event is written with its change or not at all', async () => {
  const failed = inTransaction(db, async (db) => {
    await write(db, 'undone')
    throw new Error('the change failed')
  })
  await expect(failed).rejects.toThrow('the change failed')
  await inTransaction(db, (db) => write(db, 'done'))
  expect(namesIn(await read())).toEqual(['done'])
})

it.runIf(isPostgres)('27.2 an event that commits late is not skipped, and holds up no other', async () => {
  const late = await db.startTransaction().execute()
  await write(late, 'late')
  const idle = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  await sql`select 1 from member limit 1`.execute(idle)
  await write(db, 'early')
  const first = await read()
  expect(namesIn(first)).toEqual(['early'])
  await late.commit().execute()
  const second = await read(first.cursor)
  expect(namesIn(second)).toEqual(['late'])
  await idle.rollback().execute()
  expect(second.events[0]?.position).toBe(2)
})

it('27.2 positions have no gap and each event has one, however many give positions at the same time', async () => {
  await writeMany(EVENTS_AT_ONCE * 2 + 10)
  const position = async () => {
    while (await positionNewEvents(at(db)));
  }
  await Promise.all([position(), position(), position(), write(db, 'a'), position(), write(db, 'b')])
  await position()
  const { rows } = await sql`
    select count(*) as count, max(position) as last, count(distinct id) as ids, (select position from feed) as feed from event`.execute(
    db,
  )
  const count = EVENTS_AT_ONCE * 2 + 12
  expect(rows).toEqual([{ count, last: count, ids: count, feed: count }])
})

it('27.2 what one transaction tells about a member keeps its order', async () => {
  await inTransaction(db, (db) => write(db, ...'abcdefgh'))
  expect(namesIn(await read()).join('')).toBe('abcdefgh')
})

it('27.3 a reader gets pages, and only the types it asks for', async () => {
  await write(db, 'a', 'b', 'c')
  await addEvent(db, now(), { type: 'member.erased', member_id: randomUUID(), payload: {} })
  const first = await read(undefined, { limit: 2 })
  expect([namesIn(first), first.has_more]).toEqual([['a', 'b'], true])
  const second = await read(first.cursor, { limit: 2 })
  expect([second.events.length, second.has_more]).toEqual([2, false])
  expect((await read(second.cursor)).events).toEqual([])
  const erased = await read(undefined, { types: ['member.erased'] })
  expect(erased.events.map(({ type, position }) => [type, position])).toEqual([['member.erased', 4]])
  expect((await read(undefined, { types: ['sponsor.moved'] })).cursor).toBe(erased.cursor)
})

it('27.3 a reader that wants only what is new begins at the end', async () => {
  await write(db, 'old')
  const { events, cursor } = await read(NOW)
  expect(events).toEqual([])
  await write(db, 'new')
  expect(namesIn(await read(cursor))).toEqual(['new'])
})

it('27.4 waiting ends with the first event, or in time without one', async () => {
  const { cursor } = await read(NOW)
  const options = { limit: 10, seconds: 20 }
  const waiting = Promise.all([waitForEvents(at(db), cursor, options), waitForEvents(at(db), cursor, options)])
  await write(db, 'awaited')
  expect((await waiting).map(namesIn)).toEqual([['awaited'], ['awaited']])
  const { cursor: end } = await read(NOW)
  expect((await waitForEvents(at(db), end, { limit: 10, seconds: 0.3 })).events).toEqual([])
  const controller = new AbortController()
  const left = waitForEvents(at(db), end, { ...options, signal: controller.signal })
  controller.abort()
  expect((await left).events).toEqual([])
})

it('27.5 after a restore, a reader continues from what both have, or is told where that ends', async () => {
  await write(db, 'a', 'b')
  const shared = await read()
  await write(db, 'waiting') // committed, but without a position
  const file = join(folder, 'events.jsonl.gz')
  await backup(db, file)
  const read1 = await read(shared.cursor)
  await write(db, 'lost')
  const read2 = await read(read1.cursor)
  expect(namesIn(read2)).toEqual(['lost'])

  const copy = await testDatabase()
  try {
    const names = [...(await tablesOf(copy.db))].filter((name) => !name.startsWith('kysely_'))
    await sql`truncate ${sql.join(names.map((name) => sql.table(name)))} restart identity cascade`.execute(copy.db)
    await restore(copy.db, file, (db) => startNewHistory(at(db)))
    await write(copy.db, 'new')
    expect(namesIn(await read(shared.cursor, {}, copy.db))).toEqual(['waiting', 'new'])
    for (const { cursor } of [read1, read2]) {
      const common = await commonCursorOf(read(cursor, {}, copy.db), 409)
      expect(namesIn(await read(common, {}, copy.db))).toEqual(['waiting', 'new'])
    }
    const { cursor } = await read(NOW, {}, copy.db)
    const elsewhere = await commonCursorOf(read(cursor), 409) // an epoch that this database doesn't know
    expect(namesIn(await read(elsewhere))).toEqual(['waiting', 'lost'])
  } finally {
    await copy.close()
  }
})

it('27.5 a promoted database begins a new epoch, and one that lost events says where', async () => {
  await write(db, 'a')
  const { cursor } = await read()
  await write(db, 'replicated', 'lost')
  const ahead = await read(cursor)
  await sql`delete from event where position = 3`.execute(db) // as if a standby had taken over before it had this row
  await sql`update feed set position = 2, place = 'the old primary'`.execute(db)
  expect((await refusalOf(read(ahead.cursor)))?.status).toBe(409) // nothing has been written since
  await write(db, 'after', 'later')
  expect(namesIn(await read(cursor))).toEqual(['replicated', 'after', 'later'])
  const common = await commonCursorOf(read(ahead.cursor), 409)
  expect(namesIn(await read(common))).toEqual(['after', 'later'])
})

it('27.5 what is not a cursor is refused, and one of a different database begins at the start', async () => {
  await write(db, 'a')
  expect((await refusalOf(read('nonsense')))?.status).toBe(400)
  const foreign = writeCursor({ epoch: randomUUID(), since: 0, position: 7 })
  expect(namesIn(await read(await commonCursorOf(read(foreign), 409)))).toEqual(['a'])
})

it('27.6 events are kept for 90 days, and a reader that missed some is told', async () => {
  const empty = await read()
  await write(db, 'old', 'older')
  const { cursor } = await read(undefined, { limit: 1 })
  clock.ms += (EVENT_DAYS + 1) * 86_400_000
  await write(db, 'young')
  const all = await read()
  expect(namesIn(all)).toEqual(['old', 'older', 'young'])
  await forgetOldEvents(at(db))
  expect(namesIn(await read())).toEqual(['young'])
  for (const missed of [cursor, empty.cursor])
    expect(namesIn(await read(await commonCursorOf(read(missed), 410)))).toEqual(['young'])
  clock.ms += (EVENT_DAYS + 1) * 86_400_000
  await forgetOldEvents(at(db))
  expect([(await read()).events, (await read(all.cursor)).events]).toEqual([[], []])
})
