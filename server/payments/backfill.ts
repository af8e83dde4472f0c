import type { PaymentState } from '#server/db/tables.ts'
import { gatewayDeadline } from '#server/gateways/payment/deadlines.ts'
import type { Approval } from '#server/gateways/payment/port.ts'
import type { World } from '#server/world/world.ts'
import { onceOf } from './payments.ts'

type Context = Pick<World, 'config' | 'db' | 'log' | 'now' | 'payment'>

const BATCH_SIZE = 8
const PAID: PaymentState[] = ['enrolled', 'captured', 'capture_failed', 'refunded', 'disputed']

/**
 * Asks the gateway for the card and the network's transaction id of members who joined before we kept them. What is known
 * stays, and a failure does not stop the others. Returns how many members were completed, are still incomplete, or failed.
 */
export async function backfillCards(context: Context) {
  const counts = { filled: 0, unchanged: 0, failed: 0 }
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const members = await incompleteAfter(context, last)
    const results = await Promise.all(members.map((member) => backfill(context, member)))
    for (const result of results) counts[result] += 1
    const next = members.at(-1)?.member_id
    if (!next) return counts
    last = next
  }
}

/** Only the card that paid first: the gateway says nothing about one that has replaced it. */
const incompleteAfter = ({ db, payment }: Context, last: string) =>
  db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .innerJoin('payment', 'payment.enrollment_id', 'member.enrollment_id')
    .select(['membership.member_id', 'reference', 'transaction_id', 'amount_cents', 'payment.created_at', 'lines'])
    .where('payment.period', '=', 0)
    .where('payment.state', 'in', PAID)
    .where('gateway', '=', payment.name)
    .whereRef('payment.vault_reference', '=', 'membership.vault_reference')
    .where((where) =>
      where.or([
        where('membership.network_transaction_id', 'is', null),
        where('membership.card_brand', 'is', null),
        where('membership.card_last_four', 'is', null),
        where('membership.card_expires', 'is', null),
      ]),
    )
    .where('membership.member_id', '>', last)
    .orderBy('membership.member_id')
    .limit(BATCH_SIZE)
    .execute()

type Incomplete = Awaited<ReturnType<typeof incompleteAfter>>[number]

async function backfill(context: Context, member: Incomplete): Promise<'filled' | 'unchanged' | 'failed'> {
  const { reference, transaction_id, created_at: since } = member
  const query = { reference, transaction_id, since, ...onceOf(member.lines) }
  try {
    const answer = await context.payment.lookup(query, gatewayDeadline(context))
    if (answer.outcome !== 'approved') throw new Error(`the gateway's answer is '${answer.outcome}'`)
    return (await store(context, member, factsOf(answer))) ? 'filled' : 'unchanged'
  } catch (err) {
    context.log.warn({ err, reference }, 'the card of a member could not be looked up')
    return 'failed'
  }
}

const factsOf = ({ network_transaction_id, card }: Approval) => ({
  network_transaction_id: network_transaction_id ?? null,
  card_brand: card?.brand ?? null,
  card_last_four: card?.last_four ?? null,
  card_expires: card?.expires ?? null,
})

/** Fills in what is missing. False: the gateway does not know more than we do. */
async function store({ db }: Context, member: Incomplete, facts: ReturnType<typeof factsOf>): Promise<boolean> {
  const names = ['network_transaction_id', 'card_brand', 'card_last_four', 'card_expires'] as const
  const known = names.filter((name) => facts[name] !== null)
  if (!known.length) return false
  const { numUpdatedRows } = await db
    .updateTable('membership')
    .set(({ fn, val }) => ({
      ...Object.fromEntries(known.map((name) => [name, fn.coalesce(name, val(facts[name]))])),
      ...(facts.network_transaction_id ? { series_cents: fn.coalesce('series_cents', val(member.amount_cents)) } : {}),
    }))
    .where('member_id', '=', member.member_id)
    .where((where) => where.or(known.map((name) => where(name, 'is', null))))
    .executeTakeFirst()
  await db
    .updateTable('payment')
    .set(({ fn, val }) => Object.fromEntries(known.map((name) => [name, fn.coalesce(name, val(facts[name]))])))
    .where('reference', '=', member.reference)
    .execute()
  return numUpdatedRows > 0
}
