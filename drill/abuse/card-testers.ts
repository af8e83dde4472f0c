import { randomUUID } from 'node:crypto'
import { calls } from '#contract/api.ts'
import { purse } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type House, type Reply } from '../in-process-site/in-process-site.ts'
import type { TurnedClock } from '../in-process-site/virtual-clock.ts'
import { americanPhone, answersOf, thiefAddress } from '../test-data.ts'
import { readCode } from './legitimate-visitor.ts'

/** Where phones of thieves begin, far from those of honest people. */
const PHONES_FROM = 100_000
/** Anybody's: they are never called. */
const FRESH_PHONES = 200_000
const REST_SECONDS = 600
const BETWEEN_SECONDS = 60

type Theft = { address: string; card: string; enrollment?: string; attempt?: number; phone?: string }

/** People with stolen cards, good captchas and a fresh name for every try. They open no page, so nobody times them. */
export function gangOf(house: House, clock: TurnedClock) {
  let names = 0
  const solutions = purse(house)

  /** One stolen card, tried once. */
  async function tryOut(theft: Theft, again = true): Promise<Reply> {
    const { address, card, enrollment = randomUUID(), attempt = 1, phone = americanPhone(FRESH_PHONES + names) } = theft
    const solution = await solutions.take()
    const body = { ...answersOf(`thief${++names}`, phone, card), captcha: solution.text }
    const from = { address, key: `${enrollment}.${attempt}` }
    const reply = await house.post(calls.addEnrollment.path, body, from)
    if (reply.json().fields?.captcha && again) return tryOut(theft, false)
    if (reply.statusCode === 429 || reply.json().fields?.code) solutions.putBack(solution)
    return reply
  }

  /** One of them has a phone, confirms it for one enrollment after the other, and tries cards until each is refused. */
  async function withPhone(n: number, nextCard: () => string | undefined, until: number): Promise<void> {
    const phone = americanPhone(PHONES_FROM + 1 + n)
    const address = thiefAddress(1_000_000 + n)
    await clock.sleep(BETWEEN_SECONDS)
    while (clock.passed() < until) {
      const { text } = await solutions.take()
      const sent = await house.post(
        calls.sendVerificationCode.path,
        { phone_number: phone, captcha: text },
        { address },
      )
      if (sent.json().status !== 1) {
        await clock.sleep(REST_SECONDS)
        continue
      }
      const cookie = cookieOf(sent)
      const enrollment = decodeURIComponent(cookie).split(/[=.]/)[1] ?? ''
      const code = await readCode(house, phone)
      await house.post(calls.verifyCode.path, { phone_number: phone, code }, { address, cookie })
      for (let attempt = 1; ; attempt++) {
        const card = nextCard()
        if (!card) return
        const reply = await tryOut({ address, card, enrollment, attempt, phone })
        if (reply.json().payment !== 'Declined') break
      }
      await clock.sleep(BETWEEN_SECONDS)
    }
  }

  return { tryOut, withPhone }
}
