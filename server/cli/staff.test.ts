import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callCommand } from '#server/test/command.ts'
import { isPostgres, testDatabase } from '#server/test/database.ts'
import { main } from './staff.ts'

describe.runIf(isPostgres)('npm run staff', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.close())

  /** Runs `npm run staff -- …`. */
  const staff = (...args: string[]) => callCommand(main, args, { DATABASE_URL: database.url ?? '' })

  it('19.1 19.9 an owner is invited, listed and removed from the terminal, and the audit log knows', async () => {
    const invited = await staff('invite', 'Ada@Example.com', 'owner')
    expect(invited.output).toMatch(/Send this link to ada@example\.com\..*\n.*\/console\/welcome#[\w-]{43}/)
    expect((await staff('list')).output).toMatch(/ada@example\.com .*owner .*invited until/)
    const { output } = await staff('audit')
    const seal = /Its seal is (1\.[\w-]+)/.exec(output)?.[1] ?? ''
    expect(seal).not.toBe('')
    expect((await staff('audit', seal)).code).toBe(0)

    await database.db
      .insertInto('staff')
      .values({
        id: crypto.randomUUID(),
        email: 'bo@example.com',
        name: 'Bo',
        role: 'owner',
        password_hash: null,
        totp_sealed: null,
        created_at: new Date('2026-11-01T00:00:00Z'),
        removed_at: null,
      })
      .execute()
    expect((await staff('remove', 'BO@example.com')).output).toContain('bo@example.com no longer has access.')
    expect((await staff('list')).output).not.toContain('bo@example.com')

    await database.db.updateTable('audit').set({ role: 'viewer' }).where('position', '=', 1).execute()
    const broken = await staff('audit', seal)
    expect(broken.code).toBe(1)
    expect(broken.output).toContain('The audit log is not intact. Row 1 was changed.')
  })

  it('19.1 a command prints its result, and no log lines', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const settings = { DATABASE_URL: database.url ?? '', LOG_LEVEL: 'info' }
    const { output } = await callCommand(main, ['invite', 'dee@example.com', 'viewer'], settings)
    await nextTurn()
    const written = write.mock.calls.join('')
    write.mockRestore()
    expect(output).toMatch(/^Send this link to dee@example\.com/)
    expect(written).toBe('')
  })

  it.each([
    [['invite', 'nobody', 'owner'], "'nobody' is not an email address."],
    [['invite', 'cy@example.com', 'boss'], "'boss' is not a role."],
    [['invite', 'cy@example.com'], 'ROLE is missing.'],
    [['remove', 'cy@example.com'], "No one with the address 'cy@example.com' has access."],
    [['audit', 'no seal'], "'no seal' is not a seal."],
    [['acknowledge', 'x', 'a failover'], 'This is not a row of the log.'],
    [['acknowledge', '1'], 'WHY is missing.'],
    [['acknowledge', '1', 'a failover'], 'Row 1 is not a report.'],
    [['dance'], 'npm run staff -- COMMAND'],
  ])('19.1 the staff command explains what is wrong with %j', async (args, sentence) => {
    const { code, output } = await staff(...args)
    expect(code).not.toBe(0)
    expect(output).toContain(sentence)
  })
})
