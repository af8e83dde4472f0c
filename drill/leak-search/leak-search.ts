import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Part, Row } from '../drill.ts'
import { profileOf } from './browser-visits.ts'
import { type Finding, finderOf, type Place, type Searched, searchPlaces } from './byte-search.ts'
import { dump, namesIn } from './database-dump.ts'
import { listed, suspicious } from './field-names.ts'
import { missed, type Planted, plantInBrowser, plantLines, plantRows } from './planted-secrets.ts'
import { type Books, embeddedSite, postgresSite, type Site, startTalkative } from './searched-site.ts'
import type { Mark } from './test-cards.ts'
import { cutOff, marksFor, passThrough } from './traffic.ts'

type Search = { cards: number; browsers: number; say: (line: string) => void }

const sites = { PostgreSQL: postgresSite, embedded: embeddedSite }

/** Lets marked cards pass through a whole Foyer and then looks for them in every byte that is left. */
export const search: Part = async ({ short, say }, ground) => {
  const scale = short ? { cards: 40, browsers: 1, say } : { cards: 1000, browsers: 3, say }
  const folder = await mkdtemp(join(tmpdir(), 'foyer-search-'))
  const site = await sites[ground.name](folder)
  try {
    return await searchSite(scale, site, folder)
  } finally {
    await site.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

async function searchSite(scale: Search, site: Site, folder: string): Promise<Row[]> {
  const say = (line: string) => scale.say(`${site.database}: ${line}`)
  const places = placesOf(site, folder)
  const marks = marksFor(scale)
  const finders = {
    server: finderOf([
      ...marks.enrolled,
      ...marks.failing,
      ...marks.broken,
      ...marks.cut,
      ...marks.browsing,
      ...marks.planted,
    ]),
    browser: finderOf([...marks.browsing, ...marks.planted]),
  }
  const searchAll = async () =>
    added(await searchPlaces(places.server, finders.server), await searchPlaces(places.browser, finders.browser))

  const server = await startTalkative(site, folder)
  const whileRunning = await passThrough(site, server.url, folder, marks, say)
    .then(() => searchPlaces(places.server, finders.server))
    .finally(() => cutOff(site, server, folder, marks.cut))

  const books = await site.open()
  await books.ask('checkpoint')
  const members = (await dump(books, folder)).member?.length ?? 0
  const names = await namesIn(books, folder)
  const atRest = await searchAll()
  say(`searched ${inWords(added(whileRunning, atRest))} for ${finders.server.forms.length} forms`)

  const plants = await plant(books, places, server.url, folder, marks.planted)
  await dump(books, folder)
  const withPlants = await searchAll()
  await books.close()

  const found = [...whileRunning.findings, ...atRest.findings]
  for (const line of told(found)) say(line)
  const unseen = missed(plants, withPlants.findings)
  for (const { place, form } of unseen.slice(0, MOST_TOLD)) say(`planted and not found in ${place}: ${form}`)
  const odd = suspicious(names)
  for (const line of [...listed(names), ...odd]) say(line)

  const isCvc = ({ form }: Finding) => form.includes('CVC')
  return [
    {
      asked: '4.15 no card and no password at rest',
      done: `${scale.cards + scale.browsers} enrolled, ${marks.failing.length} mishaps, ${marks.cut.length} cut off; ${inWords(added(whileRunning, atRest))}`,
      found: inFindings(found.filter((finding) => !isCvc(finding))),
      passed: members >= scale.cards + scale.browsers && !found.some((finding) => !isCvc(finding)),
    },
    {
      asked: 'no CVC at rest',
      done: `fragments; ${names.length} columns and keys`,
      found: [inFindings(found.filter(isCvc)), ...odd].join('; '),
      passed: !found.some(isCvc) && !odd.length,
    },
    {
      asked: 'all of them found',
      done: `${plants.length} planted`,
      found: `${plants.length - unseen.length} found`,
      passed: plants.length > 0 && !unseen.length,
    },
  ]
}

const MOST_TOLD = 20

/** One line for each form in each file, with its first place. */
function told(findings: Finding[]): string[] {
  const groups = Object.values(Object.groupBy(findings, ({ file, form }) => `${file} ${form}`))
  return groups.slice(0, MOST_TOLD).flatMap(([first, ...more] = []) => {
    if (!first) return []
    const { place, file, offset, form, mark, around } = first
    const times = more.length ? `, ${more.length} more in this file` : ''
    return [`FOUND in ${place}: ${form} of mark ${mark.index} in ${file} at ${offset}: ${around}${times}`]
  })
}

const inFindings = (findings: Finding[]) =>
  findings.length ? `${findings.length} in ${[...new Set(findings.map(({ place }) => place))].join(', ')}` : 'nothing'

const added = (one: Searched, other: Searched): Searched => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  findings: [...one.findings, ...other.findings],
})

const inWords = ({ files, bytes }: Searched) => `${Math.round(bytes / 1e6)} MB in ${files} files`

type Places = { server: Place[]; browser: Place[] }

function placesOf(site: Site, folder: string): Places {
  const data = join(folder, 'data')
  return {
    server: [
      ...site.places,
      { name: 'dump', folder: join(folder, 'dump') },
      { name: 'data folder', folder: data, without: [join(data, 'db')], plantIn: 'sandbox-payments.jsonl' },
      { name: 'log', folder: join(folder, 'log'), plantIn: 'foyer.log' },
      { name: 'temporary files', folder: join(folder, 'tmp') },
    ],
    browser: [
      { name: 'browser profile', folder: join(folder, 'profiles') },
      { name: 'browser’s temporary files', folder: join(folder, 'browser-tmp') },
      { name: 'page storage', folder: join(folder, 'storage') },
    ],
  }
}

/** One planted mark for every place, in every form. */
async function plant(books: Books, places: Places, url: string, folder: string, marks: Mark[]): Promise<Planted[]> {
  const left = [...marks]
  const next = () => left.shift() ?? fail()
  const planted = await plantRows(books, next())
  for (const place of [...places.server, ...places.browser]) {
    if (['tables', 'WAL', 'dump'].includes(place.name)) continue
    const isProfile = place.name === 'browser profile'
    planted.push(
      ...(isProfile
        ? await plantInBrowser(place, { url, ...profileOf(folder, 0) }, next())
        : await plantLines(place, next())),
    )
  }
  return planted
}

const fail = (): never => {
  throw new Error('There are more places than marks to plant.')
}
