import { randomUUID } from 'node:crypto'
import { SINGLE_LIST } from '#contract/packages.ts'
import { type Interval, periodOn, periodStart } from '#contract/renewal.ts'
import { type OperatorNames, publicName } from '#server/brand/public-names.ts'
import type { ImportedAnswers, RenewalLine, Tables } from '#server/db/tables.ts'
import { dueAt } from '#server/membership/due.ts'
import { startsOn } from '#server/membership/next-step.ts'
import { nextNotice } from '#server/membership/notices.ts'
import { rowsToAppend } from '#server/sponsors/touches.ts'
import { endOfDay, startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

export type Line = Pick<Tables['import_line'], 'line' | 'username' | 'external_id'> & { answers: ImportedAnswers }
export type Offer = Pick<Tables['package'], 'product_id' | 'name' | 'billing_interval'>
type Context = Pick<World, 'config' | 'now'> & { ours: OperatorNames }
type Sponsor = { id: string; site: string }

/**
 * The rows of a member who joined elsewhere. Nothing was paid here, so there is no payment: the order says which package it
 * is, and the first attempt to charge will be the first renewal.
 */
export function importedRows(world: Context, line: Line & { enrollment_id: string }, offer: Offer, sponsor: Sponsor) {
  const { username, answers, enrollment_id } = line
  const { joined_on, email, first_name, last_name, business_name, mobile_phone } = answers
  const { address, address2, city, country, state, post_code } = answers
  const [id, order_id] = [randomUUID(), randomUUID()]
  const now = world.now()
  const joined_at = startOf(world, joined_on)
  const { membership, period, ends_at, cancelled_at } = importedMembership(world, id, answers, offer)
  const touches = rowsToAppend(enrollment_id, [], [{ site: sponsor.site, why: 'imported', touched_at: joined_at }])
  const person = { first_name, last_name, business_name }
  return {
    enrollment: { id: enrollment_id, created_at: now },
    member: {
      id,
      enrollment_id,
      sponsor_id: sponsor.id,
      level: 'Member',
      username,
      email,
      password_hash: '', // matches no password until the member sets one
      ...person,
      mobile_phone,
      ...{ address, address2, city, country, state, post_code },
      joined_at,
      cancelled_at,
      ends_at,
      touches: touches.length,
      touch_seal: touches.at(-1)?.hash ?? null,
      join_emails: true,
      renewal_emails: false,
      access_version: 0,
    },
    sponsor: {
      id: randomUUID(),
      site: username,
      name: publicName({ ...person, username }, world.ours),
      active: true,
      member_id: id,
      active_until: ends_at,
      created_at: joined_at,
      recent_visits: 0,
    },
    membership: { ...membership, joined_at },
    period,
    orders: { id: order_id, member_id: id, attempt: 0, grand_total: 0, ...noShipping, created_at: joined_at },
    order_line: {
      order_id,
      product_id: offer.product_id,
      list: SINGLE_LIST,
      name: offer.name,
      price_cents: 0,
      renewal_cents: answers.renewal_cents,
      billing_interval: offer.billing_interval,
    },
    sponsor_touch: touches[0],
  }
}
export type ImportedRows = ReturnType<typeof importedRows>

const noShipping = {
  ship_address: '',
  ship_address2: '',
  ship_city: '',
  ship_country: '',
  ship_state: '',
  ship_zip_code: '',
}

/**
 * A membership whose period 0 lasts until the first renewal here. A past day moves forward by whole periods: what was
 * missed elsewhere isn't charged.
 */
function importedMembership(world: Context, member_id: string, answers: ImportedAnswers, offer: Offer) {
  const today = todayOf(world)
  const interval: Interval = offer.billing_interval === 'year' ? 'year' : 'month'
  const { renewal_cents, product_id, joined_on } = answers
  const lines: RenewalLine[] = renewal_cents ? [{ product_id, name: offer.name, renewal_cents }] : []
  const text = JSON.stringify(lines)
  const isEnded =
    answers.membership === 'ended' || (answers.membership === 'canceled' && !isLater(answers.renews_on, today))
  const anchor = anchorFor(joined_on, answers.renews_on ?? joined_on, interval, isEnded ? '' : today)
  const renews_on = startsOn(anchor, 1)
  const ends_at = isEnded
    ? startOf(world, answers.renews_on ?? joined_on)
    : answers.membership === 'canceled'
      ? endOfDay(world, renews_on)
      : null
  const isRenewing = lines.length > 0 && !ends_at
  const notice = isRenewing ? nextNotice({ ...anchor, card_expires: answers.card_expires }, today) : undefined
  const starts_on = startsOn(anchor, 0)
  return {
    ends_at,
    cancelled_at: answers.membership === 'canceled' ? world.now() : null,
    membership: {
      member_id,
      state: isEnded ? ('ended' as const) : ('active' as const),
      ...anchor,
      period: 0,
      declines: 0,
      due_at: isEnded ? null : (ends_at ?? (isRenewing ? dueAt(world, member_id, renews_on) : null)),
      lines: text,
      vault_reference: answers.vault_reference,
      card_brand: answers.card_brand,
      card_last_four: answers.card_last_four,
      card_expires: answers.card_expires,
      network_transaction_id: answers.network_transaction_id,
      notice_at: notice ? dueAt(world, member_id, notice) : null,
    },
    period: {
      member_id,
      n: 0,
      starts_on: latest(starts_on, joined_on),
      ends_on: renews_on,
      amount_cents: renewal_cents,
      lines: text,
      state: answers.membership === 'past_due' ? ('waived' as const) : ('paid' as const),
      free_days: 0,
    },
  }
}

const latest = (one: string, other: string) => (one > other ? one : other)

const isLater = (day: string | null, today: string) => day !== null && day >= today

/**
 * The anchor, chosen so that period 1 begins on the renewal day, or on its first repetition from `from` on. It's the day of
 * joining if that leads there: a member who joined on the 31st renews on the 31st again after a shorter month. Otherwise it's a
 * year earlier, so the yearly reminder comes before the first renewal, or four years for February 29.
 */
export function anchorFor(joined_on: string, renews_on: string, billing_interval: Interval, from: string) {
  const years = [1, 4, 8].map((years) => periodStart(renews_on, -years, 'year'))
  const leadsThere = (day: string) =>
    day < renews_on && periodStart(day, periodOn(day, renews_on, billing_interval), billing_interval) === renews_on
  const anchor_on = [joined_on, ...years].find(leadsThere) ?? renews_on
  let n = periodOn(anchor_on, renews_on, billing_interval)
  if (from > renews_on) {
    n = periodOn(anchor_on, from, billing_interval)
    if (periodStart(anchor_on, n, billing_interval) < from) n += 1
  }
  return { anchor_on, anchor_period: 1 - n, billing_interval }
}

/** Keeps the starts of days, which are needed often and slow to compute. */
const starts = new Map<string, Date>()
function startOf({ config }: Pick<World, 'config'>, day: string): Date {
  const key = `${config.TIME_ZONE} ${day}`
  const start = starts.get(key) ?? startOfDay(config.TIME_ZONE, day)
  if (starts.size > MAX_STARTS) starts.clear()
  starts.set(key, start)
  return start
}
const MAX_STARTS = 50_000
