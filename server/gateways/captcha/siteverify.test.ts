import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { captchaEmulator, type Fault, faults } from '#emulators/captcha.ts'
import type { Database } from '#server/db/db.ts'
import { testDatabase } from '#server/test/database.ts'
import { freePort } from '../../../scripts/port.mjs'
import { siteverify } from './siteverify.ts'
import { type VendorName, vendorAt, vendors } from './vendors.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const account = { site_key: 'a site key', secret: 'a secret & more' }

describe.each(Object.keys(vendors) as VendorName[])('the captcha of %s', (name) => {
  let emulator: Awaited<ReturnType<typeof captchaEmulator>>
  let base_url: string
  let logged: { level: string; details: Record<string, unknown> }[] = []

  beforeEach(async () => {
    const port = await freePort()
    base_url = `http://127.0.0.1:${port}`
    emulator = await captchaEmulator({ ...account, vendor: name, port })
    logged = []
  })
  afterEach(() => emulator.close())

  const log = {
    error: (details: Record<string, unknown>) => logged.push({ level: 'error', details }),
    info: (details: Record<string, unknown>) => logged.push({ level: 'info', details }),
  }
  const open = (changes: { secret?: string; base_url?: string } = {}) =>
    siteverify({
      name,
      vendor: vendorAt(name, changes.base_url ?? base_url),
      ...account,
      hosts: ['foyer.test', 'join.foyer.test'],
      db: database.db,
      now: () => new Date('2026-11-15T12:00:00Z'),
      log,
      ...(changes.secret ? { secret: changes.secret } : {}),
    })

  it('accepts a token from one of our pages, and sends only what is required', async () => {
    const token = emulator.issue('join.foyer.test')
    expect(await open().verify(token, 'zoe')).toBe(true)
    expect(Object.fromEntries(emulator.received[0] ?? [])).toEqual({ secret: account.secret, response: token })
    const rows = await database.db.selectFrom('one_time_key').selectAll().where('used_by', '=', 'zoe').execute()
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('accepts a token from one user, across processes, even if many send it at the same time', async () => {
    const token = emulator.issue('foyer.test')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, user) => open().verify(token, `${user}`)))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await open().verify(token, 'another')).toBe(false)
  })

  it('accepts it again from the same user, at once or later, without asking the vendor twice', async () => {
    const token = emulator.issue('foyer.test')
    const answers = await Promise.all(Array.from({ length: 5 }, () => open().verify(token, 'the same')))
    expect(answers).toEqual([true, true, true, true, true])
    const requests = emulator.received.length
    expect(await open().verify(token, 'the same')).toBe(true)
    expect(emulator.received).toHaveLength(requests)
  })

  it.each(['', 'made up', 'x'.repeat(10_000)])('rejects an invalid token: %#', async (token) => {
    expect(await open().verify(token, 'x')).toBe(false)
  })

  it('rejects a token from another site', async () => {
    expect(await open().verify(emulator.issue('evil.test'), 'x')).toBe(false)
    expect(await open().verify(emulator.issue(''), 'x')).toBe(false)
    expect(await open().verify(emulator.issue('not-provided'), 'x')).toBe(name === 'hcaptcha')
  })

  it('rejects everything with a wrong secret, and logs it', async () => {
    expect(await open({ secret: 'wrong' }).verify(emulator.issue('foyer.test'), 'x')).toBe(false)
    expect(logged).toEqual([{ level: 'error', details: { captcha: name, codes: ['invalid-input-secret'] } }])
  })

  it.each(name === 'turnstile' ? faults : faults.filter((fault) => fault !== 'slow'))(
    'fails closed when the response is %s',
    async (fault: Fault) => {
      emulator.plan(fault)
      expect(await open().verify(emulator.issue('foyer.test'), 'x')).toBe(false)
      expect(logged[0]?.level).toBe('error')
      expect(JSON.stringify(logged)).not.toContain(account.secret)
    },
  )

  it('fails closed when the vendor cannot be reached', async () => {
    const unreachable = open({ base_url: `http://127.0.0.1:${await freePort()}` })
    expect(await unreachable.verify(emulator.issue('foyer.test'), 'x')).toBe(false)
  })
})
