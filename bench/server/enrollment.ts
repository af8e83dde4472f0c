import { join } from 'node:path'
import { startSandbox } from '../../drill/site/processes.ts'
import type { Workspace } from '../../drill/site/workspace.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Bench, Part, Row } from '../row.ts'
import { interleaved, middleOf, ratios, rounded, spreadOf } from './compare.ts'
import type { Asked, Told } from './crowd.ts'
import { DATABASE, openGround } from './ground.ts'
import type { Asked as AskedToHash, Told as ToldOfHashes } from './hashing.ts'
import { type Foyer, type Program, runProgram, startFoyer } from './programs.ts'
import { allDone, unfinished } from './visit.ts'

const { enrollments_of_hashing } = budgets.server

/** As Foyer comes; and with one core left for database, gateway and visitors, which usually have machines of their own. */
const AT_ONCE = [2, 1]
/** Visitors who press the button at the same time. */
export const LANES = 12

/**
 * Visitors on one machine look like many, and their captcha is quickly solved; checking its solution costs what it costs
 * in production.
 */
export const forCrowds = { TRUST_PROXY: 'loopback', CAPTCHA_COST: '5000', CAPTCHA_COUNTER: '2' }

type Pressing = { crowd: Pick<Program, 'ask'>; foyer: Pick<Foyer, 'url'>; place: Workspace; milliseconds: number }

/** One side of a comparison: visitors get ready, then press the button for so long. Whole enrollments per second. */
export function pressing({ crowd, foyer: { url }, place, milliseconds }: Pressing): () => Promise<number> {
  let mostPerSecond = 150
  return async () => {
    const visitors = Math.ceil((mostPerSecond * 1.5 * milliseconds) / 1000) + LANES
    await crowd.ask<Told>({ prepare: visitors, url, lanes: LANES } satisfies Asked)
    const told = await crowd.ask<Told>({ press: milliseconds, url, lanes: LANES } satisfies Asked)
    const behind = await unfinished(place) // does not count yet …
    if (told.others.length) throw new Error(`Not everybody was approved: ${told.others.join('; ')}`)
    await allDone(place) // … and must not slow down the other side
    const perSecond = ((told.approved - behind) * 1000) / told.milliseconds
    mostPerSecond = Math.max(mostPerSecond, perSecond)
    return perSecond
  }
}

/** Whole enrollments per second, beside nothing but the hash that each of them needs. */
export const enrollment: Part = async (bench) => {
  const rows: Row[] = []
  for (const atOnce of AT_ONCE) rows.push(await measure(bench, atOnce))
  return rows
}

async function measure({ short, say, keep }: Bench, atOnce: number): Promise<Row> {
  const place = await (await openGround()).createWorkspace()
  const sandbox = await startSandbox(place)
  const settings = { ...forCrowds, PAYMENT_SANDBOX_URL: sandbox.url, HASHES_AT_ONCE: String(atOnce) }
  const foyer = await startFoyer({ place, settings })
  const crowd = runProgram([join(import.meta.dirname, 'crowd.ts')])
  const hashing = runProgram([join(import.meta.dirname, 'hashing.ts')])
  const milliseconds = short ? 2000 : 6000

  const sides = {
    foyer: pressing({ crowd, foyer, place, milliseconds }),
    hashing: async () => {
      const asked: AskedToHash = { milliseconds, atOnce }
      const told = await hashing.ask<ToldOfHashes>(asked)
      return (told.hashed * 1000) / told.milliseconds
    },
  }
  say(`enrollment: warming up, ${atOnce} at once …`)
  await interleaved(sides, 1)
  say('enrollment: pressing the button …')
  const found = await interleaved(sides, short ? 3 : 9)
  await Promise.all([foyer.stop(), crowd.stop(), hashing.stop()])
  await sandbox.stop()
  await place.remove()
  keep(`enrollment, ${atOnce} at once`, found)
  const ratio = ratios(found.foyer, found.hashing)
  return {
    goal: `enrollments per second, one process, ${atOnce} ${atOnce === 1 ? 'hash' : 'hashes'} at once`,
    promise: `≥ ${enrollments_of_hashing} of pure hashing`,
    measured: `${rounded(middleOf(found.foyer).median)}/s, ${rounded(ratio.median)}`,
    beside: `argon2id alone, one process, ${atOnce} at once: ${rounded(middleOf(found.hashing).median)}/s; database, gateway and visitors on the same machine; ${DATABASE}`,
    spread: spreadOf(ratio),
    ratio: ratio.median,
    passed: ratio.median >= enrollments_of_hashing,
  }
}
