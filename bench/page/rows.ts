import budgets from '../budgets.json' with { type: 'json' }
import type { Row } from '../row.ts'
import { middleOf, ratios, rounded, spreadOf } from '../server/compare.ts'
import type { PeerName } from './peers.ts'

export type SiteName = 'foyer' | PeerName

/** What one page came to, one entry for each round; times in milliseconds. */
export type Measured = {
  largest_paint: number[]
  first_field: number[]
  next_answered: number[]
  step_change: number[]
  layout_shift: number[]
  moved: string[]
  asked: string[]
  script_bytes: number
  /** Presses on Next that were never answered. */
  lost_presses: number
}
type Times = 'largest_paint' | 'first_field' | 'next_answered' | 'step_change'
type All = Record<SiteName, Measured>

/** What the pages are called, in the order in which they are told and drawn. */
export const titles: Record<SiteName, string> = {
  static: 'static HTML',
  foyer: 'Foyer',
  next: 'Next.js',
  client: 'client-only React',
}
const peerNames = (Object.keys(titles) as SiteName[]).filter((name) => name !== 'foyer')

const beside = (tell: (name: SiteName) => string) => peerNames.map((name) => `${titles[name]} ${tell(name)}`).join(', ')

const medianMs = (all: All, name: SiteName, times: Times) => `${rounded(middleOf(all[name][times]).median)} ms`

/** Foyer's time as a share of a peer's, round by round. */
function comparison(all: All, goal: string, times: Times, peer: PeerName, most: number): Row {
  const found = ratios(all.foyer[times], all[peer][times])
  return {
    goal,
    promise: `≤ ${most} × ${titles[peer]}`,
    measured: `${medianMs(all, 'foyer', times)}, ${rounded(found.median)} ×`,
    beside: beside((name) => medianMs(all, name, times)),
    spread: spreadOf(found, ' ×'),
    ratio: found.median,
    passed: found.median <= most,
  }
}

/** The table's rows, from everything that was measured. */
export function rowsOf(all: All): Row[] {
  const { page } = budgets
  return [
    comparison(all, 'largest paint', 'largest_paint', 'static', page.largest_paint_of_static),
    comparison(all, 'first field usable', 'first_field', 'static', page.first_field_of_static),
    nextAnswered(all),
    stepChange(all),
    layoutShift(all),
    requests(all),
    scriptBytes(all),
  ]
}

/** A page that forgets an early press has not answered, however fast it is otherwise. */
function nextAnswered(all: All): Row {
  const row = comparison(all, 'Next, pressed early, answered', 'next_answered', 'next', budgets.page.next_of_nextjs)
  const lost = (Object.keys(titles) as SiteName[]).filter((name) => all[name].lost_presses)
  const said = lost.map((name) => `${titles[name]} lost ${all[name].lost_presses} presses`)
  return {
    ...row,
    beside: [row.beside, ...said].join('; '),
    passed: row.passed && !all.foyer.lost_presses,
  }
}

function stepChange(all: All): Row {
  const { step_change_ms } = budgets.page
  const found = middleOf(all.foyer.step_change)
  return {
    goal: 'step change, from the press to the paint',
    promise: `< ${step_change_ms} ms`,
    measured: `${rounded(found.median)} ms`,
    beside: beside((name) => medianMs(all, name, 'step_change')),
    spread: spreadOf(found, ' ms'),
    ratio: found.median / step_change_ms,
    passed: found.median < step_change_ms,
  }
}

function layoutShift(all: All): Row {
  const worst = (name: SiteName) => Math.max(...all[name].layout_shift)
  const shifted = all.foyer.layout_shift.filter((shift) => shift > budgets.page.layout_shift).length
  return {
    goal: 'layout shift',
    promise: `${budgets.page.layout_shift} in every visit`,
    measured: String(Number(worst('foyer').toPrecision(2))),
    beside: beside((name) => String(Number(worst(name).toPrecision(2)))),
    spread: [`worst of ${all.foyer.layout_shift.length} visits, ${shifted} with any`, ...all.foyer.moved].join('; '),
    ratio: undefined,
    passed: worst('foyer') <= budgets.page.layout_shift,
  }
}

const inOrder = /^page, script(?:, image)*$/

function requests(all: All): Row {
  const wrong = all.foyer.asked.filter((asked) => !inOrder.test(asked))
  const usual = (name: SiteName) => commonest(all[name].asked)
  return {
    goal: 'what the page asks for, in order',
    promise: 'the page and one script, images after them',
    measured: wrong[0] ?? usual('foyer'),
    beside: peerNames.map((name) => `${titles[name]}: ${usual(name)}`).join('; '),
    spread: `${all.foyer.asked.length - wrong.length} of ${all.foyer.asked.length} visits`,
    ratio: undefined,
    passed: !wrong.length,
  }
}

const commonest = (things: string[]) => {
  const count = (thing: string) => things.filter((other) => other === thing).length
  return things.toSorted((a, b) => count(b) - count(a))[0] ?? ''
}

function scriptBytes(all: All): Row {
  const { first_script_brotli_bytes: most } = budgets.page
  const kB = (name: SiteName) => `${(all[name].script_bytes / 1000).toFixed(1)} kB`
  return {
    goal: 'first-load JavaScript, brotli',
    promise: `≤ ${most / 1000} kB`,
    measured: kB('foyer'),
    beside: beside(kB),
    spread: 'a fact of the build',
    ratio: all.foyer.script_bytes / most,
    passed: all.foyer.script_bytes <= most,
  }
}
