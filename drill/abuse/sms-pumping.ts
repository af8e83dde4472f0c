import { calls } from '#contract/api.ts'
import { refusals } from '#server/abuse/limits.ts'
import type { SmsGateway } from '#server/gateways/sms/port.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import { createSolutionPool } from '../in-process-site/captcha-solutions.ts'
import { openInProcessSite } from '../in-process-site/in-process-site.ts'
import { createVirtualClock } from '../in-process-site/virtual-clock.ts'
import type { Backend } from '../site/backends.ts'
import { attackerAddress } from '../test-data.ts'
import { refusalsSince } from './card-testing.ts'

const LONG = { requests: 100_000, addresses: 10_000, burstSize: 200 }
const SHORT = { requests: 2_000, addresses: 200, burstSize: 100 }
const HOURS = 24
const DAY_MS = 86_400_000

/** Number blocks where codes may be sent, and where they may not, including islands behind +1. */
const allowedBlocks = [
  '+1201',
  '+1212',
  '+1305',
  '+1312',
  '+1415',
  '+1512',
  '+1602',
  '+1702',
  '+1416',
  '+1604',
].flatMap((area) => ['220', '331', '442', '553'].map((exchange) => `${area}${exchange}`))
const forbiddenBlocks = [
  ...['+1876220', '+1876331', '+1809220', '+1829331', '+1268464', '+1284496', '+1649231', '+4477009'],
  ...['+3712000', '+960770'],
]
const blocks = [...allowedBlocks, ...forbiddenBlocks]

/** SMS pumping: attackers who earn on every message request codes for a whole day and confirm none. */
export async function smsPumping(run: DrillRun, backend: Backend): Promise<ReportRow> {
  const size = run.short ? SHORT : LONG
  const clock = createVirtualClock()
  const messages: { at: number; isAllowed: boolean }[] = []
  let messagesUntilOpen = 0
  const workspace = await backend.createWorkspace()
  const site = await openInProcessSite(workspace, {
    now: clock.now,
    settings: { PHONE_VERIFICATION: 'on' },
    wrapGateways: ({ sms }) => ({
      sms: withCounter(sms, (phone) => {
        const isAllowed = allowedBlocks.some((block) => phone.startsWith(block))
        messages.push({ at: clock.now().getTime(), isAllowed })
      }),
    }),
    onLogLine: (line) => {
      if (line.includes('"breaker":"codes"')) messagesUntilOpen ||= messages.length
      else run.print(`  ${line.slice(0, 300)}`)
    },
  })
  const refusalsBefore = new Map(refusals)
  const solutions = createSolutionPool(site)
  const answers = new Map<string, number>()

  const requestCode = async (n: number, mayRetry = true): Promise<void> => {
    const block = blocks[n % blocks.length] ?? ''
    const phone_number = `${block}${1000 + (Math.floor(n / blocks.length) % 9000)}`
    const captcha = await solutions.take()
    const address = attackerAddress(n % size.addresses)
    const path = n % 10 === 0 ? calls.verifyCall.path : calls.sendVerificationCode.path
    const body = { phone_number, cellphone: phone_number, captcha: captcha.text }
    const reply = await site.post(path, body, { address })
    const { status, success, fields } = reply.json()
    const isSent = status === 1 || success === true
    if (fields?.captcha && mayRetry) return requestCode(n, false) // the solution had been used before
    if (!isSent && !fields?.captcha) solutions.putBack(captcha)
    const answer = isSent ? 'sent' : `${reply.statusCode}`
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  const bursts = Math.ceil(size.requests / size.burstSize)
  await clock.runAll([
    async () => {
      for (let burst = 0; burst < bursts; burst++) {
        await clock.sleep((HOURS * 3600) / bursts)
        await Promise.all(Array.from({ length: size.burstSize }, (_, n) => requestCode(burst * size.burstSize + n)))
        run.showProgress(
          backend.name,
          `abuse · SMS pumping: ${(burst + 1) * size.burstSize} of ${size.requests} requests, ${messages.length} sent, ${Math.round(clock.elapsedSeconds() / 3600)} h`,
        )
      }
    },
  ])
  const { max: maxPerDay } = site.world.config.LIMIT_CODES
  await site.close()
  await workspace.remove()
  run.print(
    `  answers to requests for codes: ${[...answers].map(([answer, count]) => `${answer} ${count}`).join(', ')}`,
  )
  run.print(`  refusals, SMS pumping: ${refusalsSince(refusalsBefore)}`)

  const byDay = Map.groupBy(messages, ({ at }) => Math.floor(at / DAY_MS))
  const worstDay = Math.max(0, ...[...byDay.values()].map(({ length }) => length))
  const worst24Hours = Math.max(
    0,
    ...messages.map(({ at }) => messages.filter((one) => one.at >= at && one.at < at + DAY_MS).length),
  )
  const toForbidden = messages.filter(({ isAllowed }) => !isAllowed).length
  return {
    action: `${size.requests} requests for codes from ${size.addresses} addresses to ${blocks.length} number blocks in ${HOURS} h, ${size.burstSize} at the same time`,
    expected: `≤ ${maxPerDay} messages a day, none to a country that is not allowed, the breaker opens`,
    result: `${worstDay} on the worst day, ${worst24Hours} in the worst 24 h, ${toForbidden} to other countries; ${messagesUntilOpen ? `breaker opened after ${messagesUntilOpen} messages` : 'the breaker did not open'}`,
    passed:
      worstDay <= maxPerDay &&
      worst24Hours <= maxPerDay &&
      toForbidden === 0 &&
      messagesUntilOpen > 0 &&
      messages.length > 0,
  }
}

const withCounter = (sms: SmsGateway, onSend: (phone: string) => void): SmsGateway => ({
  ...sms,
  send: (phone, channel) => {
    onSend(phone)
    return sms.send(phone, channel)
  },
})
