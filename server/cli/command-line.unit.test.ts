import { expect, it } from 'vitest'
import { runProgram } from '#server/test/process.ts'

it('8.1 a command whose reader has seen enough, such as head, ends without a stack', async () => {
  const nothing = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PUBLIC_URL: 'http://127.0.0.1:1' }
  const { child, ended, output } = runProgram('server/cli/doctor.ts', [], nothing)
  child.stdout?.destroy()
  expect(await ended).toEqual({ code: 1, signal: null })
  expect(output()).toBe('')
})
