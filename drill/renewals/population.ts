import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { toAmount } from '#contract/money.ts'
import { readConfig } from '#server/config/config.ts'
import type { Db } from '#server/db/db.ts'
import { newEvent } from '#server/events/events.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { newMembership } from '#server/membership/new-membership.ts'
import { timeInZone } from './calendar.ts'
import { MEMBERSHIP, type Plan, YEARLY } from './members.ts'

const idOf = (kind: string, number: number) =>
  hash('sha256', `${kind} ${number}`, 'hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
export const memberId = ({ number }: Plan): string => idOf('member', number)
const enrollmentId = ({ number }: Plan) => idOf('enrollment', number)
export const firstCard = ({ number }: Plan): string => `vault_${number}`
const firstTransaction = ({ number }: Plan) => `sb_first_${number}`
const FIRST_CENTS = 9900
const ROWS_AT_ONCE = 500

/** Our reference for one of the member's charges. The first one is that of joining. */
export const referenceOfAttempt = (plan: Plan, attempt: number): string =>
  referenceOf({ enrollment_id: enrollmentId(plan), attempt })

/** Writes members who joined and paid their first month, without the visits that led there. Returns the packages' prices. */
export async function addMembers(db: Db, zone: string, plans: Plan[]): Promise<ReadonlyMap<number, number>> {
  const config = readConfig({ TIME_ZONE: zone })
  const { id: sponsor_id } = await db.selectFrom('sponsor').select('id').limit(1).executeTakeFirstOrThrow()
  await addYearlyPackage(db)
  const rows = plans.map((plan) => memberRows(plan, timeInZone(zone, plan.joinedOn, plan.joinedAt), sponsor_id, config))
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const part = rows.slice(start, start + ROWS_AT_ONCE)
    for (const table of [
      'enrollment',
      'payment',
      'member',
      'sponsor',
      'orders',
      'order_line',
      'membership',
      'period',
    ] as const)
      await db
        .insertInto(table)
        .values(part.map((row) => row[table]) as never)
        .execute()
    await db
      .insertInto('new_event')
      .values(part.flatMap(({ events }) => events))
      .execute()
  }
  const packages = await db.selectFrom('package').select(['product_id', 'renewal_cents']).execute()
  return new Map(packages.map(({ product_id, renewal_cents }) => [product_id, renewal_cents]))
}

async function addYearlyPackage(db: Db) {
  const monthly = await db
    .selectFrom('package')
    .selectAll()
    .where('product_id', '=', MEMBERSHIP)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('package')
    .values({ ...monthly, product_id: YEARLY, billing_interval: 'year' })
    .execute()
}

function memberRows(plan: Plan, now: Date, sponsor_id: string, config: ReturnType<typeof readConfig>) {
  const { number, email, lines } = plan
  const member_id = memberId(plan)
  const enrollment_id = enrollmentId(plan)
  const billing_interval = plan.months === 12 ? ('year' as const) : ('month' as const)
  const username = `m${number}`
  const amount_cents = FIRST_CENTS
  const vault_reference = firstCard(plan)
  const card = { brand: 'visa', last_four: '4242', expires: '2035-12' } as const
  const key = { enrollment_id, attempt: 1 }
  const times = { leased_until: now, created_at: now, updated_at: now }
  const paid = {
    reference: referenceOf(key),
    state: 'captured',
    captured_at: now,
    amount_cents,
    period: 0,
    gateway: 'sandbox',
  }
  const name = { first_name: 'Zoe', last_name: `Number ${number}`, business_name: '', mobile_phone: '+12025550123' }
  const address = { address: '1 Main St', address2: '', city: 'Reno', country: 'US', state: 'NV', post_code: '89501' }
  const shipping = {
    ship_address: '1 Main St',
    ship_address2: '',
    ship_city: 'Reno',
    ship_country: 'US',
    ship_state: 'NV',
    ship_zip_code: '89501',
  }
  const told = { reference: referenceOf(key), amount: toAmount(amount_cents), kind: 'enrollment' as const, period: 0 }
  const joined = { sponsor_id, product_ids: lines.map(({ product_id }) => product_id), amount: toAmount(amount_cents) }
  return {
    events: [
      newEvent({ type: 'member.joined', member_id, payload: joined }, now),
      newEvent({ type: 'payment.captured', member_id, payload: told }, now),
    ],
    enrollment: { id: enrollment_id, created_at: now },
    payment: { ...key, ...paid, ...times, vault_reference, transaction_id: firstTransaction(plan) },
    member: {
      id: member_id,
      enrollment_id,
      sponsor_id,
      level: 'member',
      username,
      email,
      password_hash: '',
      ...name,
      ...address,
      joined_at: now,
    },
    sponsor: { id: idOf('sponsor', number), site: username, name: username, active: true, member_id, created_at: now },
    orders: {
      id: idOf('order', number),
      member_id,
      attempt: 1,
      grand_total: amount_cents,
      ...shipping,
      created_at: now,
    },
    order_line: {
      order_id: idOf('order', number),
      product_id: lines[0]?.product_id,
      list: 'product_ids',
      name: 'Membership',
      price_cents: amount_cents,
      renewal_cents: lines[0]?.renewal_cents ?? 0,
      billing_interval,
    },
    ...newMembership(
      { config, now: () => now },
      {
        member_id,
        amount_cents,
        lines: lines.map((line) => ({ ...line, list: 'product_ids', billing_interval })),
        approval: { vault_reference, network_transaction_id: `N${number}`, card },
      },
    ),
  }
}

/** The gateway's file with the members' stored cards, and the charges of joining. */
export function writeLedger(file: string, zone: string, plans: Plan[]): void {
  mkdirSync(dirname(file), { recursive: true })
  const card = { test_card: 'good', brand: 'visa', last_four: '4242', expires: '2035-12' }
  const lines = plans.flatMap((plan) => {
    const at = timeInZone(zone, plan.joinedOn, plan.joinedAt).toISOString()
    const vault_reference = firstCard(plan)
    const first = {
      transaction_id: firstTransaction(plan),
      reference: referenceOfAttempt(plan, 1),
      amount_cents: FIRST_CENTS,
    }
    return [
      { at, vault_reference, ...card },
      { at, ...first, state: 'captured', vault_reference },
    ].map((line) => JSON.stringify(line))
  })
  writeFileSync(file, `${lines.join('\n')}\n`)
}
