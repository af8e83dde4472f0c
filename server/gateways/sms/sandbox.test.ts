import { expect, it } from 'vitest'
import { testSmsAdapter } from '#emulators/adapter-tests/sms.ts'
import { sha256 } from '#server/secrets/secrets.ts'
import { testDatabase } from '#server/test/database.ts'
import { sandboxSms } from './sandbox.ts'

const open = async () => {
  const { db, close } = await testDatabase()
  let time = new Date('2026-11-15T12:00:00Z').getTime()
  return {
    db,
    gateway: sandboxSms({ db, now: () => new Date(time), hmacs: (text) => [sha256(text)], host: 'foyer.test' }),
    codeTo: async (mobile_phone: string) => {
      const { body } = await db
        .selectFrom('message')
        .select('body')
        .where('recipient', '=', mobile_phone)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      return /\d{6}/.exec(body)?.[0] ?? ''
    },
    advance: (seconds: number) => {
      time += seconds * 1000
    },
    close,
  }
}

testSmsAdapter('sandbox', open)

it('stores only a hash of the code', async () => {
  const { db, gateway, codeTo, close } = await open()
  await gateway.send('+12025550141', 'sms')
  const row = await db.selectFrom('sandbox_code').selectAll().executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(await codeTo('+12025550141'))
  await close()
})
