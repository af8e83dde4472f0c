import budgets from '../budgets.json' with { type: 'json' }
import type { Bench, Part } from '../part.ts'
import { quartiles, shuffle } from '../statistics.ts'
import { type Browser, openChromium } from './chromium.ts'
import { startFoyer } from './foyer.ts'
import { measureJourney } from './journey.ts'
import { measureBrotliBytes, measureEarlyNext, measureVisit, type VisitFigures } from './measurements.ts'
import { buildPeers, startPeer } from './peers.ts'
import { createRows, type SiteFigures, type SiteName } from './rows.ts'
import type { ServerProcess } from './server-process.ts'

const startSite: Record<SiteName, () => Promise<ServerProcess>> = {
  foyer: startFoyer,
  static: () => startPeer('static'),
  next: () => startPeer('next'),
  client: () => startPeer('client'),
}
const names = Object.keys(startSite) as SiteName[]

/** Two visits to one page can differ by a quarter, so the two with close goals are visited more often. */
const visitsPerRound: Record<SiteName, number> = { foyer: 3, static: 3, next: 1, client: 1 }

/** The first step beside the same step built in other ways, on a slow phone with an empty cache. */
export const page: Part = async (bench) => {
  buildPeers(bench.log)
  const servers: [SiteName, ServerProcess][] = []
  let browser: Browser | undefined
  try {
    for (const name of names) servers.push([name, await startSite[name]()])
    browser = await openChromium()
    const sites = await measure(bench, browser, Object.fromEntries(servers) as Record<SiteName, ServerProcess>)
    const journey = await measureJourney(`${servers[0]?.[1].url}/ana`)
    bench.saveFigures('page', { ...sites, journey })
    return createRows(sites, journey)
  } finally {
    await browser?.close()
    for (const [, server] of servers) await server.stop()
  }
}

async function measure({ short, log }: Bench, browser: Browser, servers: Record<SiteName, ServerProcess>) {
  const urlOf = (name: SiteName) => `${servers[name].url}/ana`
  const sites = Object.fromEntries(names.map((name) => [name, emptyFigures()])) as Record<SiteName, SiteFigures>

  const pressEarly = async (name: SiteName) => {
    for (let tries = 0; tries < 5; tries++) {
      const time = await measureEarlyNext(browser, urlOf(name))
      if (time !== null) return sites[name].next_answered.push(toTenth(time))
      sites[name].lost_presses += 1
    }
    throw new Error(`${urlOf(name)} never responds to Next.`)
  }

  log('page: warming up …')
  const texts = new Map<SiteName, string>()
  for (const name of names) {
    const { scriptUrls, visibleText } = await measureVisit(browser, urlOf(name))
    sites[name].script_bytes = await measureBrotliBytes(scriptUrls)
    texts.set(name, visibleText)
    await measureEarlyNext(browser, urlOf(name))
  }
  requireSameText(texts)

  const rounds = short ? 2 : budgets.page.rounds
  for (let round = 1; round <= rounds; round++) {
    const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<SiteName, VisitFigures[]>
    const visit = async (name: SiteName) => figures[name].push(await measureVisit(browser, urlOf(name)))
    const visits = names.flatMap((name) => [
      ...Array(visitsPerRound[name]).fill(() => visit(name)),
      () => pressEarly(name),
    ])
    for (const run of shuffle(visits)) await run()
    for (const name of names) addRound(sites[name], figures[name])
    log(`page: round ${round} of ${rounds}`)
  }
  return sites
}

/** Adds the median time of a round's visits, and the layout shifts and requests of every visit. */
function addRound(site: SiteFigures, visits: VisitFigures[]) {
  const median = (times: number[]) => toTenth(quartiles(times).median)
  site.largest_paint.push(median(visits.map(({ largestPaint }) => largestPaint)))
  site.first_field.push(median(visits.map(({ firstField }) => firstField)))
  site.step_change.push(median(visits.map(({ stepChange }) => stepChange)))
  site.layout_shift.push(...visits.map(({ layoutShift }) => layoutShift))
  site.moved.push(...visits.flatMap(({ moved }) => moved))
  site.asked.push(...visits.map(({ requestKinds }) => requestKinds.join(', ')))
}

/** The browser's clock is no more precise. */
const toTenth = (ms: number) => Math.round(ms * 10) / 10

const emptyFigures = (): SiteFigures => ({
  largest_paint: [],
  first_field: [],
  next_answered: [],
  step_change: [],
  layout_shift: [],
  moved: [],
  asked: [],
  script_bytes: 0,
  lost_presses: 0,
})

/** The comparison is only fair if all pages show the same. */
function requireSameText(texts: Map<SiteName, string>) {
  const ours = texts.get('foyer')
  for (const [name, text] of texts)
    if (text !== ours) throw new Error(`The peer '${name}' shows a different text:\n${text}\nFoyer:\n${ours}`)
}
