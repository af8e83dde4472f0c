import { existsSync } from 'node:fs'
import { brokeOff, type Part, type Row, rowsOf } from '../drill.ts'
import { duplicates } from '../payments/duplicates.ts'
import { gatewayFaults } from '../payments/gateway-faults.ts'
import { race } from '../payments/race.ts'
import { forgedAddresses, onceOnly } from './across-processes.ts'
import { journeys } from './browser-journeys.ts'
import { commandCalled } from './external-program.ts'
import { manyGround } from './process-cluster.ts'
import { kills } from './process-kills.ts'
import { neverSentTwice } from './proxy-retries.ts'
import { rollingRestart } from './rolling-restart.ts'

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
