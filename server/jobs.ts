import { sql } from 'kysely'
import { unpaidLetter, welcomeLetter } from './letters.ts'
import { deadline, moveTo } from './payment.ts'
import type { Jobs, Kind } from './queue.ts'
import type { World } from './world.ts'

const run: { [Name in Kind]: (world: World, payload: Jobs[Name]) => Promise<void> } = {
  async capture(world, key) {
    const held = await world.db
      .selectFrom('payment')
      .select(['state', 'transaction_id'])
      .where('enrollment_id', '=', key.enrollment_id)
      .where('attempt', '=', key.attempt)
      .executeTakeFirstOrThrow()
    if (held.state !== 'enrolled' || !held.transaction_id) return
    const settled = await world.payment.capture(held.transaction_id, deadline(world))
    if (settled === 'unknown') throw new Error('the gateway did not confirm the capture')
    await moveTo(world, key, ['enrolled'], { state: settled === 'done' ? 'captured' : 'capture_failed' })
  },
  async void(world, { transaction_id, enrollment_id, attempt }) {
    const settled = await world.payment.void(transaction_id, deadline(world))
    if (settled !== 'done') throw new Error(`the gateway did not confirm the void (${settled})`)
    await moveTo(world, { enrollment_id, attempt }, ['abandoned'], { state: 'voided' })
  },
  async welcome(world, { member_id }) {
    const letter = await welcomeLetter(world, member_id)
    await world.mail.send(letter)
  },
  unpaid: (world, visitor) => world.mail.send(unpaidLetter(world, visitor)),
}

const allKinds = Object.keys(run) as Kind[]
const LEASE_SECONDS = 60
const LONGEST_WAIT_SECONDS = 3600

type Taken = { id: string; kind: Kind; payload: never; tries: number }

/** Takes the next job of these kinds that is due, and does it. Other processes skip what is taken. Says how many it took. */
export async function runJobs(world: World, kinds: readonly Kind[] = allKinds): Promise<number> {
  const now = world.now()
  const taken = await sql<Taken>`
    update job set leased_until = ${new Date(now.getTime() + LEASE_SECONDS * 1000)}, tries = tries + 1
    where id in (
      select id from job
      where done_at is null and run_at <= ${now} and (leased_until is null or leased_until < ${now})
        and kind in (${sql.join(kinds)})
      order by run_at limit 1 for update skip locked)
    returning id, kind, payload, tries`.execute(world.db)
  for (const job of taken.rows) await finish(world, job)
  return taken.rows.length
}

async function finish(world: World, { id, kind, payload, tries }: Taken) {
  try {
    await run[kind](world, payload)
    await world.db
      .updateTable('job')
      .set({ done_at: world.now(), last_error: null, payload: '{}' })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    const wait = Math.min(2 ** tries, LONGEST_WAIT_SECONDS)
    const run_at = new Date(world.now().getTime() + wait * 1000)
    const last_error = error instanceof Error ? error.message : String(error)
    world.log.warn({ err: error, job: id, kind, tries }, 'a job will be tried again')
    await world.db.updateTable('job').set({ run_at, last_error, leased_until: null }).where('id', '=', id).execute()
  }
}
