import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API } from '#contract/api.ts'
import { figures } from '#contract/figures.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { freePort } from '../../scripts/port.mjs'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles, shuffle } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE, databaseUrl } from './database.ts'
import type { RecordedStatement } from './preload/record-statements.ts'
import type { BareServerConfig } from './programs/bare-server.ts'
import type { LoadReply, LoadRequest } from './programs/http-load.ts'
import { runBenchProgram, startFoyer, waitForReady } from './programs/programs.ts'

const { reads_of_bare_node } = budgets.server
const POOL = 10
const CONNECTIONS = 32

const category = `product_category_id=${figures.product_category_id}&language_id=${figures.language_id}`

type Read = BareServerConfig['routes'][string]['body']
const paths: Record<Read, string> = {
  sponsor: `${API}/enrollment/get_enrollment_sponsor?sponsor_site=ana`,
  packages: `${API}/enrollment/enrollment_packages?${category}`,
  documents: `${API}/enrollment/get-all-legal-documents`,
  page: '/ana',
}
const names = Object.keys(paths) as Read[]
const isCompressed: Record<Read, boolean> = { sponsor: false, packages: false, documents: true, page: true }

type Rates = Record<'foyer' | 'bare', number[]>

/** Requests per second of each read, beside a bare Node server that runs the same statements. */
export const reads: Part = async ({ short, log, saveFigures }) => {
  const database = await createDatabase()
  const foyer = await startFoyer({ database, settings: { DATABASE_POOL: String(POOL) } })
  const bare = await startBareServer(database, foyer.url)
  for (const name of names) await requireSameBody(name, foyer.port, bare.port)

  const load = runBenchProgram('http-load')
  const milliseconds = short ? 1000 : 3000
  const requestRate = (port: number, name: Read) => async () => {
    const request: LoadRequest = { port, httpRequest: createRequest(name), connections: CONNECTIONS, milliseconds }
    const reply = await load.request<LoadReply>(request)
    if (reply.failed) throw new Error(`${reply.failed} requests of ${paths[name]} failed.`)
    return (reply.succeeded * 1000) / reply.milliseconds
  }
  const rates: Partial<Record<Read, Rates>> = {}
  for (const name of shuffle(names)) {
    log(`reads: ${name} …`)
    const sides = { foyer: requestRate(foyer.port, name), bare: requestRate(bare.port, name) }
    await measureInTurns(sides, short ? 1 : 2) // warm-up
    rates[name] = await measureInTurns(sides, short ? 3 : 9)
  }
  await Promise.all([foyer.stop(), bare.stop(), load.stop()])
  await database.remove()
  saveFigures('reads', rates)
  return names.map((name) => createRow(name, rates[name] ?? { foyer: [], bare: [] }))
}

function createRow(name: Read, { foyer, bare }: Rates): Row {
  const ratio = ratioQuartiles(foyer, bare)
  const work = isCompressed[name] ? 'same statements, same text through brotli 5' : 'same statement, same bytes'
  return {
    goal: `${name}: requests per second, one process`,
    promise: `≥ ${reads_of_bare_node} of a bare Node server`,
    measured: `${formatNumber(quartiles(foyer).median)}/s, ${formatNumber(ratio.median)}`,
    beside: `bare Node HTTP + pg, ${work}: ${formatNumber(quartiles(bare).median)}/s; ${DATABASE_NOTE}`,
    spread: formatSpread(ratio),
    ratio: ratio.median,
    passed: ratio.median >= reads_of_bare_node,
  }
}

const ENCODINGS = 'gzip, deflate, br'
const createRequest = (name: Read) =>
  [`GET ${paths[name]} HTTP/1.1`, 'host: 127.0.0.1', `accept-encoding: ${ENCODINGS}`, '', ''].join('\r\n')

async function startBareServer(database: Workspace, foyerUrl: string) {
  const config: BareServerConfig = {
    port: await freePort(),
    database: databaseUrl(database),
    pool: POOL,
    routes: await recordRoutes(database, foyerUrl),
  }
  const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-bare-'))
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(config))
  const program = runBenchProgram('bare-server', [file], { NODE_ENV: 'production' })
  await waitForReady(program, `http://127.0.0.1:${config.port}${paths.sponsor}`)
  rmSync(folder, { recursive: true })
  return { ...program, port: config.port }
}

/**
 * The statements and the HTML of Foyer, which the bare server repeats. The page names its own address, so its HTML comes
 * from the process that is measured.
 */
async function recordRoutes(database: Workspace, foyerUrl: string): Promise<BareServerConfig['routes']> {
  const foyer = await startFoyer({ database, preload: ['record-statements'] })
  const takeStatements = () => foyer.request<RecordedStatement[]>({})
  const routes: BareServerConfig['routes'] = {}
  for (const name of names) {
    await takeStatements()
    await fetch(`${foyer.url}${paths[name]}`)
    const ofRequest = (await takeStatements()).filter(({ request }) => request)
    const html = name === 'page' ? await (await fetch(`${foyerUrl}${paths[name]}`)).text() : ''
    routes[paths[name]] = { statements: ofRequest.map(({ text, values }) => ({ text, values })), body: name, html }
  }
  await foyer.stop()
  return routes
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The comparison is only fair if both send the same in the same encoding, apart from the visitor's enrollment id. */
async function requireSameBody(name: Read, foyerPort: number, barePort: number) {
  const read = async (port: number) => {
    const reply = await fetch(`http://127.0.0.1:${port}${paths[name]}`, { headers: { 'accept-encoding': ENCODINGS } })
    return `${reply.headers.get('content-encoding')} ${await reply.text()}`
  }
  const [ours, theirs] = await Promise.all([read(foyerPort), read(barePort)])
  if (ours.replace(ID, '') !== theirs.replace(ID, '')) throw new Error(`The bare server sends a different ${name}.`)
}
