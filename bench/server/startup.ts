import { freePort } from '../../scripts/port.mjs'
import budgets from '../budgets.json' with { type: 'json' }
import type { Part } from '../row.ts'
import { interleaved, middleOf, rounded, spreadOf } from './compare.ts'
import { DATABASE, openGround } from './ground.ts'
import { answers, runProgram, startFoyer } from './programs.ts'

const { start_up_ms } = budgets.server

/** From the spawn of the program to its first "ready", on a database that is up to date. */
export const startup: Part = async ({ short, say, keep }) => {
  const place = await (await openGround()).createWorkspace()
  await (await startFoyer({ place })).stop() // the first start writes the keys
  say('start-up: starting again and again …')
  const found = await interleaved(
    {
      foyer: async () => {
        const begun = performance.now()
        const foyer = await startFoyer({ place })
        const took = performance.now() - begun
        await foyer.stop()
        return took
      },
      node: () => bareStart(),
    },
    short ? 3 : 10,
  )
  await place.remove()
  keep('startup', found)
  const ours = middleOf(found.foyer)
  const bare = middleOf(found.node)
  return [
    {
      goal: 'from spawn to the first ready answer',
      promise: `< ${start_up_ms} ms`,
      measured: `${rounded(ours.median)} ms`,
      beside: `bare Node HTTP server: ${rounded(bare.median)} ms; ${DATABASE}`,
      spread: spreadOf(ours, ' ms'),
      ratio: ours.median / start_up_ms,
      passed: ours.median < start_up_ms,
    },
  ]
}

const BARE = `require('node:http').createServer((_, reply) => reply.end()).listen(Number(process.env.PORT), '127.0.0.1')`

/** How long the machine takes for the least that a Node server can be. */
async function bareStart(): Promise<number> {
  const port = await freePort()
  const begun = performance.now()
  const program = runProgram(['-e', BARE], { PORT: String(port) })
  await answers(program, `http://127.0.0.1:${port}/`)
  const took = performance.now() - begun
  await program.stop()
  return took
}
