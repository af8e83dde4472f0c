import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/db.ts'
import { testDatabase } from '#server/test/database.ts'
import { freePort } from '../../../scripts/port.mjs'
import { captchaEmulator, type Fault, faults } from './emulator.ts'
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
  let said: { level: string; about: Record<string, unknown> }[] = []

  beforeEach(async () => {
    const port = await freePort()
    base_url = `http://127.0.0.1:${port}`
    emulator = await captchaEmulator({ ...account, vendor: name, port })
    said = []
  })
  afterEach(() => emulator.close())

  const log = {
    error: (about: Record<string, unknown>) => said.push({ level: 'error', about }),
    info: (about: Record<string, unknown>) => said.push({ level: 'info', about }),
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

  it('takes a token that was solved on a page of ours, and sends no more than it must', async () => {
    const token = emulator.issue('join.foyer.test')
    expect(await open().verify(token, 'zoe')).toBe(true)
    expect(Object.fromEntries(emulator.received[0] ?? [])).toEqual({ secret: account.secret, response: token })
    const kept = await database.db.selectFrom('one_time_key').selectAll().where('used_by', '=', 'zoe').execute()
    expect(JSON.stringify(kept)).not.toContain(token)
  })

  it('takes it from one, whichever process sees it, also when many bring it at once', async () => {
    const token = emulator.issue('foyer.test')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, who) => open().verify(token, `${who}`)))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await open().verify(token, 'another')).toBe(false)
  })

  it('takes it again from the same one, at once or later, and does not ask the vendor twice', async () => {
    const token = emulator.issue('foyer.test')
    const answers = await Promise.all(Array.from({ length: 5 }, () => open().verify(token, 'the same')))
    expect(answers).toEqual([true, true, true, true, true])
    const asked = emulator.received.length
    expect(await open().verify(token, 'the same')).toBe(true)
    expect(emulator.received).toHaveLength(asked)
  })

  it.each(['', 'made up', 'x'.repeat(10_000)])('refuses a token that nobody issued: %#', async (token) => {
    expect(await open().verify(token, 'x')).toBe(false)
  })

  it('refuses a token that was solved elsewhere', async () => {
    expect(await open().verify(emulator.issue('evil.test'), 'x')).toBe(false)
    expect(await open().verify(emulator.issue(''), 'x')).toBe(false)
    expect(await open().verify(emulator.issue('not-provided'), 'x')).toBe(name === 'hcaptcha')
  })

  it('refuses everybody with a wrong secret, and tells the operator', async () => {
    expect(await open({ secret: 'wrong' }).verify(emulator.issue('foyer.test'), 'x')).toBe(false)
    expect(said).toEqual([{ level: 'error', about: { captcha: name, codes: ['invalid-input-secret'] } }])
  })

  it.each(name === 'turnstile' ? faults : faults.filter((fault) => fault !== 'slow'))(
    'fails closed when the answer is %s',
    async (fault: Fault) => {
      emulator.plan(fault)
      expect(await open().verify(emulator.issue('foyer.test'), 'x')).toBe(false)
      expect(said[0]?.level).toBe('error')
      expect(JSON.stringify(said)).not.toContain(account.secret)
    },
  )

  it('fails closed when nobody is there', async () => {
    const nobody = open({ base_url: `http://127.0.0.1:${await freePort()}` })
    expect(await nobody.verify(emulator.issue('foyer.test'), 'x')).toBe(false)
  })
})
