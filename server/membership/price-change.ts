import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { addDays, MIN_NOTICE_DAYS, NOTICE_DAYS } from '#contract/renewal.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { RenewalLine, Tables } from '#server/db/tables.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { OperatorError } from '#server/operator-error.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { addPriceChanged } from './membership-events.ts'
import { noticeTomorrow, queuePriceNotices, tellPrices } from './notify.ts'
import { changeLine, firstAtNewPrice, firstPeriodFrom } from './prices.ts'
import { type LockedMembership, lockMembership, updateMembership } from './rows.ts'

type PriceChange = Pick<Tables['price_change'], 'product_id' | 'new_cents' | 'notice_days' | 'reason'> & { who: string }

/**
 * A new price for a package: immediately for new members, after a notice for those who have it. A job goes through the
 * members. Each is told of a higher price 30 days before the first period at it, or less if that period begins sooner.
 */
export function changePrice(world: Pick<World, 'db' | 'now'>, change: PriceChange) {
  const { product_id, new_cents, notice_days, reason, who } = change
  if (notice_days < MIN_NOTICE_DAYS || notice_days > NOTICE_DAYS)
    throw new OperatorError(`Members get ${MIN_NOTICE_DAYS} to ${NOTICE_DAYS} days of notice, not ${notice_days}.`)
  return inTransaction(world.db, async (db) => {
    const offers = await db
      .selectFrom('package')
      .select(['name', 'renewal_cents', 'billing_interval'])
      .where('product_id', '=', product_id)
      .forUpdate()
      .execute()
    const [offer] = offers
    if (!offer) throw new OperatorError(`There is no package ${product_id}.`)
    if (offer.billing_interval === 'once')
      throw new OperatorError(`${offer.name} is paid once. It has no price to renew.`)
    await db.updateTable('package').set({ renewal_cents: new_cents }).where('product_id', '=', product_id).execute()
    const id = randomUUID()
    await db
      .insertInto('price_change')
      .values({
        id,
        product_id,
        old_cents: offer.renewal_cents,
        new_cents,
        notice_days,
        reason,
        made_by: who,
        made_at: world.now(),
        told: 0,
      })
      .execute()
    await addJob(db, 'price_change', { price_change_id: id }, world.now())
    return { name: offer.name, interval: offer.billing_interval }
  })
}

const BATCH_SIZE = 20_000

export type PriceGroup = { pays_cents: number; announced_cents: number | null; members: number }
/** What members pay for a package: the next of them, by member, with where to go on. */
export type PriceEffect = { groups: PriceGroup[]; unaffected: number; next?: string }

/**
 * What some thousand members pay now for a package, and how many of them a price change leaves alone because they have
 * canceled or are on hold. It goes on after `next`, so that no statement reads all memberships.
 */
export async function pricesOf(db: Db, product_id: number, after: string | undefined): Promise<PriceEffect> {
  const { rows } = await sql<Record<'pays' | 'announced' | 'members' | 'unaffected', number | null>>`
    select pays, announced, count(*) filter (where not is_unaffected) as members,
      count(*) filter (where is_unaffected) as unaffected
    from (${membershipsAfter(after)}) looked
      join member on member.id = looked.member_id
      cross join lateral (
        select cast(line ->> 'renewal_cents' as integer) as pays,
          cast(line -> 'announced' ->> 'renewal_cents' as integer) as announced
        from jsonb_array_elements(lines) line where cast(line ->> 'product_id' as integer) = ${product_id}) priced
      cross join lateral (select cancelled_at is not null or on_hold_since is not null as is_unaffected) state
    where looked.state <> 'ended'
    group by pays, announced order by pays, announced`.execute(db)
  const { rows: ends } = await sql<{ last: string | null; count: number }>`
    select max(cast(member_id as text)) as last, count(*) as count from (${membershipsAfter(after)}) looked`.execute(db)
  const { last = null, count = 0 } = ends[0] ?? {}
  return {
    groups: rows
      .filter(({ members }) => Number(members))
      .map(({ pays, announced, members }) => ({
        pays_cents: Number(pays),
        announced_cents: announced === null ? null : Number(announced),
        members: Number(members),
      })),
    unaffected: rows.reduce((sum, { unaffected }) => sum + Number(unaffected), 0),
    ...(Number(count) === BATCH_SIZE && last ? { next: last } : {}),
  }
}

const membershipsAfter = (after: string | undefined) => sql`
  select member_id, lines, state, on_hold_since from membership
  ${after ? sql`where member_id > cast(${after} as uuid)` : sql``} order by member_id limit ${sql.lit(BATCH_SIZE)}`

/** How many members will pay more or less than they were told last. */
export async function countChanged(db: Db, product_id: number, new_cents: number) {
  const counts = { more: 0, less: 0 }
  let after: string | undefined
  do {
    const { groups, next } = await pricesOf(db, product_id, after)
    for (const { pays_cents, announced_cents, members } of groups) {
      const cents = announced_cents ?? pays_cents
      if (cents < new_cents) counts.more += members
      if (cents > new_cents) counts.less += members
    }
    after = next
  } while (after)
  return counts
}

const MEMBERS_AT_ONCE = 200

/** Changes the next members of a price change, and tells them. Members who have canceled or are on hold are left alone until they renew again. */
export const announcePrices = (world: World, { price_change_id }: JobPayloads['price_change']): Promise<void> =>
  inTransaction(world.db, async (db) => {
    const change = await db
      .selectFrom('price_change')
      .selectAll()
      .where('id', '=', price_change_id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (change.done_at) return
    const members = (await isNewest(db, change)) ? await membersAfter(db, change) : []
    let told = 0
    for (const member of members) if (await changeMember({ ...world, db }, member, change, 'now')) told += 1
    const isLast = members.length < MEMBERS_AT_ONCE
    await db
      .updateTable('price_change')
      .set({
        told: change.told + told,
        ...(isLast ? { done_at: world.now() } : { reached: members.at(-1)?.member_id ?? null }),
      })
      .where('id', '=', price_change_id)
      .execute()
    if (!isLast) await addJob(db, 'price_change', { price_change_id }, world.now())
  })

/** Where a later change has another price, nobody is told of this one any more. */
const isNewest = async (db: Db, { id, product_id }: Tables['price_change']) => {
  const newest = await db
    .selectFrom('price_change')
    .select('id')
    .where('product_id', '=', product_id)
    .orderBy('made_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.id === id
}

/** Those who joined later have the price that they joined with. */
const membersAfter = (db: Db, { reached, product_id, made_at }: Tables['price_change']) =>
  db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select(['member_id', 'lines', 'period', 'anchor_on', 'anchor_period', 'billing_interval', 'waived_period'])
    .select(['membership.state', 'on_hold_since', 'cancelled_at'])
    .$if(reached !== null, (query) => query.where('member_id', '>', reached ?? ''))
    .where('membership.state', '<>', 'ended')
    .where('cancelled_at', 'is', null)
    .where('on_hold_since', 'is', null)
    .where('membership.joined_at', '<=', made_at)
    .where(sql<boolean>`lines @> ${JSON.stringify([{ product_id }])}::jsonb`)
    .orderBy('member_id')
    .limit(MEMBERS_AT_ONCE)
    .forUpdate('membership')
    .execute()

type Member = Awaited<ReturnType<typeof membersAfter>>[number]
/** When a member is told: after today's charge, because it may move the renewal day, or once nothing else keeps the membership from renewing. */
type Tell = 'now' | 'after_charge' | 'later'
type Context = Pick<World, 'config' | 'db' | 'now'>

/** False if nothing changes for the member. */
async function changeMember(context: Context, member: Member, change: Tables['price_change'], tell: Tell) {
  const { product_id, new_cents } = change
  const { member_id } = member
  const line = member.lines.find((each) => each.product_id === product_id)
  if (!line || (line.announced ?? line).renewal_cents === new_cents) return false
  const from_on = firstPeriodFrom(member, addDays(dayOf(context, change.made_at), change.notice_days))
  const { announced, ...changedLine } = changeLine(line, new_cents, from_on)
  const changed = announced ? { ...changedLine, announced: { ...announced, is_untold: true as const } } : changedLine
  const lines = member.lines.map((each) => (each === line ? changed : each))
  await updateMembership(context.db, member_id, {
    lines: JSON.stringify(tell === 'now' ? await queuePriceNotices(context, { ...member, lines }) : lines),
    ...(announced ? { notice_at: noticeTomorrow(context, member_id) } : {}),
  })
  await addPriceChanged(context, member, { before: member.lines, after: lines })
  const old_cents = line.renewal_cents
  if (announced) return true
  if (tell === 'later') return false
  if (context.config.RENEWALS === 'off' && new_cents < old_cents) return false // the email would name a charge
  if (new_cents === old_cents && line.announced?.is_untold) return false // the higher price is withdrawn before its email
  const starts_on = tell === 'after_charge' ? todayOf(context) : firstPeriodFrom(member, '')
  await addJob(context.db, 'price_changed', { member_id, product_id, old_cents, new_cents, starts_on }, context.now())
  return true
}

/** The price changes that a member has missed while canceled or on hold apply like everyone else's, with a notice of their own. */
export async function applyMissedChanges(context: Context, member: LockedMembership, since: Date, tell: Tell) {
  const { db } = context
  const changes = await db
    .selectFrom('price_change')
    .distinctOn('product_id')
    .selectAll()
    .orderBy('product_id')
    .orderBy('made_at', 'desc')
    .execute()
  const isMissed = ({ made_at, done_at }: Tables['price_change']) =>
    made_at >= member.joined_at && (!done_at || done_at >= since)
  for (const change of changes.filter(isMissed)) {
    const { lines } = await lockMembership(db, member.member_id)
    await changeMember(context, { ...member, lines }, change, tell)
  }
  if (tell === 'now') await tellPrices(context, await lockMembership(db, member.member_id))
}

/**
 * The email about a higher price was sent: from here on the price can be charged, but never before the day that it names. If
 * the price was withdrawn meanwhile, another email says so.
 */
export const recordNotice = (world: World, { old_cents, new_cents, ...notice }: JobPayloads['price_changed']) =>
  inTransaction(world.db, async (db) => {
    const { member_id, product_id } = notice
    const membership = await lockMembership(db, member_id)
    const line = membership.lines.find((each) => each.product_id === product_id)
    if (new_cents > old_cents && line && !line.announced && line.renewal_cents === old_cents)
      return addJob(db, 'price_changed', { ...notice, old_cents, new_cents: old_cents }, world.now())
    const changed = membership.lines.map(({ announced, ...line }): RenewalLine => {
      if (!announced) return line
      const isThis = line.product_id === product_id && announced.renewal_cents === new_cents && announced.is_untold
      if (!isThis) return { ...line, announced }
      const from_on = firstAtNewPrice(membership, announced, todayOf(world))
      return { ...line, announced: { renewal_cents: new_cents, from_on } }
    })
    await updateMembership(db, member_id, { lines: JSON.stringify(changed) })
  })
