import { occasions } from '#contract/commission.ts'
import { consolePackageCalls } from '#contract/console/packages.ts'
import { showAmount, toAmount, toCents } from '#contract/money.ts'
import { commandLine, recordAction } from '#server/audit/audit.ts'
import { allVolumes, newestVolumes, setVolumes } from '#server/catalog/volumes.ts'
import { writeMonth } from '#server/connect/commission/commission.ts'
import { dryRun, engineNames } from '#server/connect/commission/dry-run.ts'
import { inTransaction } from '#server/db/db.ts'
import { OperatorError } from '#server/operator-error.ts'
import { UsageError } from '../command-line.ts'
import { table } from '../listings.ts'
import { type ConnectCommand, type ConnectContext, checked } from './command.ts'

export const commissionCommands: Record<string, ConnectCommand> = {
  commission: {
    required: [],
    options: { month: 'string', out: 'string', engine: 'string', 'dry-run': 'boolean' },
    run: async (context, _args, { month, out, engine, 'dry-run': isDryRun }) => {
      if (!month) throw new UsageError('The month is missing: --month 2026-10')
      if (!engine && out) return writeMonth(context, String(month), String(out))
      if (!engine) throw new UsageError('The folder is missing: --out DIR')
      if (out || !isDryRun)
        throw new UsageError(`Requests to ${engine} can only be printed: use --dry-run, without --out.`)
      return printRequests(context, String(month), String(engine))
    },
  },
  'volumes list': {
    required: [],
    run: async ({ db }) =>
      table(
        ['package', 'paid', 'price', 'business', 'commissionable', 'since', 'by'],
        newestVolumes(await allVolumes(db)).map((row) => [
          ...[String(row.product_id), row.occasion, showAmount(toAmount(row.price_cents))],
          ...[toAmount(row.business_volume), toAmount(row.commissionable_volume)],
          ...[row.set_at.toISOString(), row.set_by],
        ]),
      ),
  },
  'volumes set': {
    required: ['PACKAGE', 'WHEN', 'PRICE', 'BUSINESS', 'COMMISSIONABLE'],
    run: async (context, [product_id, occasion, price, business_volume, commissionable_volume]) => {
      const { input } = consolePackageCalls.setVolumes
      const values = { product_id, occasion, price, business_volume, commissionable_volume }
      return saveVolumes(context, checked(input.safeParse(values)))
    },
  },
}

/** Printed as they are made: a month has many. */
async function printRequests(context: ConnectContext, month: string, engine: string): Promise<string> {
  let count = 0
  for await (const request of dryRun(context, month, engine)) {
    count += 1
    if (!process.stdout.write(`${JSON.stringify(request)}\n`))
      await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  return `${count.toLocaleString('en-US')} requests. Nothing was sent.`
}

type Input = Record<'price' | 'business_volume' | 'commissionable_volume', string> & {
  product_id: number
  occasion: (typeof occasions)[number]
}

const saveVolumes = (context: ConnectContext, { product_id, occasion, ...amounts }: Input) =>
  inTransaction(context.db, async (db) => {
    const row = await db
      .selectFrom('package')
      .select(['name', 'billing_interval'])
      .where('product_id', '=', product_id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new OperatorError(`There is no package ${product_id}.`)
    if (occasion === 'renewal' && row.billing_interval === 'once')
      throw new OperatorError(`${row.name} is paid once, so it never renews.`)
    const { price, business_volume, commissionable_volume } = amounts
    const set = await setVolumes(
      { ...context, db },
      {
        product_id,
        occasion,
        price_cents: toCents(price) ?? 0,
        business_volume: toCents(business_volume) ?? 0,
        commissionable_volume: toCents(commissionable_volume) ?? 0,
        set_by: 'command line',
      },
    )
    if (!set) return 'Nothing to change: these are already the volumes.'
    await recordAction(
      { ...context, db },
      {
        act: 'set_volumes',
        actor: commandLine,
        subject_kind: 'package',
        subject: String(product_id),
        after: { occasion, ...amounts },
      },
    )
    return `${row.name} at ${showAmount(price)} (${occasion}) has the volumes ${business_volume} and ${commissionable_volume} from now on.`
  })

export const commissionUsage = `  commission --month MONTH --out DIR           write a month's members, orders and tree, signed; MONTH such as 2026-10
  commission --month MONTH --engine ENGINE --dry-run
                                               print the requests for ${engineNames.join(' or ')}; nothing is sent
  volumes list                                 list each price's volumes in a commission plan
  volumes set PACKAGE ${occasions.join('|')} PRICE BUSINESS COMMISSIONABLE
                                               set volumes from now on, such as 34 renewal 99.00 60.00 50.00`
