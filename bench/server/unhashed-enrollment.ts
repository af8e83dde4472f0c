import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { storeConsentText } from '#server/catalog/catalog.ts'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../row.ts'
import { interleaved, middleOf, ratios, rounded, spreadOf } from './compare.ts'
import type { Asked, Told } from './crowd.ts'
import { forCrowds, pressing } from './enrollment.ts'
import { DATABASE, openGround, urlOf } from './ground.ts'
import type { Noted } from './noting.ts'
import { pgbench, scriptOf, shapeOf } from './pgbench.ts'
import { runProgram, startFoyer } from './programs.ts'
import { allDone } from './visit.ts'

const { unhashed_enrollments_of_pgbench } = budgets.server
const POOL = 10
/** In which the worker looks for work a few times. */
const IDLE_MS = 1500

/** Enrollments per second when the hash costs nothing, beside pgbench with the statements of one and of what follows it. */
export const unhashed: Part = async ({ short, say, keep }) => {
  const ground = await openGround()
  const [place, theirs] = [await ground.createWorkspace(), await asFoyerStarts(await ground.createWorkspace())]
  const sandbox = await startSandbox(place)
  const settings = { ...forCrowds, PAYMENT_SANDBOX_URL: sandbox.url, DATABASE_POOL: String(POOL) }
  const crowd = runProgram([join(import.meta.dirname, 'crowd.ts')])
  say('unhashed: noting what an enrollment asks of the database …')
  const { scripts, statements } = await noteScript(place, settings, (asked) => crowd.ask<Told>(asked))
  const foyer = await startFoyer({ place, settings, before: ['unhashed.ts'] })
  const seconds = short ? 2 : 5
  const running = { folder: theirs.folder, database: urlOf(theirs), connections: POOL, seconds }

  const sides = {
    foyer: pressing({ crowd, foyer, place, milliseconds: seconds * 1000 }),
    pgbench: () => pgbench({ ...running, mode: 'simple', script: scripts.simple }),
    prepared: () => pgbench({ ...running, mode: 'prepared', script: scripts.prepared }),
  }
  say('unhashed: warming up …')
  await interleaved(sides, 1)
  say('unhashed: pressing the button …')
  const found = await interleaved(sides, short ? 3 : 9)
  await Promise.all([foyer.stop(), crowd.stop()])
  await sandbox.stop()
  await Promise.all([place.remove(), theirs.remove()])
  keep('unhashed', { ...found, statements })
  const [ratio, prepared] = [ratios(found.foyer, found.pgbench), ratios(found.foyer, found.prepared)]
  return [
    {
      goal: 'enrollments per second without the hash, one process',
      promise: `≥ ${unhashed_enrollments_of_pgbench} of pgbench`,
      measured: `${rounded(middleOf(found.foyer).median)}/s, ${rounded(ratio.median)}`,
      beside: `pgbench with the same ${statements} statements, ${POOL} connections: ${rounded(middleOf(found.pgbench).median)}/s; with them prepared, as Foyer has them: ${rounded(middleOf(found.prepared).median)}/s, of which it is ${rounded(prepared.median)}; ${DATABASE}`,
      spread: spreadOf(ratio),
      ratio: ratio.median,
      passed: ratio.median >= unhashed_enrollments_of_pgbench,
    },
  ]
}

/** Jobs that end together are closed together; whether they do is a matter of milliseconds. */
const isAlike = (one: Noted[], other: Noted[]) => shapeOf(one) === shapeOf(other)

/** What Foyer writes when it starts, and every enrollment relies on. */
async function asFoyerStarts(place: Workspace): Promise<Workspace> {
  const { db, close } = await place.open()
  await storeConsentText(db).finally(close)
  return place
}

/**
 * Two visitors enroll while the statements are noted, with those of the capture and the letters that follow; apart from
 * what is their own, they must be the same.
 */
async function noteScript(place: Workspace, settings: Record<string, string>, ask: (asked: Asked) => Promise<Told>) {
  const teller = await startFoyer({ place, settings, before: ['noting.ts', 'unhashed.ts'] })
  const idle = new Set<string>()
  const enroll = async () => {
    await ask({ prepare: 1, url: teller.url, lanes: 1 })
    await sleep(IDLE_MS)
    for (const { text, request } of await teller.ask<Noted[]>({})) if (!request) idle.add(text)
    await ask({ press: 1, url: teller.url, lanes: 1 })
    await allDone(place)
    const noted = await teller.ask<Noted[]>({})
    const itself = noted.filter(({ request }) => request?.endsWith('/add-enrollment'))
    const after = noted.filter(({ text, request }) => !request && !idle.has(text)) // looking for work is not counted
    return [...itself, ...after.sort((a, b) => a.text.localeCompare(b.text))]
  }
  await enroll() // the very first one also writes what all others find
  let [one, other] = [await enroll(), await enroll()]
  for (let again = 0; again < 5 && !isAlike(one, other); again++) [one, other] = [other, await enroll()]
  await teller.stop()
  const scripts = { simple: scriptOf(one, other, 'simple'), prepared: scriptOf(one, other, 'prepared') }
  return { scripts, statements: one.length }
}
