import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres, testDatabase } from '#server/test/database.ts'

/** Nothing listens there. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing'
const OLDER = ['foyer-20260101T000000Z.jsonl.gz', 'foyer-20260102T000000Z.jsonl.gz', 'foyer-20260103T000000Z.jsonl.gz']
const { PATH = '' } = process.env

// The script does not care which kind of database it backs up.
describe.runIf(isPostgres)('deploy/backup.sh', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof testDatabase>>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foyer-backups-'))
    database = await testDatabase()
  })
  afterAll(async () => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (program: string, args: string[], settings: Record<string, string>) =>
    new Promise<{ code: number; stderr: string }>((resolve) => {
      const env = { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, DATABASE_URL: database.url, ...settings }
      const child = execFile(program, args, { env }, (_error, _stdout, stderr) =>
        resolve({ code: child.exitCode ?? 1, stderr }),
      )
    })
  const backUp = (settings: Record<string, string> = {}, args = [folder]) =>
    run('sh', ['deploy/backup.sh', ...args], settings)
  const backups = async () => (await readdir(folder)).toSorted()

  it('20.12 a backup that fails removes nothing; one that works keeps the newest, for its owner only', async () => {
    for (const name of [...OLDER, 'notes.txt']) await writeFile(join(folder, name), '')
    const failed = await backUp({ DATABASE_URL: NO_DATABASE, BACKUP_KEEP: '2' })
    expect(failed.code).not.toBe(0)
    expect(await backups()).toEqual([...OLDER, 'notes.txt'])

    expect(await backUp({ BACKUP_KEEP: '2' })).toEqual({ code: 0, stderr: '' })
    const [kept, newest = '', ...rest] = await backups()
    expect([kept, ...rest]).toEqual([OLDER[2], 'notes.txt'])
    expect(newest).toMatch(/^foyer-\d{8}T\d{6}Z\.jsonl\.gz$/)
    expect((await stat(join(folder, newest))).mode & 0o777).toBe(0o600)
  })

  it.runIf(existsSync('node_modules/.bin/node'))(
    '20.12 runs on the project’s own Node, not the machine’s',
    async () => {
      const old = join(folder, 'old')
      await mkdir(old)
      await writeFile(join(old, 'node'), '#!/bin/sh\nexit 9\n', { mode: 0o755 })
      expect(await backUp({ PATH: `${old}${delimiter}${PATH}` })).toEqual({ code: 0, stderr: '' })
      await rm(old, { recursive: true })
    },
  )

  it('20.12 the daily job makes no second backup within a day, also after a restart, and goes on after a failure', async () => {
    const untilItSleeps = 'sleep() { exit; }; . deploy/backup.sh'
    const daily = (settings: Record<string, string>) =>
      run('sh', ['-c', untilItSleeps, 'deploy/backup.sh', '--daily', folder], settings)
    const before = await backups()
    await daily({})
    expect(await backups()).toEqual(before)

    const yesterday = Date.now() / 1000 - 86_400
    for (const name of before) await utimes(join(folder, name), yesterday, yesterday)
    expect((await daily({ DATABASE_URL: NO_DATABASE })).stderr).toContain('It is tried again in ten minutes.')
    await daily({})
    expect(await backups()).toHaveLength(before.length + 1)
  })

  it.each([
    ['a folder that is not there', { args: ['no-such-folder'], keep: '14', message: 'usage:' }],
    ['to keep none', { args: [], keep: '0', message: 'BACKUP_KEEP must be a whole number above 0.' }],
    ['to keep a word', { args: [], keep: 'all', message: 'BACKUP_KEEP must be a whole number above 0.' }],
  ])('20.12 refuses %s', async (_name, { args, keep, message }) => {
    const { code, stderr } = await backUp({ BACKUP_KEEP: keep }, args.length ? args : [folder])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
