import { sql } from 'kysely'
import { isMonday } from '#contract/days.ts'
import { addDays } from '#contract/renewal.ts'
import { readHead, sealText } from '#server/audit/audit.ts'
import { reportTampering } from '#server/audit/tampering.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import { consumeKey } from '#server/db/one-time-keys.ts'
import { addEvent } from '#server/events/events.ts'
import { addJob } from '#server/jobs/queue.ts'
import type { Link } from '#server/secrets/hash-chain.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'

/** How the day's seal leaves the database. A new row of the audit log writes its own seal to the log. */
const ways: ((world: World, seal: Link) => Promise<unknown>)[] = [
  async ({ log }, seal) => log.info({ seal: sealText(seal) }, 'seal of the audit log'),
  emailSeal,
  tellSystems,
]

/** The day that this process has sent a seal for. */
const sentOn = new WeakMap<World['keys'], string>()

/** Looks for what was changed in the logs, and once a day sends their seal where the database can't reach it. */
export async function witnessLogs(world: World): Promise<void> {
  await reportTampering(world, async (db, problems) =>
    emailOwners({ ...world, db }, sealText(await readHead(db)), problems),
  )
  const seal = await readHead(world.db)
  const today = todayOf(world)
  if (!seal.position || sentOn.get(world.keys) === today) return
  for (const send of ways) await send(world, seal)
  sentOn.set(world.keys, today)
}

/** On the morning after a day on which staff did something, and on Mondays if anything was sealed in the week before. */
async function emailSeal(world: World, seal: Link): Promise<void> {
  const today = todayOf(world)
  const startOf = (day: string) => startOfDay(world.config.TIME_ZONE, day)
  const isWeekly = isMonday(today)
  const newest = await newestRow(world.db, startOf(today), isWeekly)
  if (!newest || newest.at < startOf(addDays(today, isWeekly ? -7 : -1))) return
  await inTransaction(world.db, async (db) => {
    const expires_at = startOf(addDays(today, 2))
    if (await consumeKey(db, { kind: 'audit_seal', key: today, expires_at }))
      await emailOwners({ ...world, db }, sealText(seal))
  })
}

/** In front of an operator's API host, no system reads events. */
async function tellSystems(world: World, { position, hash }: Link): Promise<void> {
  if (world.config.PROVIDER_API_URL) return
  const today = todayOf(world)
  const expires_at = startOfDay(world.config.TIME_ZONE, addDays(today, 2))
  await inTransaction(world.db, async (db) => {
    if (await consumeKey(db, { kind: 'audit_seal', key: `event ${today}`, expires_at }))
      await addEvent(db, world.now(), { type: 'audit.sealed', member_id: null, payload: { position, hash } })
  })
}

function newestRow(db: Db, before: Date, withSeals: boolean) {
  const query = db.selectFrom('audit').select('at').where('at', '<', before).orderBy('position', 'desc').limit(1)
  const listed = query.where('act', '<>', sql.lit('seal_events')) // a literal, because the index is partial
  return (withSeals ? query : listed).executeTakeFirst()
}

async function emailOwners({ db, now }: World, seal: string, problems: string[] = []): Promise<void> {
  const owners = await db
    .selectFrom('staff')
    .select('id')
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .execute()
  for (const { id } of owners) await addJob(db, 'audit_seal', { recipient_id: id, seal, problems }, now())
}
