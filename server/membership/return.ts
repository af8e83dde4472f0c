import { toAmount } from '#contract/money.ts'
import { renewalTotal } from '#contract/renewal.ts'
import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { consentFor, storeText } from '#server/catalog/catalog.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import { addJob } from '#server/jobs/queue.ts'
import { whyFirstPaymentIsGone } from '#server/payments/refunds.ts'
import { Refusal } from '#server/refusal.ts'
import { todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { type ChargeOutcome, requireShownPrice, sendForMember } from './card.ts'
import { isPaidOnce } from './lines.ts'
import { beginCharge } from './membership.ts'
import { addPriceChanged, addResumed } from './membership-events.ts'
import { noticeTomorrow } from './notify.ts'
import { addPeriod } from './periods.ts'
import { hasOpenCharge, lockMembership, setEnd, updateMembership } from './rows.ts'

/**
 * A member whose membership has ended comes back under the same name and link: one payment at today's price, which starts a
 * new series of months. A declined card changes nothing. Returns nothing if there is nothing to pay, as after a membership
 * that was paid once.
 */
export async function comeBack(
  world: World,
  member_id: string,
  shown: { shown_price: string },
): Promise<ChargeOutcome | undefined> {
  const charge = await inTransaction(world.db, async (db) => {
    const membership = await lockMembership(db, member_id)
    const { ends_at, enrollment_id } = membership
    if (world.config.RENEWALS === 'off') throw new Refusal(409, 'Please contact us to come back.')
    if (!ends_at || ends_at > world.now() || (await hasOpenCharge(db, enrollment_id))) return undefined
    if (membership.on_hold_since) throw new Refusal(409, 'Your membership is on hold. Please contact us.')
    const why = await whyNotBack(db, membership)
    if (why) throw new Refusal(409, `${why} Please contact us to come back.`)
    if (!membership.lines.length) {
      await setEnd(db, member_id, null, null)
      await updateMembership(db, member_id, { state: 'active' })
      await recordMembershipEvent(db, member_id, 'returned', world.now())
      await addResumed({ ...world, db }, { ...membership, state: 'active', cancelled_at: null }, 'ended')
      await addJob(db, 'kept', { member_id, is_back: true }, world.now())
      return undefined
    }
    if (!membership.vault_reference || membership.never_retry_since)
      throw new Refusal(409, 'Please update your card first.')
    const { billing_interval } = membership
    const lines = await currentLines(db, membership)
    requireShownPrice(toAmount(renewalTotal(lines)), shown)
    await recordConsent(world, db, member_id, { lines, billing_interval })
    const n = membership.period + 1
    const restarted = { anchor_on: todayOf(world), anchor_period: n, lines, state: 'ended' as const }
    const notice_at = noticeTomorrow(world, member_id)
    await updateMembership(db, member_id, { ...restarted, notice_at, lines: JSON.stringify(lines) })
    await addPriceChanged({ ...world, db }, membership, { before: membership.lines, after: lines })
    return beginCharge({ ...world, db }, await addPeriod({ ...world, db }, { ...membership, ...restarted }, n), true)
  })
  return charge && sendForMember(world, charge)
}

/** A membership that was paid once is open to its member unless that payment was given back. */
export const mayComeBack = async (db: Db, membership: Parameters<typeof isPaidOnce>[1]): Promise<boolean> =>
  !(await whyNotBack(db, membership))

const whyNotBack = async (db: Db, membership: Parameters<typeof isPaidOnce>[1]): Promise<string | undefined> =>
  (await isPaidOnce(db, membership)) ? whyFirstPaymentIsGone(db, membership.member_id) : undefined

type Renewing = Pick<Tables['membership'], 'billing_interval'> & { lines: RenewalLine[] }

/** What renews, at the prices of today. A package that is no longer offered this way keeps its price. */
export async function currentLines(db: Db, { lines, billing_interval }: Renewing): Promise<RenewalLine[]> {
  if (!lines.length) return []
  const ids = lines.map(({ product_id }) => product_id)
  const packages = await db
    .selectFrom('package')
    .select(['product_id', 'renewal_cents'])
    .where('product_id', 'in', ids)
    .where('billing_interval', '=', billing_interval)
    .where('withdrawn_at', 'is', null)
    .execute()
  const prices = new Map(packages.map(({ product_id, renewal_cents }) => [product_id, renewal_cents]))
  return lines.map(({ announced, ...line }) => ({
    ...line,
    renewal_cents: prices.get(line.product_id) ?? (announced ?? line).renewal_cents,
  }))
}

/** Pressing the button accepts the same kind of text as the second checkbox when joining. */
async function recordConsent(world: World, db: Db, member_id: string, { lines, billing_interval }: Renewing) {
  const { content, ...consent } = consentFor(
    lines.map(({ renewal_cents }) => ({ price_cents: renewal_cents, renewal_cents, billing_interval })),
  )
  await storeText(db, consent.sha256, content)
  await db
    .insertInto('acceptance')
    .values({ member_id, agreement: 'agreement_2', ...consent, accepted_at: world.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
