import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { isPostgres, runSql } from '#server/test/database.ts'
import { testSite } from '#server/test/site.ts'

it('8.2 /readyz is true only while this process can write, and /livez is in any case', async () => {
  const site = await testSite()
  const readyz = async () => {
    const reply = await site.get('/readyz')
    return [reply.statusCode, reply.json().ready, reply.json().parts.database.writable]
  }
  const demote = async (isStandby: boolean) => {
    if (!isPostgres) return sql`set default_transaction_read_only = ${sql.lit(isStandby)}`.execute(site.db)
    const name = new URL(site.world.config.DATABASE_URL ?? '').pathname.slice(1)
    const server = process.env.DATABASE_URL_TEST ?? ''
    await runSql(server, `alter database ${name} set default_transaction_read_only = ${isStandby}`)
    if (isStandby)
      await runSql(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }
  expect(await readyz()).toEqual([200, true, true])
  await demote(true)
  await expect.poll(readyz).toEqual([503, false, false])
  expect((await site.get('/livez')).statusCode).toBe(200)
  await demote(false)
  await expect.poll(readyz).toEqual([200, true, true])
  const { body } = await site.get('/metrics')
  expect(body).toMatch(
    isPostgres ? /^foyer_database_away_seconds_total 0\.\d*[1-9]/m : /^foyer_database_away_seconds_total 0$/m,
  )
  expect(body).toMatch(/^foyer_database_failovers_total 0$/m)
  expect(body).toMatch(/^foyer_database_waiting 0$/m)
  await site.close()
})
