import budgets from '../budgets.json' with { type: 'json' }
import type { Bench, Part } from '../row.ts'
import { middleOf, shuffled } from '../server/compare.ts'
import { type Browser, openChromium } from './chromium.ts'
import { startFoyer } from './foyer.ts'
import { buildPeers, startPeer } from './peers.ts'
import { type Measured, rowsOf, type SiteName } from './rows.ts'
import type { Server } from './server.ts'
import { type Looked, lookAt, pressNext, weigh } from './visits.ts'

const starts: Record<SiteName, () => Promise<Server>> = {
  foyer: startFoyer,
  static: () => startPeer('static'),
  next: () => startPeer('next'),
  client: () => startPeer('client'),
}
const names = Object.keys(starts) as SiteName[]

/** Two visits of one page differ by a quarter, so those whose paints are promised to be close are visited more often. */
const looks: Record<SiteName, number> = { foyer: 3, static: 3, next: 1, client: 1 }

/** The first step beside the same step written in other ways, on a slow phone: every visit fresh, every round in another order. */
export const page: Part = async (bench) => {
  buildPeers(bench.say)
  const started: [SiteName, Server][] = []
  let browser: Browser | undefined
  try {
    for (const name of names) started.push([name, await starts[name]()])
    browser = await openChromium()
    const measured = await measure(bench, browser, Object.fromEntries(started) as Record<SiteName, Server>)
    bench.keep('page', measured)
    return rowsOf(measured)
  } finally {
    await browser?.close()
    for (const [, server] of started) await server.stop()
  }
}

async function measure({ short, say }: Bench, browser: Browser, sites: Record<SiteName, Server>) {
  const address = (name: SiteName) => `${sites[name].url}/ana`
  const measured = Object.fromEntries(names.map((name) => [name, nothingYet()])) as Record<SiteName, Measured>

  /** Of the visits of one round the middle one counts; nothing may move in any. */
  const note = (name: SiteName, seen: Looked[]) => {
    const found = measured[name]
    const middle = (times: number[]) => tenth(middleOf(times).median)
    found.largest_paint.push(middle(seen.map(({ largestPaint }) => largestPaint)))
    found.first_field.push(middle(seen.map(({ firstField }) => firstField)))
    found.step_change.push(middle(seen.map(({ stepChange }) => stepChange)))
    found.layout_shift.push(...seen.map(({ layoutShift }) => layoutShift))
    found.moved.push(...seen.flatMap(({ moved }) => moved))
    found.asked.push(...seen.map(({ asked }) => asked.join(', ')))
  }
  const press = async (name: SiteName) => {
    for (let tries = 0; tries < 5; tries++) {
      const answered = await pressNext(browser, address(name))
      if (answered !== null) return measured[name].next_answered.push(tenth(answered))
      measured[name].lost_presses += 1
    }
    throw new Error(`${address(name)} never answers Next.`)
  }

  say('page: warming up …')
  const first = new Map<SiteName, Looked>()
  for (const name of names) {
    const looked = await lookAt(browser, address(name))
    measured[name].script_bytes = await weigh(looked.scripts)
    first.set(name, looked)
    await pressNext(browser, address(name))
  }
  demandSameWords(first)

  const rounds = short ? 2 : budgets.page.rounds
  for (let round = 1; round <= rounds; round++) {
    const seen = Object.fromEntries(names.map((name) => [name, [] as Looked[]])) as Record<SiteName, Looked[]>
    const look = async (name: SiteName) => seen[name].push(await lookAt(browser, address(name)))
    const visits = names.flatMap((name) => [...Array(looks[name]).fill(() => look(name)), () => press(name)])
    for (const visit of shuffled(visits)) await visit()
    for (const name of names) note(name, seen[name])
    say(`page: round ${round} of ${rounds}`)
  }
  return measured
}

/** The browser's clock tells no more. */
const tenth = (ms: number) => Math.round(ms * 10) / 10

const nothingYet = (): Measured => ({
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

/** A peer that shows something else proves nothing. */
function demandSameWords(first: Map<SiteName, Looked>) {
  const ours = first.get('foyer')?.words
  for (const [name, { words }] of first)
    if (words !== ours) throw new Error(`The peer '${name}' shows other words:\n${words}\nFoyer:\n${ours}`)
}
