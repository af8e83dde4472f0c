import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { addDays } from '#contract/renewal.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { RenewalLine } from '#server/db/tables.ts'
import { addJob } from '#server/jobs/queue.ts'
import { dayOf, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { dueAt } from './due.ts'
import { inBatches, MEMBERS_AT_ONCE, nextNotice, noticesBetween, priceNoticeDay } from './notices.ts'
import { firstAtNewPrice, type Upcoming } from './prices.ts'
import { writeRenewalEmails } from './renewal-emails.ts'
import { type LockedMembership, updateMembership } from './rows.ts'

/** Writes the emails that come ahead of time: a card that expires soon, the next year, a higher price, the next charge. */
export async function writeNotices(world: World): Promise<void> {
  if (world.config.RENEWALS === 'off') return
  await writeRenewalEmails(world)
  await inBatches(() => writeSomeNotices(world))
}

const writeSomeNotices = (world: World): Promise<number> =>
  inTransaction(world.db, async (db) => {
    const members = await db
      .selectFrom('membership')
      .innerJoin('member', 'member.id', 'membership.member_id')
      .select(['member_id', 'membership.state', 'anchor_on', 'card_expires', 'notice_at', 'on_hold_since', 'lines'])
      .select(['period', 'anchor_period', 'billing_interval', 'waived_period', 'cancelled_at'])
      .where('notice_at', '<=', world.now())
      .orderBy('notice_at')
      .limit(MEMBERS_AT_ONCE)
      .forUpdate('membership')
      .skipLocked()
      .execute()
    const today = todayOf(world)
    for (const { member_id, notice_at, ...member } of members) {
      const isRenewing =
        member.state !== 'ended' && !member.cancelled_at && !member.on_hold_since && member.lines.length
      const since = notice_at ? dayOf(world, notice_at) : today
      for (const kind of isRenewing ? noticesBetween(member, since, today) : [])
        await addJob(db, kind, { member_id }, world.now())
      const lines = isRenewing ? await queuePriceNotices({ ...world, db }, { ...member, member_id }) : member.lines
      const tomorrow = addDays(today, 1)
      const next = [
        nextNotice(member, tomorrow),
        ...lines.map((line) => priceNoticeDay(member, line.announced, tomorrow)),
      ]
        .filter((day) => day !== undefined)
        .sort()
        .at(0)
      await updateMembership(db, member_id, {
        lines: JSON.stringify(lines),
        notice_at: next && member.state !== 'ended' ? dueAt(world, member_id, next) : null,
      })
    }
    return members.length
  })

type Context = Pick<World, 'config' | 'db' | 'now'>
type Announcing = Upcoming & { member_id: string; lines: RenewalLine[] }

/** Writes the emails about higher prices that are due today, where the address works. Returns the lines, which remember it. */
export async function queuePriceNotices(context: Context, membership: Announcing): Promise<RenewalLine[]> {
  const { member_id, lines } = membership
  if (context.config.RENEWALS === 'off') return lines // everyone is told once it's on
  const today = todayOf(context)
  const isDue = ({ announced }: RenewalLine) => (priceNoticeDay(membership, announced, today) ?? '9999') <= today
  if (!lines.some(isDue) || (await hasBounced(context.db, member_id))) return lines
  const queued: RenewalLine[] = []
  for (const line of lines) {
    const { product_id, renewal_cents: old_cents, announced } = line
    if (!announced || !isDue(line)) {
      queued.push(line)
      continue
    }
    const notice_id = randomUUID()
    const starts_on = firstAtNewPrice(membership, announced, today)
    const payload = { member_id, product_id, old_cents, new_cents: announced.renewal_cents, starts_on, notice_id }
    await addJob(context.db, 'price_changed', payload, context.now())
    queued.push({ ...line, announced: { ...announced, queued_on: today, notice_id } })
  }
  return queued
}

const hasBounced = async (db: Db, member_id: string) =>
  Boolean(
    await db
      .selectFrom('member')
      .select('id')
      .where('id', '=', member_id)
      .where('email_bounced_at', 'is not', null)
      .executeTakeFirst(),
  )

/** The same for one member, once it's clear when the next period begins. */
export async function tellPrices(context: Context, membership: LockedMembership): Promise<void> {
  if (membership.cancelled_at || membership.on_hold_since) return
  const lines = await queuePriceNotices(context, membership)
  if (lines !== membership.lines)
    await updateMembership(context.db, membership.member_id, { lines: JSON.stringify(lines) })
}

/** After a change of the card or the price, or a return: looked at again tomorrow, unless something is due before. */
export const noticeTomorrow = (world: Pick<World, 'config' | 'now'>, member_id: string) =>
  sql<Date>`least(notice_at, ${dueAt(world, member_id, addDays(todayOf(world), 1))})`
