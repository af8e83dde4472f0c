import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { addJob, type JobPayloads } from '#server/jobs/queue.ts'
import { OperatorError } from '#server/operator-error.ts'
import type { World } from '#server/world.ts'
import { todayOf } from './due.ts'
import { updateMembership } from './membership.ts'
import { changeLine, firstPeriodFrom } from './prices.ts'

export const NOTICE_DAYS = 30
export const MIN_NOTICE_DAYS = 7

type PriceChange = Pick<Tables['price_change'], 'product_id' | 'new_cents' | 'notice_days' | 'reason'> & { who: string }

/**
 * A new price for a package: at once for new members, after a notice for those who have it. A job goes through the members
 * and tells each by email.
 */
export function changePrice(world: Pick<World, 'db' | 'now'>, change: PriceChange) {
  const { product_id, new_cents, notice_days, reason, who } = change
  if (notice_days < MIN_NOTICE_DAYS)
    throw new OperatorError(`Members need at least ${MIN_NOTICE_DAYS} days of notice, not ${notice_days}.`)
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
    const effect = await effectOf(db, product_id, new_cents)
    await db.updateTable('package').set({ renewal_cents: new_cents }).where('product_id', '=', product_id).execute()
    const id = randomUUID()
    await db
      .insertInto('price_change')
      .values({
        ...{ id, product_id, old_cents: offer.renewal_cents, new_cents, notice_days, reason },
        ...{ made_by: who, made_at: world.now(), told: 0 },
      })
      .execute()
    await addJob(db, 'price_change', { price_change_id: id }, world.now())
    return { name: offer.name, interval: offer.billing_interval, ...effect }
  })
}

/** How many members will pay more or less. */
async function effectOf(db: Db, product_id: number, new_cents: number) {
  const { rows } = await sql<{ more: string; less: string }>`
    select count(*) filter (where cents < ${new_cents}) as more, count(*) filter (where cents > ${new_cents}) as less
    from membership join member on member.id = member_id
      cross join lateral (
        select cast(coalesce(line -> 'announced' ->> 'renewal_cents', line ->> 'renewal_cents') as integer) as cents
        from jsonb_array_elements(lines) line where cast(line ->> 'product_id' as integer) = ${product_id}) priced
    where membership.state <> 'ended' and cancelled_at is null and on_hold_since is null`.execute(db)
  return { more: Number(rows[0]?.more ?? 0), less: Number(rows[0]?.less ?? 0) }
}

const MEMBERS_AT_ONCE = 200

/** Changes the next members of a price change, and tells them. Members who have canceled or are on hold keep what they agreed to. */
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
    for (const member of members) if (await tellMember(world, db, member, change)) told += 1
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

const membersAfter = (db: Db, { reached, product_id }: Pick<Tables['price_change'], 'reached' | 'product_id'>) =>
  db
    .selectFrom('membership')
    .innerJoin('member', 'member.id', 'membership.member_id')
    .select(['member_id', 'lines', 'period', 'anchor_on', 'anchor_period', 'billing_interval'])
    .$if(reached !== null, (query) => query.where('member_id', '>', reached ?? ''))
    .where('membership.state', '<>', 'ended')
    .where('cancelled_at', 'is', null)
    .where('on_hold_since', 'is', null)
    .where(sql<boolean>`lines @> ${JSON.stringify([{ product_id }])}::jsonb`)
    .orderBy('member_id')
    .limit(MEMBERS_AT_ONCE)
    .forUpdate('membership')
    .execute()

type Member = Awaited<ReturnType<typeof membersAfter>>[number]

/** False if the member pays that price already, or will. */
async function tellMember(world: World, db: Db, member: Member, change: Tables['price_change']): Promise<boolean> {
  const { product_id, new_cents } = change
  const line = member.lines.find((each) => each.product_id === product_id)
  if (!line || (line.announced ?? line).renewal_cents === new_cents) return false
  const changed = changeLine(line, new_cents, addDays(todayOf(world), change.notice_days))
  const lines = member.lines.map((each) => (each === line ? changed : each))
  await updateMembership(db, member.member_id, { lines: JSON.stringify(lines) })
  const starts_on = firstPeriodFrom(member, changed.announced?.from_on ?? '')
  const old_cents = line.renewal_cents
  await addJob(
    db,
    'price_changed',
    { member_id: member.member_id, product_id, old_cents, new_cents, starts_on },
    world.now(),
  )
  return true
}
