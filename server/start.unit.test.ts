import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runProgram } from './test/process.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-start-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const start = async (env: Record<string, string>) => {
  const server = runProgram('server/main.ts', [], { DATA_DIR: folder, ...env })
  return { ...(await server.ended), said: server.said() }
}

it('8.1 settings that do not fit stop the start with a list of all of them', async () => {
  const { code, said } = await start({
    PORT: 'eighty',
    START_STEP: 'PAYMENT',
    LIMIT_LOOKUPS: 'many',
    PUBLIC_URL: 'foyer.test',
  })
  expect(code).toBe(1)
  expect(said.split('\n')).toEqual([
    'Invalid settings:',
    "  PORT must be a whole number from 0 to 65535; got 'eighty'",
    "  PUBLIC_URL must be a URL that starts with http:// or https://; got 'foyer.test'",
    "  START_STEP must be one of: ACCOUNT, PRODUCT_SELECTION; got 'PAYMENT'",
    "  LIMIT_LOOKUPS must be a count and seconds, such as 30/3600; got 'many'",
    '',
  ])
})

it('9.7 an empty database is not seeded in production', async () => {
  const production = { NODE_ENV: 'production', SECRET: 'a secret of good length', PUBLIC_URL: 'https://foyer.test' }
  const { code, said } = await start({
    ...production,
    ALLOW_EMBEDDED: 'database,payment,phone,mail',
    LOG_LEVEL: 'silent',
  })
  expect(code).toBe(1)
  expect(said).toContain("This database has no sponsor 'master' yet.")
  expect(said).toContain('npm run db -- load DIR')
  expect(said).not.toContain('    at ')
}, 90_000)
