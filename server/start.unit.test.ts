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
  const server = runProgram('server/main.mjs', [], { DATA_DIR: folder, ...env })
  return { ...(await server.ended), output: server.output() }
}

it('8.1 with invalid settings, the server does not start and lists all of them', async () => {
  const { code, output } = await start({
    PORT: 'eighty',
    START_STEP: 'PAYMENT',
    LIMIT_LOOKUPS: 'many',
    PUBLIC_URL: 'foyer.test',
  })
  expect(code).toBe(1)
  expect(output.split('\n')).toEqual([
    'Invalid settings:',
    "  PORT must be a whole number from 0 to 65535; got 'eighty'",
    "  PUBLIC_URL must be a URL that starts with http:// or https://; got 'foyer.test'",
    "  START_STEP must be one of: ACCOUNT, PRODUCT_SELECTION; got 'PAYMENT'",
    "  LIMIT_LOOKUPS must be a count and seconds, such as 30/3600; got 'many'",
    '',
  ])
})
