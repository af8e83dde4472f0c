import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API } from '#contract/api.ts'
import { ourCategory } from '#server/catalog/catalog.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import { freePort } from '../../scripts/port.mjs'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../row.ts'
import type { Bare } from './bare.ts'
import { interleaved, middleOf, ratios, rounded, shuffled, spreadOf } from './compare.ts'
import { DATABASE, openGround, urlOf } from './ground.ts'
import type { Order, Tally } from './load.ts'
import type { Noted } from './noting.ts'
import { answers, runProgram, startFoyer } from './programs.ts'

const { reads_of_bare_node } = budgets.server
const POOL = 10
const CONNECTIONS = 32

const shelf = new URLSearchParams(Object.entries(ourCategory).map(([name, id]) => [name, String(id)]))

/** What is read, by its shape. */
const paths: Record<Bare['reads'][string]['shape'], string> = {
  sponsor: `${API}/enrollment/get_enrollment_sponsor?sponsor_site=ana`,
  packages: `${API}/enrollment/enrollment_packages?${shelf}`,
  documents: `${API}/enrollment/get-all-legal-documents`,
  page: '/ana',
}
type Read = keyof typeof paths
const names = Object.keys(paths) as Read[]

/** Requests per second of each read, beside a bare Node server that asks the database the same. */
export const reads: Part = async ({ short, say, keep }) => {
  const place = await (await openGround()).createWorkspace()
  const foyer = await startFoyer({ place, settings: { DATABASE_POOL: String(POOL) } })
  const bare = await startBare(place)
  for (const name of names) await compareBytes(name, foyer.port, bare.port)

  const load = runProgram([join(import.meta.dirname, 'load.ts')])
  const milliseconds = short ? 1000 : 3000
  const perSecond = (port: number, name: Read) => async () => {
    const order: Order = { port, request: requestFor(name), connections: CONNECTIONS, milliseconds }
    const tally = await load.ask<Tally>(order)
    if (tally.refused) throw new Error(`${tally.refused} answers of ${paths[name]} were no 200.`)
    return (tally.answered * 1000) / tally.milliseconds
  }
  const found: Record<string, Record<'foyer' | 'bare', number[]>> = {}
  for (const name of shuffled(names)) {
    say(`reads: ${name} …`)
    const sides = { foyer: perSecond(foyer.port, name), bare: perSecond(bare.port, name) }
    await interleaved(sides, short ? 1 : 2) // warm, and thrown away
    found[name] = await interleaved(sides, short ? 3 : 9)
  }
  await Promise.all([foyer.stop(), bare.stop(), load.stop()])
  await place.remove()
  keep('reads', found)
  return names.map((name) => rowOf(name, found[name] ?? { foyer: [], bare: [] }))
}

function rowOf(name: Read, { foyer, bare }: Record<'foyer' | 'bare', number[]>): Row {
  const ratio = ratios(foyer, bare)
  const peer = name === 'page' ? 'same statements, same HTML through brotli 5' : 'same statement, same bytes'
  return {
    goal: `${name}: requests per second, one process`,
    promise: `≥ ${reads_of_bare_node} of a bare Node server`,
    measured: `${rounded(middleOf(foyer).median)}/s, ${rounded(ratio.median)}`,
    beside: `bare Node HTTP + pg, ${peer}: ${rounded(middleOf(bare).median)}/s; ${DATABASE}`,
    spread: spreadOf(ratio),
    ratio: ratio.median,
    passed: ratio.median >= reads_of_bare_node,
  }
}

const requestFor = (name: Read) =>
  [`GET ${paths[name]} HTTP/1.1`, 'host: 127.0.0.1', 'accept-encoding: gzip, deflate, br', '', ''].join('\r\n')

/** Foyer tells its own statements and its own HTML; the peer repeats them. */
async function startBare(place: Workspace) {
  const teller = await startFoyer({ place, before: ['noting.ts'] })
  const entries: [string, Bare['reads'][string]][] = []
  for (const name of names) {
    await teller.ask<Noted[]>({})
    const reply = await fetch(`${teller.url}${paths[name]}`)
    const html = name === 'page' ? await reply.text() : ''
    const noted = await teller.ask<Noted[]>({})
    const statements = noted.filter(({ request }) => request).map(({ text, values }) => ({ text, values }))
    entries.push([paths[name], { statements, shape: name, html }])
  }
  await teller.stop()
  const port = await freePort()
  const told: Bare = { port, database: urlOf(place), pool: POOL, reads: Object.fromEntries(entries) }
  const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-bare-'))
  const file = join(folder, 'bare.json')
  writeFileSync(file, JSON.stringify(told))
  const program = runProgram([join(import.meta.dirname, 'bare.ts'), file], { NODE_ENV: 'production' })
  await answers(program, `http://127.0.0.1:${port}${paths.sponsor}`)
  rmSync(folder, { recursive: true })
  return { ...program, port }
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Who sends less does less: apart from the visitor's own id both send the same. */
async function compareBytes(name: Read, foyer: number, bare: number) {
  const read = async (port: number) => (await fetch(`http://127.0.0.1:${port}${paths[name]}`)).text()
  const [ours, theirs] = await Promise.all([read(foyer), read(bare)])
  if (ours.replace(ID, '') !== theirs.replace(ID, '')) throw new Error(`The peer sends another ${name}.`)
}
