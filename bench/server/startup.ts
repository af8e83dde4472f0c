import { freePort } from '../../scripts/port.mjs'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE } from './database.ts'
import { runProgram, startFoyer, waitForReady } from './programs/programs.ts'

const { start_up_ms } = budgets.server

/** From the start of the process until it is ready, on a migrated database. */
export const startup: Part = async ({ short, log, saveFigures }) => {
  const database = await createDatabase()
  await (await startFoyer({ database })).stop() // the first start writes the keys
  log('startup: starting repeatedly …')
  const times = await measureInTurns(
    {
      foyer: async () => {
        const start = performance.now()
        const foyer = await startFoyer({ database })
        const elapsed = performance.now() - start
        await foyer.stop()
        return elapsed
      },
      node: measureBareStart,
    },
    short ? 3 : 10,
  )
  await database.remove()
  saveFigures('startup', times)
  const foyer = quartiles(times.foyer)
  const bare = quartiles(times.node)
  return [
    {
      goal: 'start until ready',
      promise: `< ${start_up_ms} ms`,
      measured: `${formatNumber(foyer.median)} ms`,
      beside: `bare Node HTTP server: ${formatNumber(bare.median)} ms; ${DATABASE_NOTE}`,
      spread: formatSpread(foyer, ' ms'),
      ratio: foyer.median / start_up_ms,
      passed: foyer.median < start_up_ms,
    },
  ]
}

const BARE_SERVER = `require('node:http').createServer((_, reply) => reply.end()).listen(Number(process.env.PORT), '127.0.0.1')`

/** The lower limit: the smallest possible Node server. */
async function measureBareStart(): Promise<number> {
  const port = await freePort()
  const start = performance.now()
  const program = runProgram(['-e', BARE_SERVER], { PORT: String(port) })
  await waitForReady(program, `http://127.0.0.1:${port}/`)
  const elapsed = performance.now() - start
  await program.stop()
  return elapsed
}
