import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { embedded, openDatabase } from '#server/db/db.ts'
import { migrate } from '#server/db/migrate.ts'
import { seed } from '#server/db/prepare.ts'
import { at, run, SEEDED_AT, TEMPLATE } from './database.ts'

/** Migrates and seeds once per run; each test file then gets a copy in a moment instead of seconds. */
export default async function prepare(project: TestProject) {
  const url = process.env.DATABASE_URL_TEST
  return project.config.env.TEST_DB === 'postgres' ? prepareTemplate(url ?? '') : prepareDump(project)
}

async function prepareDump(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-dump-'))
  const pglite = await PGlite.create()
  const db = embedded(pglite)
  await migrate(db)
  await seed(db, SEEDED_AT)
  const dump = join(folder, 'seeded.tar')
  await writeFile(dump, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()))
  await db.destroy()
  project.provide('dump', dump)
  return () => rm(folder, { recursive: true, force: true })
}

async function prepareTemplate(url: string) {
  if (!url) throw new Error('DATABASE_URL_TEST names no PostgreSQL to test on.')
  await run(url, `drop database if exists ${TEMPLATE}`)
  await run(url, `create database ${TEMPLATE}`)
  const template = await openDatabase({ DATABASE_URL: at(url, TEMPLATE), DATABASE_POOL: 1, DATA_DIR: '' })
  await migrate(template.db)
  await seed(template.db, SEEDED_AT)
  await template.close()
}

declare module 'vitest' {
  interface ProvidedContext {
    dump: string
  }
}
