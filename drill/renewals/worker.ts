// One of several processes that renew memberships. It works only when told to, at the time it is told.
import { sql } from 'kysely'
import { readConfig } from '#server/config/config.ts'
import { settleAttempts } from '#server/enrollment/janitor.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import { createLog } from '#server/log.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { chargePastDue, replaceCard } from '#server/membership/card.ts'
import { dropPackage } from '#server/membership/lines.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { referenceOf } from '#server/payments/attempt-key.ts'
import { createWorld, type World } from '#server/world.ts'
import type { Action } from './members.ts'

type Act = Action['kind'] | 'cancel and resume' | 'raise prices'
export type Command = { id: number; at: string } & ({ lanes: number } | { act: Act; member_id: string })
/** `open`: how many charges have no final answer yet. */
export type Reply = { id: number; open?: number; error?: string }

let time = new Date(process.argv[2] ?? '')
const config = readConfig()
const realWorld = await createWorld({ config, log: createLog(config.LOG_LEVEL), now: () => time })
const { db } = realWorld
/** Keeps who got which email, without its text. A receipt names its charge. */
const mail: World['mail'] = {
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
  for (let count = 1; count; )
    count = (await renewMemberships(world)) + (await settleAttempts(world)) + (await runJobs(world))
}

const countOpen = async () => {
  const { rows } = await sql<{ open: number }>`select count(*) as open from payment
    where period > 0 and state in ('authorizing', 'unknown', 'review')`.execute(db)
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
  'cancel and resume': (member_id) => cancel(world, member_id).then(() => resume(world, member_id)),
  drop: (member_id) => dropPackage(world, member_id, { product_id: 41 }),
  hold: (member_id) =>
    sql`update membership set on_hold_since = ${time}, hold_reason = 'disputed' where member_id = ${member_id}`.execute(
      db,
    ),
  'new card': async (member_id) => {
    for (let attempt = 1, outcome = 'unknown'; outcome === 'unknown'; attempt++)
      ({ outcome } = await replaceCard(world, member_id, {
        ...newCard,
        reference: referenceOf({ enrollment_id: member_id, attempt }),
      }))
    await chargePastDue(world, member_id)
  },
  'raise prices': () =>
    sql`update package set renewal_cents = renewal_cents + 5000 where renewal_cents > 0`.execute(db),
}

process.on('message', async (command: Command) => {
  time = new Date(command.at)
  const { id } = command
  try {
    if ('act' in command) await acts[command.act](command.member_id)
    else await Promise.all(Array.from({ length: command.lanes }, work))
    process.send?.({ id, open: await countOpen() } satisfies Reply)
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) } satisfies Reply)
  }
})
process.once('SIGTERM', () => realWorld.close().then(() => process.exit(0)))
process.send?.({ id: 0 } satisfies Reply)
