import { join } from 'node:path'
import { startSandbox } from '../../drill/site/processes.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part, Row } from '../row.ts'
import { rounded } from './compare.ts'
import type { Asked, Told } from './crowd.ts'
import { forCrowds, LANES } from './enrollment.ts'
import { DATABASE, openGround } from './ground.ts'
import { runProgram, startFoyer } from './programs.ts'
import { allDone } from './visit.ts'
import type { Weight } from './weighing.ts'

const { memory_enrollments, memory_most_growth } = budgets.server
const IN_SHORT = 1000
/** What a server keeps at hand, such as compiled code and rendered pages, is there by then. */
const FIRST = 0.2

/** What the server weighs after many whole visits: page, captcha, enrollment, letters. */
export const memory: Part = async ({ short, say, keep }) => {
  const place = await (await openGround()).createWorkspace()
  const sandbox = await startSandbox(place)
  const settings = { ...forCrowds, CAPTCHA_COST: '1000', PAYMENT_SANDBOX_URL: sandbox.url } // what weighs nothing need not take long
  const foyer = await startFoyer({ place, settings, before: ['weighing.ts', 'unhashed.ts'], node: ['--expose-gc'] })
  const crowd = runProgram([join(import.meta.dirname, 'crowd.ts')])
  const visits = short ? IN_SHORT : memory_enrollments
  const steps = short ? 5 : 10
  const weights: Weighed[] = []
  for (let step = 1; step <= steps; step++) {
    const told = await crowd.ask<Told>({ visit: visits / steps, url: foyer.url, lanes: LANES } satisfies Asked)
    if (told.others.length) throw new Error(`Not everybody was approved: ${told.others.join('; ')}`)
    await allDone(place)
    const weight = await foyer.ask<Weight>({})
    const enrollments = (visits / steps) * step
    weights.push({ ...weight, enrollments })
    say(`memory: ${rounded(enrollments)} enrollments, heap ${inMb(weight.heap)}, resident ${inMb(weight.resident)}`)
  }
  await Promise.all([foyer.stop(), crowd.stop()])
  await sandbox.stop()
  await place.remove()
  keep('memory', weights)
  const first = weights[Math.ceil(steps * FIRST) - 1]
  const last = weights.at(-1)
  if (!first || !last) throw new Error('Nothing was weighed.')
  return (['heap', 'resident'] as const).map((kind) => rowOf(kind, first, last))
}

const inMb = (bytes: number) => `${rounded(bytes / 2 ** 20)} MB`

const kinds = { heap: 'heap after collection', resident: 'resident memory' }

type Weighed = Weight & { enrollments: number }

function rowOf(kind: keyof typeof kinds, first: Weighed, last: Weighed): Row {
  const ratio = last[kind] / first[kind]
  return {
    goal: `${kinds[kind]} over ${rounded(last.enrollments)} enrollments`,
    promise: `≤ ${memory_most_growth} of that at ${FIRST * 100} %`,
    measured: `${inMb(last[kind])}, ${rounded(ratio)}`,
    beside: `after ${rounded(first.enrollments)} enrollments: ${inMb(first[kind])}; without the hash, gateway apart; ${DATABASE}`,
    spread: '',
    ratio,
    passed: ratio <= memory_most_growth,
  }
}
