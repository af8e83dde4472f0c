import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SmsGateway } from '#server/gateways/sms/port.ts'

type TestSetup = {
  gateway: SmsGateway
  /** The same with a short deadline, unless it never waits. A response that comes later would not be unknown. */
  hurried?: SmsGateway
  /** The code in the last message to this number. */
  codeTo: (mobile_phone: string) => Promise<string>
  /** Moves the gateway's clock forward. */
  advance: (seconds: number) => void
  close: () => Promise<unknown>
}

/** Tests that every phone adapter must pass. Numbers ending in 0404 cannot receive SMS; those in 0500 get no response. */
export const testSmsAdapter = (name: string, open: () => Promise<TestSetup>) =>
  describe(`the phone gateway ${name}`, () => {
    let setup: TestSetup
    beforeAll(async () => {
      setup = await open()
    })
    afterAll(() => setup.close())

    const send = async (mobile_phone: string, channel: 'sms' | 'call' = 'sms') => {
      expect(await setup.gateway.send(mobile_phone, channel)).toBe('sent')
      return setup.codeTo(mobile_phone)
    }
    const check = (mobile_phone: string, code: string) => setup.gateway.check(mobile_phone, code)

    it('20.7 accepts our account', async () => expect(await setup.gateway.checkAccount()).toEqual({ state: 'ok' }))

    it('sends a six-digit code that works once', async () => {
      const code = await send('+12025550131')
      expect(code).toMatch(/^\d{6}$/)
      expect(await check('+12025550131', code)).toBe('right')
      expect(await check('+12025550131', code)).toBe('gone')
    })

    it('rejects a wrong code, and then accepts the right one', async () => {
      const code = await send('+12025550132')
      expect(await check('+12025550132', differentCode(code))).toBe('wrong')
      expect(await check('+12025550132', code)).toBe('right')
    })

    it('accepts a code only for its own number', async () => {
      const code = await send('+12025550133')
      expect(await check('+12025550134', code)).toBe('gone')
      const other = await send('+12025550134')
      if (other !== code) expect(await check('+12025550134', code)).toBe('wrong')
    })

    it('allows five tries, and a new code after ten minutes', async () => {
      const code = await send('+12025550135')
      for (let tries = 0; tries < 5; tries++) expect(await check('+12025550135', differentCode(code))).toBe('wrong')
      expect(await check('+12025550135', code)).toBe('gone')
      setup.advance(601)
      expect(await check('+12025550135', await send('+12025550135'))).toBe('right')
    })

    it('expires a code after ten minutes, not before', async () => {
      const code = await send('+12025550136')
      setup.advance(590)
      expect(await check('+12025550136', differentCode(code))).toBe('wrong')
      setup.advance(11)
      expect(await check('+12025550136', code)).toBe('gone')
    })

    it('accepts only the code of the last message', async () => {
      const first = await send('+12025550137')
      setup.advance(30)
      const second = await send('+12025550137', 'call')
      if (first !== second) expect(await check('+12025550137', first)).toBe('wrong')
      expect(await check('+12025550137', second)).toBe('right')
    })

    it('sends a new code after one was used', async () => {
      const first = await send('+12025550138')
      await check('+12025550138', first)
      setup.advance(30)
      const second = await send('+12025550138')
      if (first !== second) expect(await check('+12025550138', first)).toBe('wrong') // equal once in a million
      expect(await check('+12025550138', second)).toBe('right')
    })

    it('calls a number that cannot receive SMS', async () => {
      expect(await setup.gateway.send('+12025550404', 'sms')).toBe('unreachable')
      expect(await check('+12025550404', await send('+12025550404', 'call'))).toBe('right')
    })

    it('returns unknown when the vendor does not respond', async () => {
      expect(await (setup.hurried ?? setup.gateway).send('+12025550500', 'sms')).toBe('unknown')
    })

    it('accepts a code once, even from a hundred requests at the same time', async () => {
      const code = await send('+12025550139')
      const checks = await Promise.all(Array.from({ length: 100 }, () => check('+12025550139', code)))
      expect(checks.filter((checked) => checked === 'right')).toHaveLength(1)
      expect(checks.filter((checked) => checked === 'gone')).toHaveLength(99)
    })

    it('allows no more than five tries, even in a hundred requests at the same time', async () => {
      const code = await send('+12025550140')
      const checks = await Promise.all(Array.from({ length: 100 }, () => check('+12025550140', differentCode(code))))
      expect(checks.filter((checked) => checked === 'wrong')).toHaveLength(5)
      expect(checks.filter((checked) => checked === 'gone')).toHaveLength(95)
    })
  })

/** A valid code other than this one. */
export const differentCode = (code: string) => (code === '111111' ? '222222' : '111111')
