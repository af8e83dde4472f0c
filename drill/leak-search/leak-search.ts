import { join } from 'node:path'
import type { Drill, ReportRow } from '../drill.ts'
import { profileFolders } from './browser-visits.ts'
import { createByteSearch, type Finding, type SearchArea, type SearchResult, searchAreas } from './byte-search.ts'
import { dumpDatabase, fieldNamesIn } from './database-dump.ts'
import { listFields, suspiciousFields } from './field-names.ts'
import { missedSecrets, type PlantedSecret, plantInBrowser, plantLines, plantRows } from './planted-secrets.ts'
import { embeddedSite, postgresSite, type SearchedSite, type SqlClient, startVerboseServer } from './searched-site.ts'
import type { TestCard } from './test-cards.ts'
import { createCardSets, killMidRequest, sendTraffic } from './traffic.ts'

type SearchScale = { cards: number; browsers: number; print: (line: string) => void }

const sites = { PostgreSQL: postgresSite, embedded: embeddedSite }

/** What a browser stores does not depend on the database. */
const SHORT_BROWSERS = { PostgreSQL: 1, embedded: 0 }

/** Sends unique cards through a whole Foyer, then searches every byte on disk for them. */
export const leakSearch: Drill = async ({ short, print }, backend) => {
  const scale = short
    ? { cards: 40, browsers: SHORT_BROWSERS[backend.name], print }
    : { cards: 1000, browsers: 3, print }
  const workspace = await backend.createWorkspace()
  const site = await sites[backend.name](workspace.folder)
  try {
    return await searchSite(scale, site, workspace.folder)
  } finally {
    await site.remove()
    await workspace.remove()
  }
}

async function searchSite(scale: SearchScale, site: SearchedSite, folder: string): Promise<ReportRow[]> {
  const print = (line: string) => scale.print(`${site.database}: ${line}`)
  const areas = areasOf(site, folder, scale.browsers)
  const cards = createCardSets(scale)
  const searches = {
    server: createByteSearch([
      ...cards.enrolled,
      ...cards.malformed,
      ...cards.brokenDatabase,
      ...cards.killed,
      ...cards.browsing,
      ...cards.planted,
    ]),
    browser: createByteSearch([...cards.browsing, ...cards.planted]),
  }
  const searchAll = async () =>
    addResults(await searchAreas(areas.server, searches.server), await searchAreas(areas.browser, searches.browser))

  const server = await startVerboseServer(site, folder)
  const whileRunning = await sendTraffic(site, server.url, folder, cards, print)
    .then(() => searchAreas(areas.server, searches.server))
    .finally(() => killMidRequest(site, server, folder, cards.killed))

  const database = await site.open()
  await database.query('checkpoint')
  const members = (await dumpDatabase(database, folder)).member?.length ?? 0
  const names = await fieldNamesIn(database, folder)
  const atRest = await searchAll()
  print(`searched ${formatSize(addResults(whileRunning, atRest))} for ${searches.server.encodings.length} encodings`)

  const plants = await plantSecrets(database, areas, server.url, folder, cards.planted)
  await dumpDatabase(database, folder)
  const withPlants = await searchAll()
  await database.close()

  const findings = [...whileRunning.findings, ...atRest.findings]
  for (const line of describeFindings(findings)) print(line)
  const missed = missedSecrets(plants, withPlants.findings)
  for (const { area, encoding } of missed.slice(0, MAX_LINES)) print(`planted but not found in ${area}: ${encoding}`)
  const suspicious = suspiciousFields(names)
  for (const line of [...listFields(names), ...suspicious]) print(line)

  const isCvc = ({ encoding }: Finding) => encoding.includes('CVC')
  return [
    {
      expected: '4.15 no card number and no password on disk',
      action: `${scale.cards + scale.browsers} enrolled, ${cards.malformed.length} malformed requests, ${cards.killed.length} requests cut off by kill -9; searched ${formatSize(addResults(whileRunning, atRest))}`,
      result: summarizeFindings(findings.filter((finding) => !isCvc(finding))),
      passed: members >= scale.cards + scale.browsers && !findings.some((finding) => !isCvc(finding)),
    },
    {
      expected: 'no CVC on disk',
      action: `search for fragments with a CVC; check of ${names.length} column and key names`,
      result: [summarizeFindings(findings.filter(isCvc)), ...suspicious].join('; '),
      passed: !findings.some(isCvc) && !suspicious.length,
    },
    {
      expected: 'the search finds all of them',
      action: `control: ${plants.length} secrets planted`,
      result: `${plants.length - missed.length} found`,
      passed: plants.length > 0 && !missed.length,
    },
  ]
}

const MAX_LINES = 20

/** One line for each encoding in each file, with its first position. */
function describeFindings(findings: Finding[]): string[] {
  const groups = Object.values(Object.groupBy(findings, ({ file, encoding }) => `${file} ${encoding}`))
  return groups.slice(0, MAX_LINES).flatMap(([first, ...more] = []) => {
    if (!first) return []
    const { area, file, offset, encoding, card, context } = first
    const times = more.length ? `, ${more.length} more in this file` : ''
    return [`FOUND in ${area}: ${encoding} of card ${card.index} in ${file} at ${offset}: ${context}${times}`]
  })
}

const summarizeFindings = (findings: Finding[]) =>
  findings.length ? `${findings.length} in ${[...new Set(findings.map(({ area }) => area))].join(', ')}` : 'nothing'

const addResults = (one: SearchResult, other: SearchResult): SearchResult => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  findings: [...one.findings, ...other.findings],
})

const formatSize = ({ files, bytes }: SearchResult) => `${Math.round(bytes / 1e6)} MB in ${files} files`

type SearchAreas = { server: SearchArea[]; browser: SearchArea[] }

function areasOf(site: SearchedSite, folder: string, browsers: number): SearchAreas {
  const data = join(folder, 'data')
  return {
    server: [
      ...site.areas,
      { name: 'dump', folder: join(folder, 'dump') },
      { name: 'data folder', folder: data, without: [join(data, 'db')], plantIn: 'sandbox-payments.jsonl' },
      { name: 'log', folder: join(folder, 'log'), plantIn: 'foyer.log' },
      { name: 'temporary files', folder: join(folder, 'tmp') },
    ],
    browser: browsers
      ? [
          { name: 'browser profile', folder: join(folder, 'profiles') },
          { name: 'temporary files of the browser', folder: join(folder, 'browser-tmp') },
          { name: 'page storage', folder: join(folder, 'storage') },
        ]
      : [],
  }
}

/** Plants one card in each area, in every encoding. */
async function plantSecrets(
  database: SqlClient,
  areas: SearchAreas,
  url: string,
  folder: string,
  cards: TestCard[],
): Promise<PlantedSecret[]> {
  const unusedCards = [...cards]
  const nextCard = () => unusedCards.shift() ?? fail()
  const planted = await plantRows(database, nextCard())
  for (const area of [...areas.server, ...areas.browser]) {
    if (['tables', 'WAL', 'dump'].includes(area.name)) continue
    const isProfile = area.name === 'browser profile'
    planted.push(
      ...(isProfile
        ? await plantInBrowser(area, { url, ...profileFolders(folder, 0) }, nextCard())
        : await plantLines(area, nextCard())),
    )
  }
  return planted
}

const fail = (): never => {
  throw new Error('There are more areas than cards to plant.')
}
