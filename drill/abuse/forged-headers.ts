import { calls } from '#contract/api.ts'
import type { Db } from '#server/db/db.ts'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { openInProcessSite } from '../in-process-site/in-process-site.ts'
import { createVirtualClock } from '../in-process-site/virtual-clock.ts'
import type { Backend } from '../site/backends.ts'
import { visitorAddress } from '../test-data.ts'
import { createHttpClient } from '../visitor/http-client.ts'

const LONG = { requests: 10_000, sockets: 50 }
const SHORT = { requests: 400, sockets: 20 }

const REAL_ADDRESS = '198.51.100.7'

type Forgery = { name: string; settings: Record<string, string>; headers: (n: number) => Record<string, string> }

/** A forged address, in every notation that a server might accept. */
const forgedAddress = (n: number) =>
  [
    visitorAddress(n),
    `2001:db8:${(n & 0xffff).toString(16)}::1`,
    `::ffff:${visitorAddress(n)}`,
    `${visitorAddress(n)}:4711`,
    `127.0.0.1, ${visitorAddress(n)}`,
    `unknown-${n}`,
  ][n % 6] ?? ''

const addressHeaders = (address: string): Record<string, string> => ({
  'x-forwarded-for': address,
  'x-real-ip': address,
  forwarded: `for="${address}"`,
  'cf-connecting-ip': address,
  'true-client-ip': address,
  'x-client-ip': address,
})

export const forgedAddressHeaders: Forgery['headers'] = (n) => addressHeaders(forgedAddress(n))

const forgeries: Forgery[] = [
  { name: 'sent directly', settings: {}, headers: forgedAddressHeaders },
  {
    name: 'sent through a trusted proxy, which adds the real address',
    settings: { TRUST_PROXY: 'loopback' },
    headers: (n) => ({ ...forgedAddressHeaders(n), 'x-forwarded-for': `${forgedAddress(n)}, ${REAL_ADDRESS}` }),
  },
]

/** One client, over real sockets, whose headers name a different visitor each time. It must count as one visitor. */
export const forgedHeaders: Drill = async (run, backend) => {
  const rows: ReportRow[] = []
  for (const forgery of forgeries) rows.push(await runForgery(run, backend, forgery))
  return rows
}

async function runForgery(run: DrillRun, backend: Backend, { name, settings, headers }: Forgery): Promise<ReportRow> {
  const size = run.short ? SHORT : LONG
  const clock = createVirtualClock()
  const workspace = await backend.createWorkspace()
  const site = await openInProcessSite(workspace, { now: clock.now, settings })
  const url = await site.app.listen({ port: 0, host: '127.0.0.1' })
  const { max: maxPerHour } = site.world.config.LIMIT_LOOKUPS
  const statuses = await sendLookups(url, headers, size, (count) =>
    run.showProgress(backend.name, `abuse · forged headers ${name}: ${count} of ${size.requests}`),
  )
  const visitors = await countVisitors(site.world.db)
  await site.close()
  await workspace.remove()
  return {
    action: `${size.requests} lookups with forged headers ${name}`,
    expected: `counted as one visitor, with ${maxPerHour} lookups an hour`,
    result: `${visitors} visitors; answers: ${summarizeStatuses(statuses)}`,
    passed: visitors === 1 && statuses.get(200) === maxPerHour && statuses.get(429) === size.requests - maxPerHour,
  }
}

type LookupOptions = { requests: number; sockets: number; localAddress?: string }

/** Sends lookups from one client. Returns how often each status was the answer. */
export async function sendLookups(
  url: string,
  headers: Forgery['headers'],
  { requests, sockets, localAddress }: LookupOptions,
  onProgress: (count: number) => void,
): Promise<Map<number, number>> {
  const client = createHttpClient(url, sockets, localAddress)
  const body = { username: 'somebody' }
  const statuses = new Map<number, number>()
  let count = 0
  const lane = async () => {
    while (count < requests) {
      const options = { body, headers: headers(count++) }
      const { status } = await client.call('POST', calls.validateUsername.path, options)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      onProgress(count)
    }
  }
  await Promise.all(Array.from({ length: sockets }, lane))
  client.close()
  return statuses
}

/** How many visitors the lookup limit has counted. */
export async function countVisitors(db: Db): Promise<number> {
  const keys = await db.selectFrom('limit_count').select('key').distinct().where('name', '=', 'LIMIT_LOOKUPS').execute()
  return keys.length
}

export const summarizeStatuses = (statuses: Map<number, number>): string =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
