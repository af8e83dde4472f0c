import { calls } from '#contract/api.ts'
import { refusals } from '#server/abuse/limits.ts'
import type { SmsGateway } from '#server/gateways/sms/port.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { purse } from '../in-process-site/captcha-solutions.ts'
import { openHouse } from '../in-process-site/in-process-site.ts'
import { turnedClock } from '../in-process-site/virtual-clock.ts'
import { thiefAddress } from '../test-data.ts'
import { since } from './card-testing.ts'

const LONG = { requests: 100_000, addresses: 10_000, atOnce: 200 }
const SHORT = { requests: 2_000, addresses: 200, atOnce: 100 }
const HOURS = 24
const DAY_MS = 86_400_000

/** Forty blocks where codes may go, and ten where they may not: islands behind +1 among them. */
const allowed = ['+1201', '+1212', '+1305', '+1312', '+1415', '+1512', '+1602', '+1702', '+1416', '+1604'].flatMap(
  (area) => ['220', '331', '442', '553'].map((exchange) => `${area}${exchange}`),
)
const forbidden = ['+1876220', '+1876331', '+1809220', '+1829331', '+1268464', '+1284496', '+1649231', '+4477009']
const farOff = ['+3712000', '+960770']
const blocks = [...allowed, ...forbidden, ...farOff].map((block) => ({ block, mayGo: allowed.includes(block) }))

/** Somebody earns on every message: a day of requests for codes that nobody will ever confirm. */
export async function pumpedCodes(drill: Scale, ground: Ground): Promise<Row> {
  const size = drill.short ? SHORT : LONG
  const clock = turnedClock()
  const sent: { at: number; mayGo: boolean }[] = []
  let untilOpen = 0
  const place = await ground.fresh()
  const house = await openHouse(place, {
    now: clock.now,
    settings: { PHONE_VERIFICATION: 'on' },
    dress: ({ sms }) => ({
      sms: watched(sms, (phone) => {
        const mayGo = allowed.some((block) => phone.startsWith(block))
        sent.push({ at: clock.now().getTime(), mayGo })
      }),
    }),
    hear: (line) => {
      if (line.includes('"breaker":"codes"')) untilOpen ||= sent.length
      else drill.say(`  ${line.slice(0, 300)}`)
    },
  })
  const before = new Map(refusals)
  const solutions = purse(house)
  const statuses = new Map<string, number>()

  const ask = async (n: number, again = true): Promise<void> => {
    const { block } = blocks[n % blocks.length] ?? { block: '' }
    const phone_number = `${block}${1000 + (Math.floor(n / blocks.length) % 9000)}`
    const captcha = await solutions.take()
    const address = thiefAddress(n % size.addresses)
    const path = n % 10 === 0 ? calls.verifyCall.path : calls.sendVerificationCode.path
    const body = { phone_number, cellphone: phone_number, captcha: captcha.text }
    const reply = await house.post(path, body, { address })
    const told = reply.json()
    const isSent = told.status === 1 || told.success === true
    if (told.fields?.captcha && again) return ask(n, false) // it had been used up
    if (!isSent && !told.fields?.captcha) solutions.putBack(captcha)
    const word = isSent ? 'sent' : `${reply.statusCode}`
    statuses.set(word, (statuses.get(word) ?? 0) + 1)
  }
  const bursts = Math.ceil(size.requests / size.atOnce)
  await clock.live([
    async () => {
      for (let burst = 0; burst < bursts; burst++) {
        await clock.sleep((HOURS * 3600) / bursts)
        await Promise.all(Array.from({ length: size.atOnce }, (_, one) => ask(burst * size.atOnce + one)))
        drill.progress(
          ground.name,
          `abuse · codes: ${(burst + 1) * size.atOnce} of ${size.requests} asked for, ${sent.length} sent, ${Math.round(clock.passed() / 3600)} h`,
        )
      }
    },
  ])
  const { most } = house.world.config.LIMIT_CODES
  await house.close()
  await place.remove()
  drill.say(`  answers to requests for codes: ${[...statuses].map(([word, times]) => `${word} ${times}`).join(', ')}`)
  drill.say(`  refused, codes: ${since(before)}`)

  const byDay = Map.groupBy(sent, ({ at }) => Math.floor(at / DAY_MS))
  const worstDay = Math.max(0, ...[...byDay.values()].map(({ length }) => length))
  const worst24 = Math.max(
    0,
    ...sent.map(({ at }) => sent.filter((one) => one.at >= at && one.at < at + DAY_MS).length),
  )
  const astray = sent.filter(({ mayGo }) => !mayGo).length
  return {
    done: `${size.requests} requests for codes from ${size.addresses} addresses over ${blocks.length} blocks of numbers in ${HOURS} h, ${size.atOnce} at once`,
    asked: `≤ ${most} a day, none to a country that is not allowed, the breaker opens`,
    found: `${worstDay} on the worst day, ${worst24} in the worst 24 h, ${astray} to other countries; breaker open after ${untilOpen || 'no'} messages`,
    passed: worstDay <= most && worst24 <= most && astray === 0 && untilOpen > 0 && sent.length > 0,
  }
}

const watched = (sms: SmsGateway, hear: (phone: string) => void): SmsGateway => ({
  ...sms,
  send: (phone, channel) => {
    hear(phone)
    return sms.send(phone, channel)
  },
})
