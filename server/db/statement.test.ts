import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#server/test/database.ts'
import type { Database } from './db.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

describe('a prepared statement', () => {
  let database: Database
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.close())

  let built = 0
  const add = statement((db, { keys }: { keys: Omit<Tables['one_time_key'], 'used_by'>[] }) => {
    built += 1
    return db.insertInto('one_time_key').values(keys)
  })
  const find = statement((db, { keys, ...optional }: { keys: string[]; used_by?: string | undefined }) => {
    const query = db.selectFrom('one_time_key').select(['key', 'expires_at']).where('key', 'in', keys).orderBy('key')
    return optional.used_by === undefined ? query : query.where('used_by', '=', optional.used_by)
  })
  const expires_at = new Date('2026-11-15T12:00:00Z')
  const keysOf = (...keys: string[]) => ({ keys: keys.map((key) => ({ kind: 'grant' as const, key, expires_at })) })

  it('is built once, and again only for more or fewer values', async () => {
    expect(await add(database.db, keysOf('a', 'b'))).toMatchObject({ numAffectedRows: 2n })
    expect(await add(database.db, keysOf('c', 'd'))).toMatchObject({ numAffectedRows: 2n })
    expect(built).toBe(1)
    await add(database.db, keysOf('e'))
    expect(built).toBe(2)
    const { rows } = await find(database.db, { keys: ['a', 'd', 'e'] })
    expect(rows).toEqual(['a', 'd', 'e'].map((key) => ({ key, expires_at })))
    expect((await find(database.db, { keys: ['b', 'c', 'x'] })).rows.map(({ key }) => key)).toEqual(['b', 'c'])
  })

  it('is not cached for an unlimited number of lengths', async () => {
    const listOf = (length: number) => ({ keys: Array.from({ length }, () => 'a') })
    let builds = 0
    const counting = statement((db, { keys }: { keys: string[] }) => {
      builds += 1
      return db.selectFrom('one_time_key').select('key').where('key', 'in', keys)
    })
    const runs = async (...lengths: number[]) => {
      builds = 0
      for (const length of lengths) await counting(database.db, listOf(length))
      return builds
    }
    expect(await runs(201, 201)).toBe(2)
    const lengths = Array.from({ length: 150 }, (_, index) => index + 1)
    expect(await runs(...lengths, ...lengths)).toBe(270)
  })

  it('may have other SQL when a value is undefined', async () => {
    const added = statement((db, { keys }: { keys: string[] }) => {
      const all = db.selectFrom('one_time_key').select('key')
      return keys.length ? all.where('key', 'in', keys) : all
    })
    expect((await added(database.db, { keys: [] })).rows.length).toBeGreaterThan(1)
    expect((await added(database.db, { keys: ['a'] })).rows).toHaveLength(1)
    expect((await find(database.db, { keys: ['a'], used_by: undefined })).rows).toHaveLength(1)
    expect((await find(database.db, { keys: ['a'], used_by: 'nobody' })).rows).toHaveLength(0)
  })

  it('runs in the transaction that calls it', async () => {
    const failing = database.db.transaction().execute(async (db) => {
      await add(db, keysOf('f'))
      throw new Error('not today')
    })
    await expect(failing).rejects.toThrow('not today')
    expect((await find(database.db, { keys: ['f'] })).rows).toHaveLength(0)
  })

  it('may have other SQL when a value is null', async () => {
    const usedBy = statement((db, { used_by }: { used_by: string | null }) =>
      db
        .selectFrom('one_time_key')
        .select('key')
        .where('used_by', used_by === null ? 'is' : '=', used_by),
    )
    expect((await usedBy(database.db, { used_by: 'nobody' })).rows).toHaveLength(0)
    expect((await usedBy(database.db, { used_by: null })).rows.length).toBeGreaterThan(1)
  })

  it('refuses to compute with parameters while it is built', async () => {
    const inText = statement((_db, { key }: { key: string }) => sql`select ${JSON.stringify({ key })}`)
    await expect(inText(database.db, { key: 'a' })).rejects.toThrow('cannot compute with its parameters')
    const anyOf = statement((_db, { keys }: { keys: string[] }) => sql`select 1 where 'a' = any(${keys})`)
    await expect(anyOf(database.db, { keys: ['a', 'b'] })).rejects.toThrow('cannot take a list or an object')
    const asJson = statement((_db, { details }: { details: object }) => sql`select cast(${details} as jsonb)`)
    await expect(asJson(database.db, { details: { name: 'a' } })).rejects.toThrow('cannot take a list or an object')
  })
})
