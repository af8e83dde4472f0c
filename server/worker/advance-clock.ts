import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { Refusal } from '#server/refusal.ts'
import type { TestClock, Turn } from '#server/world/test-clock.ts'
import type { World } from '#server/world/world.ts'
import { doEverythingDue } from './worker.ts'

export const DAY_MS = 86_400_000
export const MAX_DAYS = 400

/** What happened on the way. */
export type TurnCounts = { captured: number; declined: number; emails: number }

/**
 * Advances the clock to a later time. On the way, everything happens at its own time, as if the site had waited. In steps of
 * some days it is faster, and what is due during a step happens at the end of it.
 */
export function advanceClock(
  world: World,
  clock: TestClock,
  to: Date,
  { stepDays }: { stepDays?: number } = {},
): Promise<TurnCounts & { now: Date }> {
  if (to <= clock.now()) throw refuse('The clock only goes forward.')
  if (to.getTime() - clock.now().getTime() > MAX_DAYS * DAY_MS)
    throw refuse(`The clock goes at most ${MAX_DAYS} days at a time.`)
  return clock.whileTurning(async () => {
    await doEverythingDue(world)
    const from = clock.now()
    for (let steps = 0, maxDays = stepDays ?? 1; clock.now() < to; steps++) {
      const maxMs = Math.min(maxDays * DAY_MS, to.getTime() - clock.now().getTime())
      const before = clock.now()
      clock.moveTo(await nextStop(world.db, before, maxMs, !stepDays && steps < MAX_SHORT_STEPS))
      await prolong(world.db, before, clock.now().getTime() - before.getTime()) // after each step, in case the process is killed
      const hadWork = (await doEverythingDue(world)) > 0
      maxDays = stepDays ?? (hadWork ? 1 : Math.min(2 * maxDays, MAX_QUIET_DAYS))
    }
    clock.recordTurn({ from, to: clock.now() })
    return { now: clock.now(), ...(await countResults(world.db, { from, to: clock.now() })) }
  })
}

const refuse = (sentence: string) => new Refusal(422, sentence)

/** While nothing happens, the steps get longer. After a charge they are short, because its books are compared for three days. */
const MAX_QUIET_DAYS = 8

/** Something that is tried again every few seconds must not make a year take hours. Then days pass in one step. */
const MAX_SHORT_STEPS = 1000
const MIN_STEP_MS = 1000

/** The time at which something is due, if that is soon enough. */
async function nextStop(db: Db, now: Date, maxMs: number, mayBeShort: boolean): Promise<Date> {
  const due = mayBeShort ? await nextDue(db, now) : undefined
  const untilDue = due ? Math.max(due.getTime() - now.getTime(), MIN_STEP_MS) : maxMs
  return new Date(now.getTime() + Math.min(untilDue, maxMs))
}

async function nextDue(db: Db, now: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ due: Date | null }>`
    select min(due) as due from (
      select min(due_at) as due from membership where due_at > ${now}
      union all select min(notice_at) from membership where notice_at > ${now}
      union all select min(due_at - interval '71 hours') from membership join member on member.id = member_id
        where renewal_emails and due_at - interval '71 hours' > ${now}
      union all select min(run_at) from job where done_at is null and run_at > ${now}
      union all select min(publish_at) from scheduled_document where publish_at > ${now}
      union all select min(leased_until) from payment where state = 'unknown' and leased_until > ${now}) dates`.execute(
    db,
  )
  return rows[0]?.due ?? undefined
}

type Lifetime = { [Table in keyof Tables]: [table: Table, column: keyof Tables[Table] & string] }[keyof Tables]

/**
 * What people hold in their hands ends after as many real minutes as before: sessions, links, codes, and the leases of
 * requests that are running. Limits and breakers end early on purpose: advancing the clock is waiting.
 */
export const lifetimes: Lifetime[] = [
  ['office_session', 'expires_at'],
  ['office_session', 'idle_until'],
  ['pending_sign_in', 'expires_at'],
  ['email_link', 'expires_at'],
  ['one_time_key', 'expires_at'],
  ['sandbox_code', 'expires_at'],
  ['lease', 'expires_at'],
  ['open_use', 'expires_at'],
  ['member', 'welcome_until'],
  ['staff_invitation', 'expires_at'],
  ['console_session', 'idle_until'],
  ['console_session', 'proved_until'],
  ['console_session', 'expires_at'],
]

async function prolong(db: Db, now: Date, ms: number): Promise<void> {
  const later = (column: string) => sql`${sql.ref(column)} + make_interval(secs => ${ms / 1000})`
  for (const [table, column] of lifetimes)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${later(column)} where ${sql.ref(column)} > ${now}`.execute(
      db,
    )
  await sql`
    update payment set leased_until = ${later('leased_until')}
    where state in ('reserved', 'authorizing', 'authorized') and leased_until > ${now}`.execute(db)
  await sql`
    update phone_check set sent_at = ${later('sent_at')}, verified_at = ${later('verified_at')}`.execute(db)
}

async function countResults(db: Db, { from, to }: Turn): Promise<TurnCounts> {
  const { rows } = await sql<{ [Name in keyof TurnCounts]: string }>`
    select
      (select count(*) from payment where state = 'captured' and updated_at > ${from} and updated_at <= ${to}) as captured,
      (select count(*) from payment where state = 'declined' and updated_at > ${from} and updated_at <= ${to}) as declined,
      (select count(*) from message where channel = 'mail' and created_at > ${from} and created_at <= ${to}) as emails`.execute(
    db,
  )
  const { captured = 0, declined = 0, emails = 0 } = rows[0] ?? {}
  return { captured: Number(captured), declined: Number(declined), emails: Number(emails) }
}
