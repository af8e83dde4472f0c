import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { seed } from '#server/cli/seed.ts'
import { embedded, openDatabase } from '#server/db/db.ts'
import { migrate } from '#server/db/migrate.ts'
import { databaseUrl, runSql, SEEDED_AT, TEMPLATE } from './database.ts'

/** Migrates and seeds one database per run. Test files then get a copy of it, which is much faster. */
export default async function prepare(project: TestProject) {
  const url = process.env.DATABASE_URL_TEST
  return project.config.env.TEST_DB === 'postgres' ? prepareTemplate(url ?? '') : prepareDump(project)
}

async function prepareDump(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-dump-'))
  const pglite = await PGlite.create()
  const db = embedded(pglite)
  await migrate(db, SEEDED_AT)
  await seed(db, SEEDED_AT)
  const dump = join(folder, 'seeded.tar')
  await writeFile(dump, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()))
  await db.destroy()
  project.provide('dump', dump)
  return () => rm(folder, { recursive: true, force: true })
}

async function prepareTemplate(url: string) {
  if (!url) throw new Error('Set DATABASE_URL_TEST to a PostgreSQL server to test on.')
  await runSql(url, `drop database if exists ${TEMPLATE}`)
  await runSql(url, `create database ${TEMPLATE}`)
  const template = await openDatabase({ DATABASE_URL: databaseUrl(url, TEMPLATE), DATABASE_POOL: 1, DATA_DIR: '' })
  await migrate(template.db, SEEDED_AT)
  await seed(template.db, SEEDED_AT)
  await template.close()
}

declare module 'vitest' {
  interface ProvidedContext {
    dump: string
  }
}
