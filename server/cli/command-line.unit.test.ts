import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runProgram } from '#server/test/process.ts'

it('8.1 a command piped into head ends without a stack trace', async () => {
  const nothing = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PUBLIC_URL: 'http://127.0.0.1:1' }
  const { child, ended, output } = runProgram('server/cli/doctor.ts', [], nothing)
  child.stdout?.destroy()
  expect(await ended).toEqual({ code: 1, signal: null })
  expect(output()).toBe('')
})

it('8.1 a command whose output can’t be written fails', () => {
  const stdout = openSync('package.json', 'r') // refuses to be written, as a full disk does
  const { status, stderr } = spawnSync(process.execPath, ['server/cli/staff.ts', '--help'], {
    stdio: ['ignore', stdout, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(stdout)
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('EBADF') })
})
