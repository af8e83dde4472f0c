import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres, runSql } from '#server/test/database.ts'
import { startPostgres } from '../../scripts/postgres.mjs'
import { type Database, type Db, openDatabase } from './db.ts'

type Server = Awaited<ReturnType<typeof startPostgres>>

describe.runIf(isPostgres)('a replica', () => {
  let [primary, standby]: Server[] = []
  let database: Database
  beforeAll(async () => {
    primary = await startPostgres()
    await runSql(primary.url, 'create table t (n int)')
    standby = await startPostgres({ standbyOf: primary.url })
    const DATABASE_REPLICA_URL = standby.url
    database = await openDatabase({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL, DATABASE_POOL: 2, DATA_DIR: '' })
  })
  afterAll(async () => {
    await database?.close()
    standby?.stop()
    primary?.stop()
  })

  const serverOf = async (db: Db | undefined) => {
    if (!db) return undefined
    const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db)
    return rows[0]?.standby ? 'standby' : 'primary'
  }
  const reader = async () => serverOf(await database.reader?.())
  const write = () => sql`insert into t values (1)`.execute(database.db)

  it('33.7 is read while it keeps up, and nothing is written there', async () => {
    await write()
    await expect.poll(reader).toBe('standby')
    expect(await serverOf(database.db)).toBe('primary')
  })

  it('33.7 is not read while it is far behind', async () => {
    await runSql(standby?.url ?? '', 'select pg_wal_replay_pause()')
    await expect.poll(async () => [await write(), await reader()][1]).toBe('primary')
    await runSql(standby?.url ?? '', 'select pg_wal_replay_resume()')
    await expect.poll(reader).toBe('standby')
  })

  it('33.7 is not read while it is gone', async () => {
    await standby?.kill()
    await expect.poll(() => reader().catch(() => 'lost')).toBe('primary')
    await standby?.restart()
    await expect.poll(reader).toBe('standby')
  })
})
