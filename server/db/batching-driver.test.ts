import { once } from 'node:events'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { createBatchingDriver } from './batching-driver.ts'
import { watchConnections } from './connections.ts'
import type { Database } from './db.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

const inDatabase = describe.runIf(isPostgres) // the embedded database has no connections

const pidOf = async (db: Kysely<Tables>) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return rows[0]?.pid ?? 0
}
const pidsOf = (db: Kysely<Tables>, many: number) => Promise.all(Array.from({ length: many }, () => pidOf(db)))

inDatabase('queries of one event loop turn', () => {
  let database: Database & { url: string | undefined }
  const opened: Kysely<Tables>[] = []
  beforeAll(async () => {
    database = await testDatabase()
    await pidOf(database.db) // now the driver knows that there is no pooler
  })
  afterEach(() => Promise.all(opened.splice(0).map((db) => db.destroy())))
  afterAll(() => database.close())

  const insert = (sha256: string) => database.db.insertInto('legal_text').values({ sha256, content: '' }).execute()
  const inserted = async () => {
    const { rows } = await sql<{ sha256: string }>`select sha256 from legal_text where content = ''`.execute(
      database.db,
    )
    return rows.map(({ sha256 }) => sha256).sort()
  }

  it('share a connection in batches of six', async () => {
    expect(new Set(await pidsOf(database.db, 6)).size).toBe(1)
    expect(new Set(await pidsOf(database.db, 13)).size).toBe(3)
  })

  it('get their own results, and fail or commit independently', async () => {
    const settled = await Promise.allSettled([insert('one'), insert('one'), insert('two'), inserted()])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(settled[3]).toMatchObject({ value: ['one', 'two'] })
    expect(settled[1]).toMatchObject({ reason: { code: '23505' } })
  })

  it('do not share the connection of a transaction', async () => {
    const failed = database.db.transaction().execute(async (transaction) => {
      const [inside, ...outside] = await Promise.all([pidOf(transaction), pidOf(database.db), pidOf(database.db)])
      expect(outside).not.toContain(inside)
      await transaction.insertInto('legal_text').values({ sha256: 'three', content: '' }).execute()
      await insert('four')
      expect(await inserted()).not.toContain('three')
      throw new Error('never mind')
    })
    await expect(failed).rejects.toThrow('never mind')
    expect(await inserted()).toEqual(['four', 'one', 'two'])
  })

  it('are sent one by one behind a pooler, which may mix up their results', async () => {
    const db = openPool(5, { isPooler: true })
    await pidOf(db)
    expect(new Set(await pidsOf(db, 5)).size).toBe(5)
    expect((await pidsOf(db, 12)).length).toBe(12)
  })

  it('8.1 report why a transaction failed, even if its connection was lost', async () => {
    const db = openOn(new pg.Pool({ connectionString: database.url, max: 1, pipeline: true, query_timeout: 300 }))
    const late = db.transaction().execute((transaction) => sql`select pg_sleep(3)`.execute(transaction))
    await expect(late).rejects.toThrow('Query read timeout')
  })

  it.each([
    ['a statement', pidOf],
    ['a transaction', (db: Kysely<Tables>) => db.transaction().execute(pidOf)],
  ])('do not reuse the connection on which %s timed out', async (_what, run) => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1, pipeline: true })
    const db = openOn(pool)
    await pidOf(db)
    pool.once('acquire', (client) => {
      client.query('select pg_sleep(3)').catch(() => undefined) // the next query waits for this one
      Object(client).connectionParameters.query_timeout = 300 // of this connection alone: the next one has time
    })
    const acquired = once(pool, 'acquire')
    const late = run(db)
    await acquired
    const [failed, next] = await Promise.allSettled([late, pidOf(db)])
    expect([failed, next]).toMatchObject([{ reason: { message: 'Query read timeout' } }, { status: 'fulfilled' }])
  })

  describe('that are prepared statements', () => {
    const find = statement((db, { sha256 }: { sha256: string }) =>
      db.selectFrom('legal_text').selectAll().where('sha256', '=', sha256),
    )
    const preparedCount = async (db: Kysely<Tables>) => {
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)
      return rows.filter(({ statement }) => statement.includes('"legal_text"')).length
    }

    it('are prepared once on each connection', async () => {
      const db = openPool(1)
      await pidOf(db)
      await Promise.all(['five', 'six', 'five'].map((sha256) => find(db, { sha256 })))
      expect((await find(db, { sha256: 'one' })).rows).toHaveLength(1)
      expect(await preparedCount(db)).toBe(1)
    })

    it('are not prepared behind a pooler, where the next query may run in another session', async () => {
      const db = openPool(1, { isPooler: true })
      expect((await find(db, { sha256: 'one' })).rows).toHaveLength(1)
      expect(await preparedCount(db)).toBe(0)
    })

    it('still run after the table got another column', async () => {
      const db = openPool(1)
      await find(db, { sha256: 'one' })
      await sql`alter table legal_text add column hue text`.execute(database.db)
      const [row] = (await find(db, { sha256: 'one' })).rows
      await sql`alter table legal_text drop column hue`.execute(database.db)
      expect(row).toHaveProperty('hue')
    })

    it('still run after the database has forgotten them', async () => {
      const db = openPool(1)
      await find(db, { sha256: 'one' })
      await sql`deallocate all`.execute(db)
      expect((await find(db, { sha256: 'one' })).rows).toHaveLength(1)
    })
  })

  /** With isPooler, process ids do not match, as behind a pooler. */
  function openPool(max: number, { isPooler = false } = {}) {
    const pool = new pg.Pool({ connectionString: database.url, max, pipeline: true })
    if (isPooler) pool.on('connect', (client) => Object.assign(client, { processID: 1 }))
    return openOn(pool)
  }

  function openOn(pool: pg.Pool) {
    class Pooled extends PostgresDialect {
      override createDriver = () => createBatchingDriver(pool, watchConnections(pool, [database.url ?? '']))
    }
    const db = new Kysely<Tables>({ dialect: new Pooled({ pool }) })
    opened.push(db)
    return db
  }
})
