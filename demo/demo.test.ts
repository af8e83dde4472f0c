import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { verifyAudit } from '#server/audit/audit.ts'
import { fillDataFolder, isPostgres } from '#server/test/database.ts'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { openSite } from './site.ts'
import { makeYear } from './year.ts'

const DAY_MS = 86_400_000

const onEmbedded = it.skipIf(isPostgres)

onEmbedded('19.19 the demo makes business of every kind, and its audit log is intact', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-demo-'))
  const end = new Date('2026-11-17T12:00:00Z')
  const days = 50
  await fillDataFolder(folder)
  const site = await openSite(folder, new Date(end.getTime() - days * DAY_MS))
  try {
    await makeYear(site, end, { members: 26, days }, () => undefined)
    const { db } = site.world
    const rows = await db.selectFrom('payment').select(['state', 'period']).execute()
    const count = (state: string, period: number) =>
      rows.filter((row) => row.state === state && Number(row.period > 0) === period).length
    expect(count('captured', 0)).toBe(26)
    expect(count('captured', 1)).toBeGreaterThan(5)
    expect(count('declined', 1)).toBeGreaterThan(0)
    const { length: refunds } = await db.selectFrom('refund').select('id').where('state', '=', 'done').execute()
    expect(refunds).toBeGreaterThan(0)
    expect((await db.selectFrom('staff').select('role').distinct().execute()).length).toBe(5)
    expect(await verifyAudit(site.world)).toMatchObject({ rows: expect.any(Number), seal: expect.any(String) })
    expect((await verifyAudit(site.world)).problem).toBe(undefined)
    expect(site.clock.now()).toEqual(end)
  } finally {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
})

onEmbedded.each([
  { NODE_ENV: 'production', SECRET: TEST_SECRET, PUBLIC_URL: 'https://join.example' },
  { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
])('19.19 the demo does not start with %o', async (settings) => {
  const { PATH = '' } = process.env
  const env = { PATH, ALLOW_EMBEDDED: 'database,payment,phone,mail', ...settings }
  const failure = await promisify(execFile)(process.execPath, ['demo/main.ts'], { env }).catch((error) => error)
  expect(failure.code).toBe(1)
  expect(failure.stderr).toContain('The demo runs on its own database and stand-ins.')
})

onEmbedded('19.19 the demo explains its options', async () => {
  const failure = await promisify(execFile)(process.execPath, ['demo/main.ts', '--nwe']).catch((error) => error)
  expect(failure.code).toBe(1)
  expect(failure.stderr).toContain("There is no option '--nwe'.")
})
