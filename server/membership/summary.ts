import { toAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { addDays, monthlyTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { World } from '#server/world.ts'
import { lastPeriod } from './cancellation.ts'
import { cardOf } from './charges.ts'
import { todayOf } from './due.ts'
import { LAST_DAY, nextStep, startsOn } from './next-step.ts'
import { currentLines } from './return.ts'

/** What a member sees of their membership. */
export async function membershipSummary(world: World, member_id: string): Promise<OfficeView['membership']> {
  const membership = await findMembership(world.db, member_id)
  const { cancelled_at, ends_at, lines } = membership
  const is_over = ends_at !== null && ends_at <= world.now()
  return {
    state: is_over ? 'ended' : membership.state,
    price: toAmount(monthlyTotal(lines)),
    lines: lines.map(({ product_id, name, renewal_cents }) => ({ product_id, name, price: toAmount(renewal_cents) })),
    renews_on: startsOn(membership, lastPeriod(world, membership) + 1),
    ...(cancelled_at ? { cancelled_on: cancelled_at.toISOString().slice(0, 10) } : {}),
    ...(is_over && ends_at ? { ended_on: ends_at.toISOString().slice(0, 10) } : {}),
    is_over,
    is_on_hold: membership.on_hold_since !== null,
    is_charged_here: world.config.RENEWALS === 'on',
    ...cardOf(membership),
    ...problemOf(membership, todayOf(world)),
    ...(is_over ? { return_price: toAmount(monthlyTotal(await currentLines(world.db, lines))) } : {}),
  }
}

/** The day on which the paid month ends and, unless the membership is canceled, the next one begins. */
export async function renewalDay(world: World, member_id: string): Promise<string> {
  const membership = await findMembership(world.db, member_id)
  return startsOn(membership, lastPeriod(world, membership) + 1)
}

async function findMembership(db: Db, member_id: string) {
  const [membership] = (await selectMembership(db, { member_id })).rows
  if (!membership) throw new Error('The member has no membership.')
  return membership
}
type Membership = Awaited<ReturnType<typeof findMembership>>

const selectMembership = statement((db, { member_id }: { member_id: string }) =>
  db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .innerJoin('period', (join) =>
      join.onRef('period.member_id', '=', 'membership.member_id').onRef('period.n', '=', 'membership.period'),
    )
    .selectAll('membership')
    .select(['cancelled_at', 'ends_at', 'period.state as period_state'])
    .where('membership.member_id', '=', member_id),
)

/** What happens next after a declined charge. */
function problemOf(membership: Membership, today: string) {
  if (membership.state !== 'past_due') return {}
  const next = nextStep(membership, today)
  const needs_new_card = membership.never_retry_since !== null
  return {
    payment_problem: {
      needs_new_card,
      ...(next.step === 'wait' && !needs_new_card ? { retry_on: next.until } : {}),
      ends_on: addDays(startsOn(membership, membership.period), LAST_DAY),
    },
  }
}
