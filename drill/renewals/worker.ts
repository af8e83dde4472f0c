// One of several processes that renew memberships. It works only when told to, at the time it is told.

import { sql } from 'kysely'
import { readConfig } from '#server/config/config.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { createLog } from '#server/log.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { chargePastDue, replaceCard } from '#server/membership/card.ts'
import { paidRenewals } from '#server/membership/charges.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { dropPackage } from '#server/membership/lines.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { writeNotices } from '#server/membership/notify.ts'
import { changePrice } from '#server/membership/price-change.ts'
import { moveRenewalDay } from '#server/membership/renewal-day.ts'
import { comeBack } from '#server/membership/return.ts'
import { membershipSummary } from '#server/membership/summary.ts'
import { waivePeriod } from '#server/membership/waive.ts'
import { createWorld } from '#server/open-world.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import { requestRefund } from '#server/payments/refunds.ts'
import { Refusal } from '#server/refusal.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import type { World } from '#server/world/world.ts'
import { LONG_DATE } from './calendar.ts'
import { type Screen, seenScreen } from './expected-screen.ts'
import { type ActionKind, type NewCard, newCards, PARCEL, type RaceKind } from './members.ts'
import type { PriceChange } from './price-changes.ts'
import { PART_CENTS } from './rules.ts'

type Person = { member_id: string; shown?: string; moveTo?: number }
type Act = Exclude<ActionKind, 'dispute'> | RaceKind | 'housekeeping'
type Task = { lanes: number } | ({ act: Act } & Person) | { price: PriceChange } | { look: string[] }
export type Command = { id: number; at: string; hasMail: boolean } & Task
/** `open`: how many charges have no final answer yet, and how many jobs are not done. */
export type Reply = { id: number; open?: number; isRefused?: boolean; screens?: Screen[]; error?: string }

let time = new Date(process.argv[2] ?? '')
const config = readConfig()
const realWorld = await createWorld({ config, log: createLog(config.LOG_LEVEL), now: () => time })
const { db } = realWorld
let hasMail = true
const NO_MAIL = 'The mail server is down.'
/** Every amount, date and card in a text. */
const FACTS = new RegExp(`\\$[\\d,]+\\.\\d\\d|${LONG_DATE.source}|ending in \\d{4}`, 'g')
/** What the audit needs to know about an email. A receipt names its charge. */
export type SentEmail = { key: string; reference: string; facts: string[] }

/** Keeps who got which email, and the facts in it. */
const mail: World['mail'] = {
  ...realWorld.mail,
  name: 'drill',
  send: async ({ key = '', to, subject, text }) => {
    if (!hasMail) throw new Error(NO_MAIL)
    const reference = /Reference\W+(\w{20})/.exec(text)?.[1] ?? ''
    const body = JSON.stringify({ key, reference, facts: text.match(FACTS) ?? [] } satisfies SentEmail)
    const message = {
      id: crypto.randomUUID(),
      channel: 'mail' as const,
      recipient: to,
      subject,
      body,
      created_at: time,
    }
    await db.insertInto('message').values(message).execute()
  },
}
const world: World = { ...realWorld, mail }

async function work() {
  for (let turn = 0, count = 1; count; turn++) {
    if (turn === MOST_TURNS) throw new Error('The work of one moment does not end.')
    count = (await renewMemberships(world)) + (await settleAttempts(world)) + (await runJobs(world))
  }
}
const MOST_TURNS = 1000

const countOpen = async () => {
  const { rows } = await sql<{ open: number }>`select
    (select count(*) from payment where period > 0 and state in ('authorizing', 'unknown', 'review'))
    + (select count(*) from job where done_at is null and (${hasMail} or last_error is distinct from ${NO_MAIL})) as open`.execute(
    db,
  )
  return Number(rows[0]?.open)
}

const billing = {
  first_name: 'Zoe',
  last_name: 'Member',
  address: '1 Main St',
  address2: '',
  city: 'Reno',
  state: 'NV',
}
const putOnFile =
  (kind: NewCard) =>
  async ({ member_id }: Person) => {
    const card = { cc_number: newCards[kind].number, cc_month: '12', cc_year: '2035', cc_cvv: '123' }
    const newCard = { card, billing: { ...billing, country: 'US', post_code: '89501' } }
    for (let outcome = 'unknown'; outcome === 'unknown'; ) {
      const reference = referenceOf({ enrollment_id: crypto.randomUUID(), attempt: 1 })
      ;({ outcome } = await replaceCard(world, member_id, { ...newCard, reference }))
      if (outcome === 'declined') return
    }
    await chargePastDue(world, member_id)
  }

const refund =
  (amount_cents?: number) =>
  async ({ member_id }: Person) => {
    const { reference } = await db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('reference')
      .where('member.id', '=', member_id)
      .where('period', '>', 0)
      .where('payment.state', '=', 'captured')
      .orderBy('attempt', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await requestRefund(world, { reference, amount_cents, reason: 'drill', who: 'drill' })
  }

const acts: Record<Act, (person: Person) => Promise<unknown>> = {
  cancel: ({ member_id, shown }) => cancel(world, member_id, shown === undefined ? {} : { shown_end: shown }),
  resume: ({ member_id }) => resume(world, member_id),
  'cancel and resume': async ({ member_id }) => {
    await cancel(world, member_id)
    await resume(world, member_id)
  },
  'come back': ({ member_id, shown = '' }) => comeBack(world, member_id, { shown_price: shown }),
  drop: ({ member_id }) => dropPackage(world, member_id, { product_id: PARCEL }),
  hold: ({ member_id }) => putOnHold(world, member_id, 'drill'),
  'lift hold': ({ member_id }) => liftHold(world, member_id),
  'new card': putOnFile('new card'),
  'poor card': putOnFile('poor card'),
  'stolen card': putOnFile('stolen card'),
  'refused card': putOnFile('refused card'),
  move: ({ member_id, moveTo = 0, shown = '' }) =>
    moveRenewalDay(world, member_id, { day_of_month: moveTo, shown_on: shown }),
  waive: ({ member_id }) => waivePeriod(world, member_id),
  refund: refund(),
  'refund part': refund(PART_CENTS),
  housekeeping: async () => {
    await reconcileHourly(world)
    await writeNotices(world)
  },
}

/** True if the site said no. */
const isRefused = (work: Promise<unknown>) =>
  work.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Refusal) return true
      throw error
    },
  )

const look = async (member_id: string): Promise<Screen> => {
  const [membership, renewals] = await Promise.all([
    membershipSummary(world, member_id),
    paidRenewals(world, member_id),
  ])
  return seenScreen({ membership, renewals })
}

async function execute(command: Command): Promise<Omit<Reply, 'id'>> {
  if ('look' in command) return { screens: await Promise.all(command.look.map(look)) }
  if ('act' in command) return { isRefused: await isRefused(acts[command.act](command)) }
  if ('price' in command) await changePrice(world, { ...command.price, reason: 'drill', who: 'drill' })
  else await Promise.all(Array.from({ length: command.lanes }, work))
  return { open: await countOpen() }
}

process.on('message', async (command: Command) => {
  time = new Date(command.at)
  hasMail = command.hasMail
  const { id } = command
  try {
    process.send?.({ id, ...(await execute(command)) } satisfies Reply)
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) } satisfies Reply)
  }
})
process.once('SIGTERM', () => realWorld.close().then(() => process.exit(0)))
process.send?.({ id: 0 } satisfies Reply)
