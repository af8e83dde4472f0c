import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { startProxy } from '#server/test/tcp-proxy.ts'
import { CommitUnknown, isDatabaseAway } from './away.ts'
import { type Database, type Db, inTransaction, openDatabase } from './db.ts'
import { withoutWaiting } from './outage.ts'

const withCode = (code: string, message = '') => Object.assign(new Error(message), { code })

test.each([
  ...['25006', '57P01', '57P02', '57P03', '08006', '08P01', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAI_AGAIN'].map(
    (code) => withCode(code),
  ),
  new Error('Connection terminated unexpectedly'),
  new Error('Connection terminated due to connection timeout'),
  new Error('Client has encountered a connection error and is not queryable'),
  new CommitUnknown(withCode('ECONNRESET')),
])('%s means that the database is away', (error) => expect(isDatabaseAway(error)).toBe(true))

test.each([
  ...['23505', '40001', '57014', '53300', '28P01', '3D000', '42501', 'ENOENT'].map((code) => withCode(code)),
  new Error('timeout exceeded when trying to connect'), // busy, which is not away
  new Error('Something else'),
  'ECONNRESET',
  undefined,
])('%s does not', (error) => expect(isDatabaseAway(error)).toBe(false))

describe.runIf(isPostgres)('a lost connection', () => {
  let database: Database & { url: string | undefined }
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let db: Db
  const opened: Database[] = []
  beforeAll(async () => {
    database = await testDatabase()
    proxy = await startProxy(database.url ?? '')
    const behind = await openDatabase({ DATABASE_URL: proxy.url, DATABASE_POOL: 2, DATA_DIR: '' })
    opened.push(behind)
    db = behind.db
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await proxy.close()
    await database.close()
  })

  const insert = (db: Db, sha256: string) => db.insertInto('legal_text').values({ sha256, content: '' }).execute()
  const isWritten = async (sha256: string) => {
    const { rows } = await sql`select 1 from legal_text where sha256 = ${sha256}`.execute(database.db)
    return rows.length === 1
  }
  const lossOf = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was lost',
      (error) => (error instanceof CommitUnknown ? 'unknown' : isDatabaseAway(error) ? 'not written' : error),
    )

  it('during a commit leaves unknown whether it is written', async () => {
    proxy.loseAnswerTo('commit')
    expect(await lossOf(inTransaction(db, (db) => insert(db, 'last')))).toBe('unknown')
    expect(await isWritten('last')).toBe(true)
  })

  it('during a change outside a transaction does too', async () => {
    proxy.loseAnswerTo('insert into')
    expect(await lossOf(insert(db, 'change'))).toBe('unknown')
    expect(await isWritten('change')).toBe(true)
  })

  it('before the commit means that nothing is written', async () => {
    proxy.loseAnswerTo('insert into')
    expect(await lossOf(withoutWaiting(() => inTransaction(db, (db) => insert(db, 'before'))))).toBe('not written')
    expect(await isWritten('before')).toBe(false)
  })

  it('during a read changes nothing', async () => {
    proxy.loseAnswerTo('select 42')
    expect(await lossOf(withoutWaiting(() => sql`select 42`.execute(db)))).toBe('not written')
  })
})
