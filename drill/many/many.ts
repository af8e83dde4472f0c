import { existsSync } from 'node:fs'
import { duplicates } from '../duplicates.ts'
import { gatewayFaults } from '../faults.ts'
import { race } from '../race.ts'
import { brokeOff, type Part, type Row, rowsOf } from '../scale.ts'
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
  if (missing.length) return [brokeOff(`there is no ${missing.join(' and no ')} on this machine`)]
  const rows: Row[] = []
  for (const part of parts) rows.push(...(await rowsOf(part, drill, ground)))
  return rows
}
