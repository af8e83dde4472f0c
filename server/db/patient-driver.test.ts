import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres, runSql, testDatabase } from '#server/test/database.ts'
import { startProxy } from '#server/test/tcp-proxy.ts'
import { CommitUnknown, isDatabaseAway, waiting } from './away.ts'
import { type Database, type Db, inTransaction, openDatabase } from './db.ts'
import { askAgain, newPatience, nowOrLater, outages, withoutWaiting, withPatience } from './outage.ts'
import { exactly } from './patient-driver.ts'

const MARK = "'commit'"
const COMMIT = 'commit\0'

const insert = (db: Db, sha256: string) => db.insertInto('legal_text').values({ sha256, content: '' }).execute()
/** Counts how often it was run. */
const raise = (db: Db) => sql`update joining_pause set message = message || '.'`.execute(db)
const raised = async (db: Db) =>
  (await db.selectFrom('joining_pause').select('message').executeTakeFirstOrThrow()).message

describe.runIf(isPostgres)('while the database moves', () => {
  let database: Database & { url: string | undefined }
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let behind: Database
  let db: Db
  beforeAll(async () => {
    database = await testDatabase()
    proxy = await startProxy(database.url ?? '')
    behind = await openDatabase({ DATABASE_URL: proxy.url, DATABASE_POOL: 3, DATA_DIR: '' })
    db = behind.db
    await sql`insert into joining_pause (id, message, created_at) values (1, '', now())`.execute(database.db)
  })
  afterAll(async () => {
    await behind.close()
    await proxy.close()
    await database.close()
  })
  const startOver = () => database.db.updateTable('joining_pause').set({ message: '' }).execute()
  const isWritten = async (sha256: string) =>
    (await database.db.selectFrom('legal_text').select('sha256').where('sha256', '=', sha256).execute()).length === 1
  const isAwaited = () => expect.poll(() => waiting.count, { timeout: 4_000 }).toBeGreaterThan(0)
  const reopen = async () => {
    await proxy.reopen()
    await sql`select 1`.execute(db)
  }

  it('a read waits, and is answered when the database is back', async () => {
    await proxy.refuse()
    const read = sql<{ one: number }>`select 1 as one`.execute(db)
    await isAwaited()
    await reopen()
    expect((await read).rows).toEqual([{ one: 1 }])
  })

  it('patience ends', async () => {
    await proxy.refuse()
    const read = withPatience(newPatience(300), () => sql`select 1`.execute(db))
    const error = await read.catch((error: unknown) => error)
    expect(isDatabaseAway(error)).toBe(true)
    await reopen()
  })

  it('what can do without the database fails immediately', async () => {
    await proxy.refuse()
    const startedAt = performance.now()
    await expect(withoutWaiting(() => sql`select 1`.execute(db))).rejects.toSatisfy(isDatabaseAway)
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    await reopen()
  })

  it('a change that was certainly not written is repeated', async () => {
    await proxy.refuse()
    await withoutWaiting(() => sql`select 1`.execute(db)).catch(() => undefined) // no connection is left that seems to work
    const change = insert(db, 'refused')
    await isAwaited()
    await reopen()
    await change
    expect(await isWritten('refused')).toBe(true)
  })

  it('a server that may not write is waited for', async () => {
    const server = process.env.DATABASE_URL_TEST ?? ''
    const name = new URL(database.url ?? '').pathname.slice(1)
    await runSql(server, `alter database ${name} set default_transaction_read_only = on`)
    proxy.cut()
    await withoutWaiting(() => sql`select 1`.execute(db)).catch(() => undefined)
    const change = insert(db, 'read-only')
    await isAwaited()
    await runSql(server, `alter database ${name} reset default_transaction_read_only`)
    proxy.cut()
    await change
    expect(await isWritten('read-only')).toBe(true)
  })

  it('a transaction that lost its connection is repeated as a whole', async () => {
    let runs = 0
    await inTransaction(db, async (transaction) => {
      await insert(transaction, 'whole')
      if (runs++ === 0) proxy.cut()
      await sql`select 1`.execute(transaction)
    })
    expect(runs).toBe(2)
    expect(await isWritten('whole')).toBe(true)
  })

  it('a change without a key is done once, whatever becomes of its answer', async () => {
    for (const lost of ['update joining_pause', MARK, COMMIT]) {
      await startOver()
      proxy.loseAnswerTo(lost)
      const { count } = outages
      await raise(exactly(db))
      expect([lost, outages.count - count, await raised(database.db)]).toEqual([lost, 1, '.'])
    }
  })

  it('a transaction without a key is done once too, and keeps its result', async () => {
    for (const lost of ['update joining_pause', MARK, COMMIT]) {
      await startOver()
      proxy.loseAnswerTo(lost)
      let runs = 0
      const result = await inTransaction(exactly(db), async (transaction) => {
        runs++
        await raise(transaction)
        return runs
      })
      expect([lost, result, await raised(database.db)]).toEqual([lost, lost === COMMIT ? 1 : 2, '.'])
    }
  })

  it('marks of earlier commits are deleted', async () => {
    for (let i = 0; i < 5; i++) await raise(exactly(db))
    const marks = await database.db.selectFrom('one_time_key').select('key').where('kind', '=', 'commit').execute()
    expect([1, 2]).toContain(marks.length)
  })

  it('with a key, the caller asks again', async () => {
    proxy.loseAnswerTo('insert into')
    const written = await askAgain(async (isRepeat) =>
      isRepeat ? isWritten('asked') : insert(db, 'asked').then(() => 'no loss'),
    )
    expect(written).toBe(true)
  })

  it('without a mark and a key, it stays unknown', async () => {
    proxy.loseAnswerTo('insert into')
    await expect(insert(db, 'unknown')).rejects.toBeInstanceOf(CommitUnknown)
  })

  it('what nobody waits for is written later', async () => {
    await proxy.refuse()
    await nowOrLater(() => insert(exactly(db), 'later'))
    expect(await isWritten('later')).toBe(false)
    await reopen()
    await expect.poll(() => isWritten('later')).toBe(true)
  })
})
