import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/db.ts'
import { refuseNewer, requireSchema } from '#server/db/migrate.ts'
import { requireMaster } from '#server/db/prepare.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { reconcile } from '#server/payments/books/reconciliation.ts'
import { clock } from '#server/world/world.ts'
import { commandLog, runAsProgram, type Surroundings } from './command-line.ts'
import { at, plural, table } from './listings.ts'

const USAGE = `npm run reconcile [-- --days N]

Compares our payments with the payment gateway's books, for the last 35 days by default.
Exit code: 0 if they agree, 1 if they differ, 2 if they could not be compared.`

const DAY_MS = 86_400_000

function parseDays(args: string[]): number {
  if (!args.length) return 35
  const [flag, days = '', ...rest] = args
  if (flag !== '--days' || !/^[1-9]\d{0,3}$/.test(days) || rest.length) throw new OperatorError(USAGE)
  return Number(days)
}

async function compare(args: string[], { env, open = openDatabase }: Surroundings): Promise<number> {
  const since = new Date(clock().getTime() - parseDays(args) * DAY_MS)
  const config = readConfig(env)
  const { db, close } = await open(config)
  try {
    await requireSchema(db)
    await refuseNewer(db)
    await requireMaster(db)
    const payment = openPaymentGateway(config, clock)
    const { discrepancies, attempts, transactions } = await reconcile(
      { config, db, log: commandLog(config), now: clock, payment },
      since,
    )
    const scope = `${plural(attempts, 'payment')} here, ${plural(transactions, 'transaction')} at the gateway '${payment.name}', since ${at(since)}`
    const { length } = discrepancies
    console.log(`${length === 1 ? '1 discrepancy' : `${length || 'No'} discrepancies`}. ${scope}.`)
    if (length)
      console.log(
        table(
          ['reference', 'discrepancy', 'here', 'gateway', 'transaction'],
          discrepancies.map((row) => [row.reference, row.kind, row.ours, row.theirs, row.transaction_id]),
        ),
      )
    return length ? 1 : 0
  } finally {
    await close()
  }
}

export const main = (args: string[], surroundings: Surroundings = {}): Promise<number> =>
  compare(args, surroundings).catch((error: unknown) => {
    console.error(explainError(error) ?? error)
    return 2
  })

if (import.meta.main) await runAsProgram(main)
