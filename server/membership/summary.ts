import { showAmount, toAmount } from '#contract/money.ts'
import type { OfficeView } from '#contract/office/view.ts'
import { addDays, renewalTotal } from '#contract/renewal.ts'
import type { Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Tables } from '#server/db/tables.ts'
import { AWAITING_GATEWAY } from '#server/payments/payments.ts'
import { dayOf, lastDayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { endIfCanceled, lastPeriod, resumeCharge } from './cancellation.ts'
import { pastDue } from './card.ts'
import { cardOf } from './charges.ts'
import { membershipPackage } from './lines.ts'
import { type Anchor, LAST_DAY, nextStep, startsOn } from './next-step.ts'
import { firstPeriodFrom, linesDue, linesOn, priceOn } from './prices.ts'
import { currentLines, mayComeBack } from './return.ts'

/** What a member sees of their membership. */
export async function membershipSummary(world: World, member_id: string): Promise<OfficeView['membership']> {
  const [membership, ownPackage] = await Promise.all([
    findMembership(world.db, member_id),
    membershipPackage(world.db, member_id),
  ])
  const { cancelled_at, ends_at, billing_interval } = membership
  const is_over = ends_at !== null && ends_at <= world.now()
  const renews_on = paidUntil(world, membership)
  const cancel_ends_on = endIfCanceled(world, membership, Boolean(membership.is_checking))
  const waived = waivedOf(membership)
  const lines = linesOn(membership.lines, waived?.ends_on ?? renews_on)
  return {
    state: is_over ? 'ended' : membership.state,
    price: toAmount(renewalTotal(lines)),
    billing_interval,
    lines: lines.map(({ product_id, name, renewal_cents }) => ({
      product_id,
      name,
      price: toAmount(renewal_cents),
      can_stop: product_id !== ownPackage,
    })),
    renews_on,
    ...(cancel_ends_on ? { cancel_ends_on } : {}),
    ...(waived ? { waived } : {}),
    ...newPriceOf(membership, renews_on),
    ...(cancelled_at ? { cancelled_on: dayOf(world, cancelled_at) } : {}),
    ...(is_over && ends_at ? { ended_on: lastDayOf(world, ends_at) } : {}),
    is_over,
    is_on_hold: membership.on_hold_since !== null,
    is_charged_here: world.config.RENEWALS === 'on',
    ...cardOf(membership),
    ...chargesOf(world, membership),
    ...problemOf(membership, todayOf(world)),
    ...(is_over ? await wayBack(world, membership) : {}),
  }
}

/** What coming back costs, and what has to be done first. */
async function wayBack(world: World, membership: Membership) {
  const { lines, vault_reference, never_retry_since, is_checking } = membership
  const checking = is_checking ? { is_checking: true } : {}
  if (world.config.RENEWALS === 'off' || !(await mayComeBack(world.db, membership))) return checking
  const return_price = toAmount(renewalTotal(await currentLines(world.db, membership)))
  const needsCard = lines.length > 0 && (!vault_reference || never_retry_since !== null)
  return { ...checking, return_price, ...(needsCard ? { return_needs_card: true } : {}) }
}

/** The day on which the paid period ends and, unless the membership is canceled, the next one begins. */
export const renewalDay = async (world: World, member_id: string): Promise<string> =>
  renewalOf(world, await findMembership(world.db, member_id)).renews_on

/** The next charge: its day and its amount, '$99.00'. */
export function renewalOf(world: World, membership: Membership) {
  const renews_on = waivedOf(membership)?.ends_on ?? paidUntil(world, membership)
  return { renews_on, price: showAmount(toAmount(priceOn(membership.lines, renews_on))) }
}

/** A canceled membership keeps the day that the member was told. */
const paidUntil = (world: World, membership: Membership): string =>
  membership.cancelled_at && membership.ends_at
    ? lastDayOf(world, membership.ends_at)
    : startsOn(membership, lastPeriod(world, membership) + 1)

type Waivable = Anchor & Pick<Tables['membership'], 'period' | 'waived_period'> & { cancelled_at: Date | null }

/** The next period, if it is not charged. */
export function waivedOf(membership: Waivable): { starts_on: string; ends_on: string } | undefined {
  const { period, waived_period: n, cancelled_at } = membership
  if (n === null || n <= period || cancelled_at) return undefined
  return { starts_on: startsOn(membership, n), ends_on: startsOn(membership, n + 1) }
}

export const isRenewing = ({ state, cancelled_at, on_hold_since, lines }: Membership) =>
  state !== 'ended' && !cancelled_at && !on_hold_since && lines.length > 0

export async function findMembership(db: Db, member_id: string) {
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
    .select(['cancelled_at', 'ends_at', 'period.state as period_state', 'period.lines as period_lines', 'missed_from'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment')
          .select('attempt')
          .whereRef('payment.enrollment_id', '=', 'member.enrollment_id')
          .where('payment.period', '>', 0)
          .where('payment.state', 'in', AWAITING_GATEWAY),
      ).as('is_checking'),
    )
    .where('membership.member_id', '=', member_id),
)

/** A higher price that has been announced: the current one, the new one, and the day of the first charge at it. */
function newPriceOf(membership: Membership, renews_on: string) {
  const announced = membership.lines.flatMap((line) =>
    line.announced && !line.announced.is_untold ? [line.announced.from_on] : [],
  )
  if (!announced.length) return {}
  const from_on = firstPeriodFrom(membership, announced.sort()[0] ?? '')
  const now = toAmount(renewalTotal(membership.lines))
  return from_on >= renews_on
    ? { new_price: { now, price: toAmount(priceOn(membership.lines, from_on)), from_on } }
    : {}
}

/** What the buttons that charge right away name. */
function chargesOf(world: World, membership: Membership) {
  const isCharging = Boolean(membership.is_checking)
  const card_charge = pastDue(world, membership, isCharging)?.price
  const resume_charge = membership.cancelled_at ? resumeCharge(world, membership, isCharging) : undefined
  return { ...(card_charge ? { card_charge } : {}), ...(resume_charge ? { resume_charge } : {}) }
}

/** What happens next after a declined charge. */
function problemOf(membership: Membership, today: string) {
  if (membership.state !== 'past_due') return {}
  const next = nextStep(membership, today)
  const needs_new_card = membership.never_retry_since !== null
  return {
    payment_problem: {
      price: toAmount(renewalTotal(linesDue(membership.period_lines, membership.lines))),
      is_checking: Boolean(membership.is_checking),
      needs_new_card,
      ...(next.step === 'wait' && !needs_new_card ? { retry_on: next.until } : {}),
      ends_on: addDays(startsOn(membership, membership.period), LAST_DAY),
    },
  }
}
