import { startSandbox } from '../../drill/site/processes.ts'
import budgets from '../budgets.json' with { type: 'json' }
import type { Bench, Part, Row } from '../part.ts'
import { formatNumber, formatSpread, measureInTurns, quartiles, ratioQuartiles } from '../statistics.ts'
import { createDatabase, DATABASE_NOTE } from './database.ts'
import { enrollmentRate, visitorSettings } from './enrollment-rate.ts'
import type { HashingReply, HashingRequest } from './programs/hashing.ts'
import { runBenchProgram, startFoyer } from './programs/programs.ts'

const { enrollments_of_hashing, enrollments_of_hashing_on_all_cores } = budgets.server

/**
 * With one hash at once, a core is left for the database, gateway and visitors, as if they had their own machines. With two,
 * they compete with the hashes for the same two cores.
 */
const promises = [
  { concurrency: 1, promised: enrollments_of_hashing },
  { concurrency: 2, promised: enrollments_of_hashing_on_all_cores },
]

/** Complete enrollments per second, beside only the password hash that each of them needs. */
export const enrollment: Part = async (bench) => {
  const rows: Row[] = []
  for (const { concurrency, promised } of promises) rows.push(await measure(bench, concurrency, promised))
  return rows
}

async function measure({ short, log, saveFigures }: Bench, concurrency: number, promised: number): Promise<Row> {
  const database = await createDatabase()
  const sandbox = await startSandbox(database)
  const settings = { ...visitorSettings, PAYMENT_SANDBOX_URL: sandbox.url, HASHES_AT_ONCE: String(concurrency) }
  const foyer = await startFoyer({ database, settings })
  const visitors = runBenchProgram('visitors')
  const hashing = runBenchProgram('hashing')
  const milliseconds = short ? 2000 : 6000

  const sides = {
    foyer: enrollmentRate({ visitors, foyer, database, milliseconds }),
    hashing: async () => {
      const reply = await hashing.request<HashingReply>({ milliseconds, concurrency } satisfies HashingRequest)
      return (reply.hashes * 1000) / reply.milliseconds
    },
  }
  log(`enrollment: warming up, ${concurrency} at once …`)
  await measureInTurns(sides, 1)
  log('enrollment: measuring …')
  const rates = await measureInTurns(sides, short ? 3 : 9)
  await Promise.all([foyer.stop(), visitors.stop(), hashing.stop()])
  await sandbox.stop()
  await database.remove()
  saveFigures(`enrollment, ${concurrency} at once`, rates)
  const ratio = ratioQuartiles(rates.foyer, rates.hashing)
  return {
    goal: `enrollments per second, one process, ${concurrency} ${concurrency === 1 ? 'hash' : 'hashes'} at once`,
    promise: `≥ ${promised} of pure hashing`,
    measured: `${formatNumber(quartiles(rates.foyer).median)}/s, ${formatNumber(ratio.median)}`,
    beside: `argon2id alone, one process, ${concurrency} at once: ${formatNumber(quartiles(rates.hashing).median)}/s; database, gateway and visitors on the same machine; ${DATABASE_NOTE}`,
    spread: formatSpread(ratio),
    ratio: ratio.median,
    passed: ratio.median >= promised,
  }
}
