import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#server/test/database.ts'
import type { Database } from './db.ts'
import { statement } from './statement.ts'
import type { Tables } from './tables.ts'

describe('a statement that is built once', () => {
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
  const find = statement((db, { keys, ...maybe }: { keys: string[]; used_by?: string | undefined }) => {
    const found = db.selectFrom('one_time_key').select(['key', 'expires_at']).where('key', 'in', keys).orderBy('key')
    return maybe.used_by === undefined ? found : found.where('used_by', '=', maybe.used_by)
  })
  const expires_at = new Date('2026-11-15T12:00:00Z')
  const keysOf = (...keys: string[]) => ({ keys: keys.map((key) => ({ kind: 'grant' as const, key, expires_at })) })

  it('is filled in each time it runs, and built again only for more or fewer values', async () => {
    expect(await add(database.db, keysOf('a', 'b'))).toMatchObject({ numAffectedRows: 2n })
    expect(await add(database.db, keysOf('c', 'd'))).toMatchObject({ numAffectedRows: 2n })
    expect(built).toBe(1)
    await add(database.db, keysOf('e'))
    expect(built).toBe(2)
    const { rows } = await find(database.db, { keys: ['a', 'd', 'e'] })
    expect(rows).toEqual(['a', 'd', 'e'].map((key) => ({ key, expires_at })))
    expect((await find(database.db, { keys: ['b', 'c', 'x'] })).rows.map(({ key }) => key)).toEqual(['b', 'c'])
  })

  it('is not kept in ever more lengths', async () => {
    const listOf = (length: number) => ({ keys: Array.from({ length }, () => 'a') })
    let again = 0
    const counting = statement((db, { keys }: { keys: string[] }) => {
      again += 1
      return db.selectFrom('one_time_key').select('key').where('key', 'in', keys)
    })
    const runs = async (...lengths: number[]) => {
      again = 0
      for (const length of lengths) await counting(database.db, listOf(length))
      return again
    }
    expect(await runs(201, 201)).toBe(2)
    const lengths = Array.from({ length: 150 }, (_, place) => place + 1)
    expect(await runs(...lengths, ...lengths)).toBe(270)
  })

  it('may say something else when a value is not there', async () => {
    const added = statement((db, { keys }: { keys: string[] }) => {
      const all = db.selectFrom('one_time_key').select('key')
      return keys.length ? all.where('key', 'in', keys) : all
    })
    expect((await added(database.db, { keys: [] })).rows.length).toBeGreaterThan(1)
    expect((await added(database.db, { keys: ['a'] })).rows).toHaveLength(1)
    expect((await find(database.db, { keys: ['a'], used_by: undefined })).rows).toHaveLength(1)
    expect((await find(database.db, { keys: ['a'], used_by: 'nobody' })).rows).toHaveLength(0)
  })

  it('is a part of the transaction that it runs in', async () => {
    const failing = database.db.transaction().execute(async (db) => {
      await add(db, keysOf('f'))
      throw new Error('not today')
    })
    await expect(failing).rejects.toThrow('not today')
    expect((await find(database.db, { keys: ['f'] })).rows).toHaveLength(0)
  })

  it('may say something else when a value is nothing', async () => {
    const usedBy = statement((db, { used_by }: { used_by: string | null }) =>
      db
        .selectFrom('one_time_key')
        .select('key')
        .where('used_by', used_by === null ? 'is' : '=', used_by),
    )
    expect((await usedBy(database.db, { used_by: 'nobody' })).rows).toHaveLength(0)
    expect((await usedBy(database.db, { used_by: null })).rows.length).toBeGreaterThan(1)
  })

  it('is never sent with a blank in it', async () => {
    const inText = statement((_db, { key }: { key: string }) => sql`select ${JSON.stringify({ key })}`)
    await expect(inText(database.db, { key: 'a' })).rejects.toThrow('filled in later')
    const anyOf = statement((_db, { keys }: { keys: string[] }) => sql`select 1 where 'a' = any(${keys})`)
    await expect(anyOf(database.db, { keys: ['a', 'b'] })).rejects.toThrow('value by value')
    const asJson = statement((_db, { details }: { details: object }) => sql`select cast(${details} as jsonb)`)
    await expect(asJson(database.db, { details: { name: 'a' } })).rejects.toThrow('value by value')
  })
})
