import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticate } from '#server/connect/keys/keys.ts'
import { callCommand } from '#server/test/command.ts'
import { isPostgres } from '#server/test/database.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { main } from './connect.ts'

describe.runIf(isPostgres)('npm run connect -- keys', () => {
  let site: Site
  beforeAll(async () => {
    site = await testSite()
  })
  afterAll(() => site.close())

  const connect = (...args: string[]) => callCommand(main, args, { DATABASE_URL: site.world.config.DATABASE_URL ?? '' })

  it('29.8 a key is made, listed and revoked from the terminal', async () => {
    const made = await connect(
      'keys',
      'create',
      'Commission engine',
      'members:read,events:read',
      '--until',
      '2099-06-30',
    )
    const [key = ''] = made.output.split('\n')
    expect(await authenticate(site.world, `Bearer ${key}`)).toMatchObject({ scopes: ['members:read', 'events:read'] })
    const list = await connect('keys', 'list')
    expect(list.output).toMatch(/Commission engine +….{4} +active +members:read,events:read +2026-11-15 +2099-06-30/)
    expect(list.output).not.toContain(key)
    expect((await connect('keys', 'revoke', 'commission ENGINE', '--reason', 'a new engine')).code).toBe(0)
    await expect(authenticate(site.world, `Bearer ${key}`)).rejects.toMatchObject({ status: 401 })
  })

  it.each([
    [['keys', 'create', 'X'], 'SCOPES is missing.'],
    [['keys', 'create', 'X', 'members:eat'], "'members:eat' is not a scope. The scopes are members:read,"],
    [['keys', 'create', 'X', 'members:read', '--until', 'soon'], 'Please enter a day.'],
    [['keys', 'create', 'X', 'members:read', '--until', '2020-01-01'], 'Please choose today or a later day.'],
    [['keys', 'revoke', 'X'], 'Please say why.'],
    [['keys', 'revoke', 'X', '--reason', 'old'], "There is no API key 'X'."],
    [['keys', 'dance'], 'npm run connect -- COMMAND'],
  ])('29.8 the command explains what is wrong with %j', async (args, sentence) => {
    const { code, output } = await connect(...args)
    expect(code).not.toBe(0)
    expect(output).toContain(sentence)
  })
})
