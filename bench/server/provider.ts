import { startProviderHost } from '#emulators/provider/host.ts'
import { createHttpClient, type HttpClient } from '../../drill/visitor/http-client.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE } from './database.ts'
import type { LoadReply, LoadRequest } from './programs/http-load.ts'
import { runBenchProgram, startFoyer } from './programs/programs.ts'

const { page_of_own, forwarded_call_ms, page_while_away } = budgets.provider
const CONNECTIONS = 32
const ORDER = { product_ids: '34', autoship_product_ids: '', special_product_ids: '' }
const httpRequest = ['GET /ana HTTP/1.1', 'host: 127.0.0.1', 'accept-encoding: gzip, deflate, br', '', ''].join('\r\n')

/** A site in front of an API host, compared with a site of its own and with the host alone. */
export const provider: Part = async ({ short, log, saveFigures }) => {
  const databases = [await createDatabase(), await createDatabase()] as const
  const host = await startProviderHost()
  const development = { NODE_ENV: 'development' } // the host is on this machine, without TLS
  const own = await startFoyer({ database: databases[0], settings: development })
  const front = await startFoyer({
    database: databases[1],
    settings: { ...development, PROVIDER_API_URL: host.url, PROVIDER_OFFICE_HOSTS: 'office.host.example' },
  })
  const load = runBenchProgram('http-load')
  const rounds = short ? 3 : 9
  const pageRate = (port: number) => async () => {
    const request: LoadRequest = { port, httpRequest, connections: CONNECTIONS, milliseconds: short ? 1000 : 3000 }
    const { succeeded, failed, milliseconds } = await load.request<LoadReply>(request)
    if (failed) throw new Error(`${failed} requests of the page failed.`)
    return (succeeded * 1000) / milliseconds
  }

  log('provider: forwarded calls …')
  const [toHost, toFront] = [createHttpClient(host.origin), createHttpClient(front.url)]
  const callTimes = {
    host: medianTime(toHost, '/v1/enrollment/orders', short),
    foyer: medianTime(toFront, '/api/enrollment/orders', short),
  }
  await measureInTurns(callTimes, 1) // warm-up
  const calls = await measureInTurns(callTimes, rounds)

  log('provider: pages …')
  const rates = { own: pageRate(own.port), front: pageRate(front.port) }
  await measureInTurns(rates, short ? 1 : 2) // warm-up
  const pages = await measureInTurns(rates, rounds)
  log('provider: pages while the host is away …')
  await host.close()
  const away = await measureInTurns(rates, rounds)

  for (const client of [toHost, toFront]) client.close()
  await Promise.all([own.stop(), front.stop(), load.stop()])
  for (const database of databases) await database.remove()
  saveFigures('provider', { calls, pages, away })

  const slower = ratioQuartiles(pages.own, pages.front)
  const added = quartiles(calls.foyer.map((ms, round) => ms - (calls.host[round] ?? Number.NaN)))
  const whileAway = ratioQuartiles(away.front, away.own)
  const before = ratioQuartiles(pages.front, pages.own)
  const kept = whileAway.median / before.median
  return [
    {
      goal: 'first page in front of an API host',
      promise: `≤ ${page_of_own} × our own`,
      measured: `${formatNumber(quartiles(pages.front).median)}/s, ${formatNumber(slower.median)} ×`,
      beside: `our own: ${formatNumber(quartiles(pages.own).median)}/s; ${DATABASE_NOTE}`,
      spread: formatSpread(slower),
      ratio: slower.median,
      passed: slower.median <= page_of_own,
    },
    {
      goal: 'what forwarding adds to a call',
      promise: `≤ ${forwarded_call_ms} ms`,
      measured: `${formatNumber(added.median)} ms`,
      beside: `the host alone: ${formatNumber(quartiles(calls.host).median)} ms`,
      spread: formatSpread(added, ' ms'),
      ratio: added.median / forwarded_call_ms,
      passed: added.median <= forwarded_call_ms,
    },
    {
      goal: 'first page while the host is away',
      promise: `≥ ${page_while_away} of its speed before`,
      measured: `${formatNumber(quartiles(away.front).median)}/s, ${formatNumber(kept)}`,
      beside: `our own in the same minutes: ${formatNumber(quartiles(away.own).median)}/s`,
      spread: formatSpread(whileAway),
      ratio: kept,
      passed: kept >= page_while_away,
    },
  ]
}

/** The median of many calls, one after another on one connection. */
const medianTime = (client: HttpClient, path: string, short: boolean) => async (): Promise<number> => {
  const times: number[] = []
  for (let count = 0; count < (short ? 50 : 300); count++) {
    const startedAt = performance.now()
    const { status } = await client.send('POST', path, { body: ORDER })
    if (status !== 200) throw new Error(`POST ${path} answered ${status}.`)
    times.push(performance.now() - startedAt)
  }
  return quartiles(times).median
}
