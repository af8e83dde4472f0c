import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Site, testSite } from '#server/test/site.ts'
import type { Options } from './command.ts'
import { commissionCommands } from './commission.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const run = async (name: string, args: string[], options: Options = {}) =>
  commissionCommands[name]?.run(site.world, args, { month: '', out: '', engine: '', 'dry-run': false, ...options })

it('31.13 volumes are set and listed from the terminal, with a row in the audit log', async () => {
  const said = await run('volumes set', ['34', 'renewal', '99', '60', '50.50'])
  expect(said).toContain('at $99.00 (renewal) has the volumes 60.00 and 50.50 from now on.')
  expect(await run('volumes list', [])).toMatch(/34 +renewal +\$99\.00 +60\.00 +50\.50 +2026-11-15\S+ +command line/)
  const { act, role } = await site.db.selectFrom('audit').selectAll().executeTakeFirstOrThrow()
  expect([act, role]).toEqual(['set_volumes', 'command line'])
})

it.each([
  ['volumes set', ['34', 'sometimes', '99', '60', '50'], {}, 'Please choose when it’s paid.'],
  ['volumes set', ['34', 'renewal', '99', '-6', '50'], {}, 'Please enter a volume such as 60.00.'],
  ['volumes set', ['999', 'renewal', '99', '60', '50'], {}, 'There is no package 999.'],
  ['commission', [], {}, 'The month is missing: --month 2026-10'],
  ['commission', [], { month: '2026-10' }, 'The folder is missing: --out DIR'],
  ['commission', [], { month: '2026-10', engine: 'exigo' }, 'Requests to exigo can only be printed'],
])('31.13 the command explains what is wrong with %s %j %j', async (name, args, options: Options, sentence) => {
  await expect(run(name, args, options)).rejects.toThrow(sentence)
})

it('31.13 a folder that isn’t empty is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-commission-'))
  const out = join(folder, 'month')
  expect(await run('commission', [], { month: '2026-10', out })).toContain('Wrote members.csv (0), members.jsonl (0)')
  expect((await readdir(out)).length).toBe(8)
  await expect(run('commission', [], { month: '2026-10', out })).rejects.toThrow('isn’t empty')
  await rm(folder, { recursive: true })
})
