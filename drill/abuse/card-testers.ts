import { randomUUID } from 'node:crypto'
import { calls } from '#contract/api.ts'
import { createSolutionPool } from '../in-process-site/captcha-solutions.ts'
import { cookieOf, type InProcessSite, type Reply } from '../in-process-site/in-process-site.ts'
import type { VirtualClock } from '../in-process-site/virtual-clock.ts'
import { americanPhone, attackerAddress, formAnswers } from '../test-data.ts'
import { readCode } from './legitimate-visitor.ts'

/** The attackers' own phones, far from those of legitimate visitors. */
const FIRST_OWN_PHONE = 100_000
/** Numbers of strangers, never called. */
const FIRST_RANDOM_PHONE = 200_000
const RETRY_SECONDS = 600
const PAUSE_SECONDS = 60

type CardTest = { address: string; card: string; enrollment?: string; attempt?: number; phone?: string }

/** Attackers with stolen cards, solved captchas and a new name for every try. They open no page. */
export function createCardTesters(site: InProcessSite, clock: VirtualClock) {
  let names = 0
  const solutions = createSolutionPool(site)

  async function tryCard(test: CardTest, mayRetry = true): Promise<Reply> {
    const {
      address,
      card,
      enrollment = randomUUID(),
      attempt = 1,
      phone = americanPhone(FIRST_RANDOM_PHONE + names),
    } = test
    const solution = await solutions.take()
    const body = { ...formAnswers(`tester${++names}`, phone, card), captcha: solution.text }
    const sender = { address, key: `${enrollment}.${attempt}` }
    const reply = await site.post(calls.addEnrollment.path, body, sender)
    if (reply.json().fields?.captcha && mayRetry) return tryCard(test, false)
    if (reply.statusCode === 429 || reply.json().fields?.code) solutions.putBack(solution)
    return reply
  }

  /** Confirms an own phone for one enrollment after another, and tries cards in each until it is refused. */
  async function testWithConfirmedPhone(
    n: number,
    nextCard: () => string | undefined,
    endSeconds: number,
  ): Promise<void> {
    const phone = americanPhone(FIRST_OWN_PHONE + 1 + n)
    const address = attackerAddress(1_000_000 + n)
    await clock.sleep(PAUSE_SECONDS)
    while (clock.elapsedSeconds() < endSeconds) {
      const { text } = await solutions.take()
      const codeReply = await site.post(
        calls.sendVerificationCode.path,
        { phone_number: phone, captcha: text },
        { address },
      )
      if (codeReply.json().status !== 1) {
        await clock.sleep(RETRY_SECONDS)
        continue
      }
      const cookie = cookieOf(codeReply)
      const enrollment = decodeURIComponent(cookie).split(/[=.]/)[1] ?? ''
      const code = await readCode(site, phone)
      await site.post(calls.verifyCode.path, { phone_number: phone, code }, { address, cookie })
      for (let attempt = 1; ; attempt++) {
        const card = nextCard()
        if (!card) return
        const reply = await tryCard({ address, card, enrollment, attempt, phone })
        if (reply.json().payment !== 'Declined') break
      }
      await clock.sleep(PAUSE_SECONDS)
    }
  }

  return { tryCard, testWithConfirmedPhone }
}
