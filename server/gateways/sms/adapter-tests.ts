import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SmsGateway } from './port.ts'

type Opened = {
  gateway: SmsGateway
  /** The code in the last message to this number. */
  codeTo: (mobile_phone: string) => Promise<string>
  /** Turns the gateway's clock on. */
  pass: (seconds: number) => void
  close: () => Promise<unknown>
}

/** What Foyer relies on, whoever sends the codes. Numbers ending in 0404 take no SMS, in 0500 nobody answers. */
export const testSmsAdapter = (name: string, open: () => Promise<Opened>) =>
  describe(`the phone gateway ${name}`, () => {
    let opened: Opened
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    const send = async (mobile_phone: string, channel: 'sms' | 'call' = 'sms') => {
      expect(await opened.gateway.send(mobile_phone, channel)).toBe('sent')
      return opened.codeTo(mobile_phone)
    }
    const check = (mobile_phone: string, code: string) => opened.gateway.check(mobile_phone, code)

    it('sends a code of six digits that confirms once', async () => {
      const code = await send('+12025550131')
      expect(code).toMatch(/^\d{6}$/)
      expect(await check('+12025550131', code)).toBe('right')
      expect(await check('+12025550131', code)).toBe('gone')
    })

    it('tells a wrong code, and takes the right one after it', async () => {
      const code = await send('+12025550132')
      expect(await check('+12025550132', differentCode(code))).toBe('wrong')
      expect(await check('+12025550132', code)).toBe('right')
    })

    it('takes a code for its own number only', async () => {
      const code = await send('+12025550133')
      expect(await check('+12025550134', code)).toBe('gone')
      const other = await send('+12025550134')
      if (other !== code) expect(await check('+12025550134', code)).toBe('wrong')
    })

    it('gives five tries, and after ten minutes a new code', async () => {
      const code = await send('+12025550135')
      for (let tries = 0; tries < 5; tries++) expect(await check('+12025550135', differentCode(code))).toBe('wrong')
      expect(await check('+12025550135', code)).toBe('gone')
      opened.pass(601)
      expect(await check('+12025550135', await send('+12025550135'))).toBe('right')
    })

    it('lets a code go after ten minutes, not before', async () => {
      const code = await send('+12025550136')
      opened.pass(590)
      expect(await check('+12025550136', differentCode(code))).toBe('wrong')
      opened.pass(11)
      expect(await check('+12025550136', code)).toBe('gone')
    })

    it('when a code is sent again, the last message is good and an earlier one only if it says the same', async () => {
      const first = await send('+12025550137')
      opened.pass(30)
      const second = await send('+12025550137', 'call')
      if (first !== second) expect(await check('+12025550137', first)).toBe('wrong')
      expect(await check('+12025550137', second)).toBe('right')
    })

    it('after one is used the next code is another', async () => {
      const first = await send('+12025550138')
      await check('+12025550138', first)
      opened.pass(30)
      const second = await send('+12025550138')
      if (first !== second) expect(await check('+12025550138', first)).toBe('wrong') // alike once in a million
      expect(await check('+12025550138', second)).toBe('right')
    })

    it('calls a number that takes no messages', async () => {
      expect(await opened.gateway.send('+12025550404', 'sms')).toBe('unreachable')
      expect(await check('+12025550404', await send('+12025550404', 'call'))).toBe('right')
    })

    it('does not know what became of it when nobody answers, and says so soon', async () => {
      const started = performance.now()
      expect(await opened.gateway.send('+12025550500', 'sms')).toBe('unknown')
      expect(performance.now() - started).toBeLessThan(1_500)
    })

    it('takes a code from one of a hundred who bring it at once', async () => {
      const code = await send('+12025550139')
      const checks = await Promise.all(Array.from({ length: 100 }, () => check('+12025550139', code)))
      expect(checks.filter((checked) => checked === 'right')).toHaveLength(1)
      expect(checks.filter((checked) => checked === 'gone')).toHaveLength(99)
    })

    it('gives no more than five tries to a hundred who guess at once', async () => {
      const code = await send('+12025550140')
      const checks = await Promise.all(Array.from({ length: 100 }, () => check('+12025550140', differentCode(code))))
      expect(checks.filter((checked) => checked === 'wrong')).toHaveLength(5)
      expect(checks.filter((checked) => checked === 'gone')).toHaveLength(95)
    })
  })

/** A code of the same shape that is not this one. */
export const differentCode = (code: string) => (code === '111111' ? '222222' : '111111')
