import { calls } from '#contract/api.ts'
import type { Db } from '#server/db/db.ts'
import type { Ground, Row, Scale } from '../drill.ts'
import { openHouse } from '../in-process-site/in-process-site.ts'
import { turnedClock } from '../in-process-site/virtual-clock.ts'
import { honestAddress } from '../test-data.ts'
import { createCaller } from '../visitor/http-client.ts'

const LONG = { requests: 10_000, sockets: 50 }
const SHORT = { requests: 400, sockets: 20 }

const REAL = '198.51.100.7'

type Forger = { name: string; settings: Record<string, string>; headers: (n: number) => Record<string, string> }

/** A made-up address, in every writing that somebody may believe. */
const forged = (n: number) =>
  [
    honestAddress(n),
    `2001:db8:${(n & 0xffff).toString(16)}::1`,
    `::ffff:${honestAddress(n)}`,
    `${honestAddress(n)}:4711`,
    `127.0.0.1, ${honestAddress(n)}`,
    `unknown-${n}`,
  ][n % 6] ?? ''

const everyHeader = (address: string): Record<string, string> => ({
  'x-forwarded-for': address,
  'x-real-ip': address,
  forwarded: `for="${address}"`,
  'cf-connecting-ip': address,
  'true-client-ip': address,
  'x-client-ip': address,
})

export const everyForgedHeader: Forger['headers'] = (n) => everyHeader(forged(n))

const forgers: Forger[] = [
  { name: 'sent to us directly', settings: {}, headers: everyForgedHeader },
  {
    name: 'sent through a trusted proxy, which adds the real address',
    settings: { TRUST_PROXY: 'loopback' },
    headers: (n) => ({ ...everyHeader(forged(n)), 'x-forwarded-for': `${forged(n)}, ${REAL}` }),
  },
]

/** Headers that name another visitor each time, over real sockets: all of them are one. */
export async function forgedHeaders(drill: Scale, ground: Ground): Promise<Row[]> {
  const rows: Row[] = []
  for (const forger of forgers) rows.push(await forge(drill, ground, forger))
  return rows
}

async function forge(drill: Scale, ground: Ground, { name, settings, headers }: Forger): Promise<Row> {
  const size = drill.short ? SHORT : LONG
  const clock = turnedClock()
  const place = await ground.fresh()
  const house = await openHouse(place, { now: clock.now, settings })
  const url = await house.app.listen({ port: 0, host: '127.0.0.1' })
  const { most } = house.world.config.LIMIT_LOOKUPS
  const statuses = await lookUpOften(url, headers, size, (next) =>
    drill.progress(ground.name, `abuse · forged headers ${name}: ${next} of ${size.requests}`),
  )
  const counted = await visitorsCounted(house.world.db)
  await house.close()
  await place.remove()
  return {
    done: `${size.requests} lookups with forged headers ${name}`,
    asked: `one visitor, who may do ${most} an hour`,
    found: `${counted} visitors; answered ${inWords(statuses)}`,
    passed: counted === 1 && statuses.get(200) === most && statuses.get(429) === size.requests - most,
  }
}

type Often = { requests: number; sockets: number; localAddress?: string }

/** One caller, who names another visitor each time. Tells how often each status was the answer. */
export async function lookUpOften(
  url: string,
  headers: Forger['headers'],
  { requests, sockets, localAddress }: Often,
  progress: (next: number) => void,
): Promise<Map<number, number>> {
  const caller = createCaller(url, sockets, localAddress)
  const body = { username: 'somebody' }
  const statuses = new Map<number, number>()
  let next = 0
  const lane = async () => {
    while (next < requests) {
      const asking = { body, headers: headers(next++) }
      const { status } = await caller.call('POST', calls.validateUsername.path, asking)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      progress(next)
    }
  }
  await Promise.all(Array.from({ length: sockets }, lane))
  caller.close()
  return statuses
}

/** How many visitors have looked something up, as the limit counts them. */
export async function visitorsCounted(db: Db): Promise<number> {
  const counted = await db
    .selectFrom('limit_count')
    .select('key')
    .distinct()
    .where('name', '=', 'LIMIT_LOOKUPS')
    .execute()
  return counted.length
}

export const inWords = (statuses: Map<number, number>): string =>
  [...statuses].map(([status, times]) => `${times} with ${status}`).join(', ')
