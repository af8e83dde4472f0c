import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres, runSql, testDatabase } from '#server/test/database.ts'
import { startProxy } from '#server/test/tcp-proxy.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import { isDatabaseAway, isPoolExhausted } from './away.ts'
import { watchConnections } from './connections.ts'
import { type Database, type Db, inTransaction, openDatabase, presenceOf } from './db.ts'

describe.runIf(isPostgres)('connections', () => {
  let database: Database & { url: string | undefined }
  let url: string
  let proxy: Awaited<ReturnType<typeof startProxy>>
  const opened: Database[] = []
  beforeAll(async () => {
    database = await testDatabase()
    url = database.url ?? ''
    proxy = await startProxy(url)
  })
  afterEach(async () => {
    proxy.thaw()
    await proxy.reopen()
    await Promise.all(opened.splice(0).map(({ close }) => close()))
  })
  afterAll(async () => {
    await proxy.close()
    await database.close()
  })

  const open = async (url: string, pool = 1) => {
    const opening = await openDatabase({ DATABASE_URL: url, DATABASE_POOL: pool, DATA_DIR: '' }, undefined, false)
    opened.push(opening)
    return opening.db
  }
  const pidOf = async (db: Db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return rows[0]?.pid
  }
  const write = (db: Db) =>
    db
      .insertInto('legal_text')
      .values({ sha256: `${rows++}`, content: '' })
      .execute()
  let rows = 0
  /** What a connection to a primary is like after that has become a standby. */
  const demote = (db: Db) => sql`set default_transaction_read_only = on`.execute(db)
  const demoteAll = (isStandby: boolean) => {
    const name = new URL(url).pathname.slice(1)
    return runSql(
      process.env.DATABASE_URL_TEST ?? '',
      `alter database ${name} set default_transaction_read_only = ${isStandby}`,
    )
  }
  const away = expect.toSatisfy(isDatabaseAway)

  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['a statement', write],
    ['a batch', (db) => Promise.all([pidOf(db), write(db), pidOf(db)])],
    ['a transaction', (db) => inTransaction(db, write)],
  ])('that met a read-only server in %s are not lent again', async (_what, work) => {
    const db = await open(url)
    await demote(db)
    const before = await pidOf(db)
    await expect(work(db)).rejects.toMatchObject({ code: '25006' })
    await write(db)
    expect(await pidOf(db)).not.toBe(before)
  })

  it.each(['57P01', '57P02', '57P03', '08006'])('33.1 that met %s are not lent again', async (code) => {
    const db = await open(url)
    const before = await pidOf(db)
    const failing = sql`do ${sql.lit(`begin raise exception 'moved' using errcode = '${code}'; end`)}`
    await expect(Promise.all([failing.execute(db), pidOf(db)])).rejects.toMatchObject({ code })
    expect(await pidOf(db)).not.toBe(before)
  })

  it('33.1 are checked after such an error, because the others may lead to the same server', async () => {
    const db = await open(url, 2)
    await inTransaction(db, async (transaction) => {
      await demote(transaction)
      await demote(db)
    })
    await expect(write(db)).rejects.toMatchObject({ code: '25006' })
    await write(db)
    await write(db)
    expect(presenceOf(db)).toMatchObject({ awaySince: undefined, failovers: 0 })
  })

  it('are not checked without an error', async () => {
    const db = await open(proxy.url)
    await pidOf(db)
    const before = proxy.messages()
    await pidOf(db)
    expect(proxy.messages() - before).toBe(1)
  })

  it('fail while the server is read-only, and work as soon as it is not', async () => {
    const db = await open(proxy.url)
    await demoteAll(true)
    await expect(write(db)).rejects.toMatchObject({ code: '25006' })
    await expect(write(db)).rejects.toMatchObject({ code: '25006' })
    await expect(pidOf(db)).rejects.toMatchObject({ code: '25006' })
    expect(presenceOf(db)?.awaySince).toBeGreaterThan(0)
    await demoteAll(false)
    await write(db)
    expect(presenceOf(db)?.awaySince).toBeUndefined()
    expect(presenceOf(db)?.secondsAway()).toBeGreaterThan(0)
  })

  it('that the server closed while they were idle are replaced', async () => {
    const db = await open(proxy.url, 3)
    await Promise.all([pidOf(db), inTransaction(db, pidOf)])
    proxy.cut()
    await expect.poll(() => pidOf(db).catch(() => 'lost')).toBeGreaterThan(0)
    await proxy.refuse()
    await expect.poll(() => pidOf(db).catch((error) => error)).toEqual(away)
    await proxy.reopen()
    await expect.poll(() => presenceOf(db)?.awaySince).toBeUndefined() // without a query
  })

  it('that stay in use mean a busy database, or one that is away', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 300 })
    const { connect, presence, close } = watchConnections(pool, ['postgres://127.0.0.1:1/nowhere'])
    const client = await connect()
    const busy = await connect().catch((error) => error)
    presence.suspect()
    const gone = await connect().catch((error) => error)
    expect([busy, gone].map((error) => [isPoolExhausted(error), isDatabaseAway(error)])).toEqual([
      [true, false],
      [false, true],
    ])
    client.release()
    close()
    await pool.end()
  })

  it('that wait for a slow query are left alone', async () => {
    const db = await open(url)
    await pidOf(db)
    await sql`select pg_sleep(5)`.execute(db)
  })

  describe('to several hosts', () => {
    let other: Awaited<ReturnType<typeof startPostgres>>
    let otherUrl: URL
    let both: string
    beforeAll(async () => {
      other = await startPostgres({ onlyForTests: true })
      const { pathname } = new URL(url)
      otherUrl = Object.assign(new URL(other.url), { pathname })
      await runSql(other.url, `create database ${pathname.slice(1)}`)
      await runSql(otherUrl.href, 'create table legal_text (sha256 text, content text)')
      both = `postgres://postgres@${proxy.host},${otherUrl.host}${pathname}`
    })
    afterAll(() => other.stop())
    const standby = (isStandby: boolean) =>
      runSql(other.url, `alter database ${otherUrl.pathname.slice(1)} set default_transaction_read_only = ${isStandby}`)
    const portOf = async (db: Db) => {
      const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(db)
      return rows[0]?.port
    }
    const [first, second] = [() => new URL(url).port, () => otherUrl.port]

    it('33.2 go to the first that can write', async () => {
      expect(await portOf(await open(both))).toBe(first())
      await demoteAll(true)
      expect(await portOf(await open(both))).toBe(second())
      await demoteAll(false)
      await proxy.refuse()
      expect(await portOf(await open(both))).toBe(second())
    })

    it('33.2 go to the next when the first is gone, and fail while none can write', async () => {
      const db = await open(both, 2)
      await write(db)
      await standby(true)
      await proxy.refuse()
      await expect.poll(() => write(db).catch((error) => error)).toEqual(away)
      await expect(inTransaction(db, write)).rejects.toEqual(away)
      await standby(false)
      await inTransaction(db, write)
      expect([await portOf(db), presenceOf(db)?.failovers]).toEqual([second(), 1])
    })

    it('33.1 that wait for a server which stopped saying anything are closed once another one can write', async () => {
      const db = await open(both, 2)
      await standby(true)
      await write(db)
      proxy.freeze()
      const started = performance.now()
      const waiting = [write(db), inTransaction(db, write)].map((work) => work.catch((error) => error))
      await expect.poll(() => presenceOf(db)?.awaySince).toBeGreaterThan(0)
      await standby(false)
      expect(await Promise.all(waiting)).toEqual([away, away])
      expect(await portOf(db)).toBe(second())
      expect(performance.now() - started).toBeLessThan(20_000) // which is when the queries time out
    })
  })
})
