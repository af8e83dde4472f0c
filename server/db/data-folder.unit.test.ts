import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runProgram } from '#server/test/process.ts'
import { lockFolder, markAsDatabase, prepareFolder } from './data-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('9.2 a second lock is refused until the first is released', async () => {
  const unlock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow(`Another Foyer process is using ${folder}.`)
  await unlock()
  await (await lockFolder(folder))()
})

it('9.2 a second process explains itself and exits', async () => {
  const unlock = await lockFolder(folder)
  const second = runProgram('server/cli/db.ts', ['list', 'members'], { DATA_DIR: folder })
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.output()).toBe(`Another Foyer process is using ${folder}. Stop it first, or choose another DATA_DIR.\n`)
  await unlock()
})

it('9.3 a folder that has lost its database is an error', async () => {
  await markAsDatabase(folder)
  await expect(prepareFolder(folder)).rejects.toThrow(/^The Foyer database in .+ is gone\./)
})

it('9.3 files of an interrupted first start are moved aside, not used and not deleted', async () => {
  await mkdir(join(folder, 'db'))
  await writeFile(join(folder, 'db', 'PG_VERSION'), '17')
  const { path } = await prepareFolder(folder)
  expect(existsSync(join(path, 'PG_VERSION'))).toBe(false)
  expect((await readdir(folder)).filter((name) => name.startsWith('db.unfinished-'))).toHaveLength(1)
})

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

it('9.3 only the owner can enter the database folder', async () => {
  const newFolder = join(folder, 'new')
  await (await lockFolder(newFolder))()
  expect(await modeOf(newFolder)).toBe('700')
  expect(await modeOf((await prepareFolder(newFolder)).path)).toBe('700')

  await mkdir(join(folder, 'db'))
  await writeFile(join(folder, 'db', 'PG_VERSION'), '17')
  await markAsDatabase(folder)
  for (const path of [folder, join(folder, 'db')]) await chmod(path, 0o755)
  await (await lockFolder(folder))()
  expect(await modeOf((await prepareFolder(folder)).path)).toBe('700')
  expect(await modeOf(folder)).toBe('755') // it may have another owner
})

it('9.3 an initialized database is opened as it is', async () => {
  await mkdir(join(folder, 'db'))
  await writeFile(join(folder, 'db', 'PG_VERSION'), '17')
  await markAsDatabase(folder)
  await prepareFolder(folder)
  expect(existsSync(join(folder, 'db', 'PG_VERSION'))).toBe(true)
})
