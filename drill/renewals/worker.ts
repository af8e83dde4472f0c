// One of several processes that renew memberships. It works only when told to, at the time it is told.

import { sql } from 'kysely'
import { readConfig } from '#server/config/config.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { createLog } from '#server/log.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { chargePastDue, replaceCard } from '#server/membership/card.ts'
import { liftHold } from '#server/membership/hold.ts'
import { dropPackage } from '#server/membership/lines.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { writeNotices } from '#server/membership/notify.ts'
import { changePrice } from '#server/membership/price-change.ts'
import { createWorld } from '#server/open-world.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import { Refusal } from '#server/refusal.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import type { World } from '#server/world/world.ts'
import type { Action } from './members.ts'
import type { PriceChange } from './price-changes.ts'

type Act = Exclude<Action['kind'], 'dispute'> | 'cancel and resume' | 'housekeeping'
type Task = { lanes: number } | { act: Act; member_id: string } | { price: PriceChange }
export type Command = { id: number; at: string } & Task
/** `open`: how many charges have no final answer yet, and how many jobs are not done. */
export type Reply = { id: number; open?: number; error?: string }

let time = new Date(process.argv[2] ?? '')
const config = readConfig()
const realWorld = await createWorld({ config, log: createLog(config.LOG_LEVEL), now: () => time })
const { db } = realWorld
/** Keeps who got which email, without its text. A receipt names its charge. */
const mail: World['mail'] = {
  ...realWorld.mail,
  name: 'drill',
  send: async ({ to, subject, text }) => {
    const body = /Reference\W+(\w{20})/.exec(text)?.[1] ?? ''
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
    + (select count(*) from job where done_at is null) as open`.execute(db)
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
const newCard = {
  card: { cc_number: cards.good, cc_month: '12', cc_year: '2035', cc_cvv: '123' },
  billing: { ...billing, country: 'US', post_code: '89501' },
}

const acts: Record<Act, (member_id: string) => Promise<unknown>> = {
  cancel: (member_id) => cancel(world, member_id),
  resume: (member_id) => resume(world, member_id),
  'cancel and resume': async (member_id) => {
    await cancel(world, member_id)
    await resume(world, member_id).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error // the membership had ended
    })
  },
  drop: (member_id) => dropPackage(world, member_id, { product_id: 41 }),
  'lift hold': (member_id) => liftHold(world, member_id),
  'new card': async (member_id) => {
    for (let attempt = 1, outcome = 'unknown'; outcome === 'unknown'; attempt++)
      ({ outcome } = await replaceCard(world, member_id, {
        ...newCard,
        reference: referenceOf({ enrollment_id: member_id, attempt }),
      }))
    await chargePastDue(world, member_id)
  },
  housekeeping: async () => {
    await reconcileHourly(world)
    await writeNotices(world)
  },
}

process.on('message', async (command: Command) => {
  time = new Date(command.at)
  const { id } = command
  try {
    if ('act' in command) await acts[command.act](command.member_id)
    else if ('price' in command) await changePrice(world, { ...command.price, reason: 'drill', who: 'drill' })
    else await Promise.all(Array.from({ length: command.lanes }, work))
    process.send?.({ id, open: await countOpen() } satisfies Reply)
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) } satisfies Reply)
  }
})
process.once('SIGTERM', () => realWorld.close().then(() => process.exit(0)))
process.send?.({ id: 0 } satisfies Reply)
