import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { NOTICE_DAYS } from '#contract/renewal.ts'
import { leaseEnd } from '#server/gateways/payment/deadlines.ts'
import { openPaymentGateway } from '#server/gateways/payment/open.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { changePrice, countChanged } from '#server/membership/price-change.ts'
import { OperatorError } from '#server/operator-error.ts'
import { backfillCards } from '#server/payments/backfill.ts'
import { discrepanciesOf, resolveDiscrepancy } from '#server/payments/books/discrepancies.ts'
import {
  dollars,
  executeRefund,
  NotSettled,
  requestRefund,
  requestVoid,
  TooLateToVoid,
} from '#server/payments/refunds.ts'
import { clock, type World } from '#server/world/world.ts'
import {
  checkArguments,
  type Program,
  runAsProgram,
  runCommand,
  type Surroundings,
  UsageError,
} from './command-line.ts'
import { plural } from './listings.ts'
import { showPayment } from './show-payment.ts'

const USAGE = `npm run payments -- COMMAND

  show REFERENCE                             a payment: member, period, state, card, refunds, discrepancies
  refund REFERENCE [AMOUNT] --reason "…"     give money back: AMOUNT such as 25.00, or all that is left
  void REFERENCE --reason "…"                cancel a charge that has not settled yet (about a day)
  resolve REFERENCE KIND --reason "…"        accept a discrepancy with the gateway's books; KIND as in show
  hold USERNAME --reason "…"                 charge nothing more until the hold is lifted
  release USERNAME --reason "…"              lift a hold, also one that a dispute has caused
  price PRODUCT AMOUNT --reason "…"          a package renews at a new price: immediately for new members and for
                                             everyone if it is lower; else after a notice by email
  backfill                                   look up the cards of members who joined before they were kept

  --lost                                     for resolve: the bank returned the disputed money, and the receipt says so
  --notice DAYS                              for price: 30 by default, 7 to 30
  --by NAME                                  who asks for it; your system's user name by default`

type Context = Pick<World, 'config' | 'db' | 'log' | 'now' | 'payment'>
type Input = { reason: string; who: string; notice: string | undefined; is_lost: boolean }
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
    run: async (context, [reference = '', amount], { reason, who }) => {
      const request = { reference, amount_cents: amount === undefined ? undefined : parseAmount(amount), reason, who }
      return sendNow(context, await requestRefund(context, request, leaseEnd(context)))
    },
  },
  void: {
    required: ['REFERENCE'],
    needsReason: true,
    run: async (context, [reference = ''], { reason, who }) => {
      try {
        return await sendNow(context, await requestVoid(context, { reference, reason, who }, leaseEnd(context)))
      } catch (error) {
        if (!(error instanceof TooLateToVoid)) throw error
        throw new OperatorError(`${error.message} npm run payments -- refund ${reference} --reason "…"`)
      }
    },
  },
  resolve: {
    required: ['REFERENCE', 'KIND'],
    needsReason: true,
    run: async (context, [reference = '', kind = ''], { reason, who, is_lost }) => {
      if (is_lost && kind !== 'dispute') throw new UsageError('Only a dispute can be --lost.')
      if (await resolveDiscrepancy(context, { reference, kind, reason, who, is_lost }))
        return `Resolved${is_lost ? ' as lost' : ''}. It opens again only if the gateway says something else.`
      const open = (await discrepanciesOf(context.db, reference))
        .filter(({ resolved_at }) => !resolved_at)
        .map((discrepancy) => `'${discrepancy.kind}'`)
      throw new OperatorError(
        open.length
          ? `${reference} has no open discrepancy '${kind}'. It has: ${open.join(', ')}.`
          : `${reference} has no open discrepancy.`,
      )
    },
  },
  hold: {
    required: ['USERNAME'],
    needsReason: true,
    run: async (context, [username = ''], { reason, who }) =>
      (await putOnHold(context, await memberId(context, username), `${reason} (${who})`))
        ? `${username} is on hold. Nothing more is charged until you release it.`
        : `${username} was on hold already.`,
  },
  release: {
    required: ['USERNAME'],
    needsReason: true,
    run: async (context, [username = ''], { reason, who }) => {
      const member_id = await memberId(context, username)
      if (!(await liftHold(context, member_id))) return `${username} was not on hold.`
      context.log.info({ member_id, reason, who }, 'a hold was lifted')
      return `${username} is no longer on hold. A running server charges the current period if it is not paid; missed ones are waived.`
    },
  },
  price: {
    required: ['PRODUCT', 'AMOUNT'],
    needsReason: true,
    run: async (context, [product = '', amount = ''], { reason, who, notice = String(NOTICE_DAYS) }) => {
      const [product_id, notice_days] = [wholeNumber(product, 'product number'), wholeNumber(notice, 'number of days')]
      const request = { product_id, new_cents: parseAmount(amount), notice_days, reason, who }
      const { more, less } = await countChanged(context.db, product_id, request.new_cents)
      const { name, interval } = await changePrice(context, request)
      return [
        `${name} now renews at ${dollars(request.new_cents)} a ${interval} for everyone who joins.`,
        ...(more ? [`${plural(more, 'member')} will pay more, after ${notice_days} days of notice.`] : []),
        ...(less ? [`${plural(less, 'member')} will pay less, from the next period on.`] : []),
        more + less ? 'A running server tells each of them by email.' : 'No member pays another price.',
      ].join(' ')
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

async function memberId({ db }: Context, username: string): Promise<string> {
  const member = await db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirst()
  if (!member) throw new OperatorError(`There is no member '${username}'.`)
  return member.id
}

function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`'${text}' is not a ${what}.`)
  return Number(text)
}

function parseAmount(text: string): number {
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
    const text = { type: 'string' } as const
    const options = { reason: text, by: text, notice: text, lost: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { reason = '', by = '', notice, lost: is_lost = false } = values
    return { positionals, reason: reason.trim(), who: by.trim() || systemUser(), notice, is_lost }
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

function checkReason({ needsReason }: Command, reason: string) {
  if (needsReason && !reason) throw new UsageError('A reason is missing: --reason "…"')
  if (!needsReason && reason) throw new UsageError('This command takes no reason.')
}

const program: Program<Command> = {
  usage: USAGE,
  commands,
  prepare: (command, args) => {
    const { positionals, ...input } = parse(args)
    checkArguments(command, positionals)
    checkReason(command, input.reason)
    return (opened) =>
      command.run({ ...opened, now: clock, payment: openPaymentGateway(opened.config, clock) }, positionals, input)
  },
}

export const main = (args: string[], surroundings?: Surroundings) => runCommand(program, args, surroundings)

if (import.meta.main) await runAsProgram(main)
