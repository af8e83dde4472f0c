import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { readConfig } from '#server/config/config.ts'
import { type Database, openDatabase } from '#server/db/db.ts'
import { plural } from '#server/db/listings.ts'
import { refuseNewer, requireSchema } from '#server/db/migrate.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import { createLog } from '#server/log.ts'
import { explainError, OperatorError } from '#server/operator-error.ts'
import { clock, type World } from '#server/world.ts'
import { backfillCards } from './backfill.ts'
import { differencesOf, resolveDifference } from './books/differences.ts'
import { leaseEnd } from './payments.ts'
import { dollars, executeRefund, NotSettled, requestRefund, requestVoid } from './refunds.ts'
import { showPayment } from './show.ts'

const USAGE = `npm run payments -- COMMAND

  show REFERENCE                             a payment: member, period, state, card, refunds, differences
  refund REFERENCE [AMOUNT] --reason "…"     give money back: AMOUNT such as 25.00, or all that is left
  void REFERENCE --reason "…"                cancel a charge that has not settled yet (about a day)
  resolve REFERENCE KIND --reason "…"        a difference to the gateway's books may stay; KIND as in show
  backfill                                   look up the cards of members who joined before they were kept

  --by NAME                                  who asks for it; your system's user name by default`

class UsageError extends OperatorError {}

type Context = Pick<World, 'config' | 'db' | 'log' | 'now' | 'payment'>
type Input = { reason: string; who: string }
type Command = {
  required: string[]
  optional?: string[]
  needsReason?: true
  run: (context: Context, args: string[], input: Input) => Promise<string>
}

const commands: Record<string, Command> = {
  show: {
    required: ['REFERENCE'],
    run: ({ db }, [reference = '']) => showPayment(db, reference),
  },
  refund: {
    required: ['REFERENCE'],
    optional: ['AMOUNT'],
    needsReason: true,
    run: async (context, [reference = '', amount], input) => {
      const request = { reference, amount_cents: parseAmount(amount), ...input }
      return sendNow(context, await requestRefund(context, request, leaseEnd(context)))
    },
  },
  void: {
    required: ['REFERENCE'],
    needsReason: true,
    run: async (context, [reference = ''], input) =>
      sendNow(context, await requestVoid(context, { reference, ...input }, leaseEnd(context))),
  },
  resolve: {
    required: ['REFERENCE', 'KIND'],
    needsReason: true,
    run: async (context, [reference = '', kind = ''], { reason }) => {
      if (await resolveDifference(context, { reference, kind, reason }))
        return `Resolved. It opens again only if the gateway says something else.`
      const open = (await differencesOf(context.db, reference)).map((difference) => `'${difference.kind}'`)
      throw new OperatorError(
        open.length
          ? `${reference} has no difference '${kind}'. It has: ${open.join(', ')}.`
          : `${reference} has no open difference.`,
      )
    },
  },
  backfill: {
    required: [],
    run: async (context) => {
      const { filled, unchanged, failed } = await backfillCards(context)
      const rest = [
        ...(unchanged ? [`The gateway knows no more than we do about ${plural(unchanged, 'member')}.`] : []),
        ...(failed ? [`${plural(failed, 'lookup')} failed; run it again later.`] : []),
      ]
      return [filled ? `Completed the card of ${plural(filled, 'member')}.` : 'Nothing to complete.', ...rest].join(' ')
    },
  },
}

function parseAmount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const cents = /^\d{1,7}(\.\d{2})?$/.test(text) ? Math.round(Number(text) * 100) : 0
  if (!cents) throw new UsageError(`'${text}' is not an amount. Write it in dollars: 25 or 25.00.`)
  return cents
}

/** The job that was written takes over later if this process does not get an answer. */
async function sendNow(context: Context, { refund_id, amount_cents }: { refund_id: string; amount_cents: number }) {
  const amount = dollars(amount_cents)
  try {
    await executeRefund(context, { refund_id })
  } catch (error) {
    return error instanceof NotSettled
      ? `Recorded. The charge has not settled yet, so a part of it cannot be refunded before tomorrow or so. A running server refunds ${amount} then.`
      : `Recorded, but the gateway has not confirmed it: ${error instanceof Error ? error.message : error}. A running server keeps trying to refund ${amount}.`
  }
  const { state } = await context.db
    .selectFrom('refund')
    .select('state')
    .where('id', '=', refund_id)
    .executeTakeFirstOrThrow()
  if (state === 'refused') throw new OperatorError('The gateway refused the refund. Nothing was refunded.')
  return `Refunded ${amount}. The member gets an email. The membership itself is unchanged.`
}

function parse(args: string[]) {
  try {
    const options = { reason: { type: 'string' }, by: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { positionals, reason: values.reason?.trim() ?? '', who: values.by?.trim() || systemUser() }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** A container may have no name for its user. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'command line'
  }
}

function checkArguments({ required, optional = [], needsReason }: Command, args: string[], reason: string) {
  const missing = required[args.filter(Boolean).length]
  if (missing) throw new UsageError(`${missing} is missing.`)
  const unknown = args[required.length + optional.length]
  if (unknown !== undefined) throw new UsageError(`There is no argument '${unknown}'.`)
  if (needsReason && !reason) throw new UsageError('A reason is missing: --reason "…"')
  if (!needsReason && reason) throw new UsageError('This command takes no reason.')
}

async function main([name = '', ...args]: string[]): Promise<number> {
  if ([name, ...args].some((arg) => ['--help', '-h'].includes(arg))) {
    console.log(USAGE)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    console.error(USAGE)
    return 2
  }
  let database: Database | undefined
  try {
    const { positionals, reason, who } = parse(args)
    checkArguments(command, positionals, reason)
    const config = readConfig()
    database = await openDatabase(config)
    const { db } = database
    await requireSchema(db)
    await refuseNewer(db)
    const log = createLog(config.LOG_LEVEL, process.stderr)
    const payment = openPaymentGateway(config, clock)
    console.log(await command.run({ config, db, log, now: clock, payment }, positionals, { reason, who }))
    return 0
  } catch (error) {
    console.error(explainError(error) ?? error)
    if (error instanceof UsageError) console.error(`\n${USAGE}`)
    return error instanceof UsageError ? 2 : 1
  } finally {
    await database?.close()
  }
}

process.exitCode = await main(process.argv.slice(2))
