import budgets from '../budgets.json' with { type: 'json' }
import type { Row } from '../part.ts'
import { formatNumber, formatSpread, quartiles, ratioQuartiles } from '../statistics.ts'
import type { JourneyFigures } from './journey.ts'
import type { PeerName } from './peers.ts'

export type SiteName = 'foyer' | PeerName

/** The figures of one page as --json saves them; times in milliseconds, one per round. */
export type SiteFigures = {
  largest_paint: number[]
  first_field: number[]
  next_answered: number[]
  step_change: number[]
  layout_shift: number[]
  /** Elements that moved. */
  moved: string[]
  /** What the document requests, for each visit: 'page, script, image'. */
  asked: string[]
  script_bytes: number
  /** Early presses on Next that had no effect. */
  lost_presses: number
}
type Timing = 'largest_paint' | 'first_field' | 'next_answered' | 'step_change'
type Sites = Record<SiteName, SiteFigures>

/** In the order in which rows and charts show them. */
export const titles: Record<SiteName, string> = {
  static: 'static HTML',
  foyer: 'Foyer',
  next: 'Next.js',
  client: 'client-only React',
}
const peerNames = (Object.keys(titles) as SiteName[]).filter((name) => name !== 'foyer')

const listPeers = (value: (name: SiteName) => string) =>
  peerNames.map((name) => `${titles[name]} ${value(name)}`).join(', ')

const medianMs = (sites: Sites, name: SiteName, timing: Timing) =>
  `${formatNumber(quartiles(sites[name][timing]).median)} ms`

/** Foyer's time as a share of a peer's, round by round. */
function comparison(sites: Sites, goal: string, timing: Timing, peer: PeerName, limit: number): Row {
  const ratio = ratioQuartiles(sites.foyer[timing], sites[peer][timing])
  return {
    goal,
    promise: `≤ ${limit} × ${titles[peer]}`,
    measured: `${medianMs(sites, 'foyer', timing)}, ${formatNumber(ratio.median)} ×`,
    beside: listPeers((name) => medianMs(sites, name, timing)),
    spread: formatSpread(ratio, ' ×'),
    ratio: ratio.median,
    passed: ratio.median <= limit,
  }
}

export function createRows(sites: Sites, journey: JourneyFigures): Row[] {
  const { page } = budgets
  return [
    comparison(sites, 'largest paint', 'largest_paint', 'static', page.largest_paint_of_static),
    comparison(sites, 'first field usable', 'first_field', 'static', page.first_field_of_static),
    nextAnswered(sites),
    stepChange(sites),
    layoutShift(sites),
    requests(sites),
    scriptBytes(sites),
    wholeJourney(journey),
  ]
}

/** A lost press fails the goal, however fast the other presses are answered. */
function nextAnswered(sites: Sites): Row {
  const row = comparison(sites, 'Next, pressed early, answered', 'next_answered', 'next', budgets.page.next_of_nextjs)
  const lost = (Object.keys(titles) as SiteName[])
    .filter((name) => sites[name].lost_presses)
    .map((name) => `${titles[name]} lost ${sites[name].lost_presses} presses`)
  return {
    ...row,
    beside: [row.beside, ...lost].join('; '),
    passed: row.passed && !sites.foyer.lost_presses,
  }
}

function stepChange(sites: Sites): Row {
  const { step_change_ms } = budgets.page
  const time = quartiles(sites.foyer.step_change)
  return {
    goal: 'step change, from press to paint',
    promise: `< ${step_change_ms} ms`,
    measured: `${formatNumber(time.median)} ms`,
    beside: listPeers((name) => medianMs(sites, name, 'step_change')),
    spread: formatSpread(time, ' ms'),
    ratio: time.median / step_change_ms,
    passed: time.median < step_change_ms,
  }
}

function layoutShift(sites: Sites): Row {
  const worst = (name: SiteName) => Math.max(...sites[name].layout_shift)
  const shifted = sites.foyer.layout_shift.filter((shift) => shift > budgets.page.layout_shift).length
  return {
    goal: 'layout shift',
    promise: `${budgets.page.layout_shift} in every visit`,
    measured: String(Number(worst('foyer').toPrecision(2))),
    beside: listPeers((name) => String(Number(worst(name).toPrecision(2)))),
    spread: [`worst of ${sites.foyer.layout_shift.length} visits, ${shifted} with a shift`, ...sites.foyer.moved].join(
      '; ',
    ),
    ratio: undefined,
    passed: worst('foyer') <= budgets.page.layout_shift,
  }
}

const allowedRequests = /^page, script(?:, image)*$/

function requests(sites: Sites): Row {
  const wrong = sites.foyer.asked.filter((kinds) => !allowedRequests.test(kinds))
  const usual = (name: SiteName) => mostCommon(sites[name].asked)
  return {
    goal: 'requests, in order',
    promise: 'the page and one script, then images',
    measured: wrong[0] ?? usual('foyer'),
    beside: peerNames.map((name) => `${titles[name]}: ${usual(name)}`).join('; '),
    spread: `${sites.foyer.asked.length - wrong.length} of ${sites.foyer.asked.length} visits`,
    ratio: undefined,
    passed: !wrong.length,
  }
}

const mostCommon = (items: string[]) => {
  const count = (item: string) => items.filter((other) => other === item).length
  return items.toSorted((a, b) => count(b) - count(a))[0] ?? ''
}

function scriptBytes(sites: Sites): Row {
  const { first_script_brotli_bytes: limit } = budgets.page
  const kB = (name: SiteName) => `${(sites[name].script_bytes / 1000).toFixed(1)} kB`
  return {
    goal: 'first-load JavaScript, brotli',
    promise: `≤ ${limit / 1000} kB`,
    measured: kB('foyer'),
    beside: listPeers(kB),
    spread: 'the same in every run',
    ratio: sites.foyer.script_bytes / limit,
    passed: sites.foyer.script_bytes <= limit,
  }
}

/** No peer has the other steps. */
function wholeJourney({ journey_bytes, journey_requests }: JourneyFigures): Row {
  const { journey_bytes: limit } = budgets.page
  return {
    goal: 'from link to office, cold',
    promise: `≤ ${limit / 1000} kB`,
    measured: `${(journey_bytes / 1000).toFixed(1)} kB`,
    beside: '',
    spread: `${journey_requests} requests`,
    ratio: journey_bytes / limit,
    passed: journey_bytes <= limit,
  }
}
