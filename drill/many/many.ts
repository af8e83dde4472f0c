import { existsSync } from 'node:fs'
import { duplicates } from '../duplicates.ts'
import { gatewayFaults } from '../faults.ts'
import { race } from '../race.ts'
import type { Ground, Part, Row, Scale } from '../scale.ts'
import { journeys } from './journeys.ts'
import { kills } from './kills.ts'
import { forgedAddresses, onceOnly } from './once.ts'
import { manyGround } from './processes.ts'
import { commandCalled } from './program.ts'
import { neverSentTwice } from './resend.ts'
import { rollingRestart } from './rolling.ts'

/** A drill that knows nothing of how many there are. */
const onFour =
  (part: Part): Part =>
  (drill, ground) =>
    part(drill, manyGround(ground))

const parts: Part[] = [
  journeys,
  onFour(duplicates),
  onFour(race),
  onFour(gatewayFaults),
  onceOnly,
  forgedAddresses,
  neverSentTwice,
  rollingRestart,
  kills,
]

const needed = ['haproxy', 'pgbouncer']

/** Four processes behind HAProxy on one PostgreSQL behind PgBouncer, with the files of deploy/. */
export const many: Part = async (drill, ground) => {
  if (ground.name === 'embedded') return [] // one process is all that it takes
  const missing = needed.filter((name) => !existsSync(commandCalled(name)))
  if (missing.length) return [broken(ground, `there is no ${missing.join(' and no ')} on this machine`)]
  const rows: Row[] = []
  for (const part of parts)
    rows.push(...(await part(drill, ground).catch((error: unknown) => [broke(drill, ground, error)])))
  return rows.map((row) => ({ ...row, part: 'many' }))
}

const broken = (ground: Ground, found: string): Row => ({
  part: 'many',
  database: ground.name,
  done: 'broke off',
  asked: '',
  found,
  passed: false,
})

function broke(drill: Scale, ground: Ground, error: unknown): Row {
  drill.say(error instanceof Error ? String(error.stack) : String(error))
  return broken(ground, 'see above')
}
