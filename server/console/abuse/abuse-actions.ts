import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Breaker, isOff, recordBreakerEvent } from '#server/abuse/breaker.ts'
import { forgetRestrictions, MAX_BLOCKS, parseNetwork } from '#server/abuse/restrictions.ts'
import { type AuditEntry, recordAction } from '#server/audit/audit.ts'
import { inTransaction } from '#server/db/db.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'

const HOUR_MS = 3_600_000
const inHours = ({ now }: World, hours: string) => new Date(now().getTime() + Number(hours) * HOUR_MS)

type Entry = Omit<AuditEntry, 'actor'>

/** Does something and writes it down, both or neither. This process follows at once, the others within seconds. */
async function change(world: World, { staff }: StaffSession, work: (world: World) => Promise<Entry>): Promise<void> {
  await inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    await recordAction(inner, { actor: staff, ...(await work(inner)) })
  })
  forgetRestrictions(world)
}

type AboutBreaker = { breaker: Breaker }

export const openBreaker = (world: World, input: AboutBreaker & { hours: string }, session: StaffSession) =>
  change(world, session, async (world) => {
    const { breaker } = input
    if (isOff(world, breaker)) throw new Refusal(409, 'This protection is turned off in the settings.')
    const [at, open_until] = [world.now(), inHours(world, input.hours)]
    await sql`
      insert into breaker (name, open_until) values (${breaker}, ${open_until})
      on conflict (name) do update set open_until = excluded.open_until`.execute(world.db)
    await recordBreakerEvent(world, { breaker, at, kind: 'opened', open_until })
    const after = { open_until: open_until.toISOString() }
    return { act: 'open_breaker', subject_kind: 'breaker', subject: breaker, after }
  })

/** What failed before no longer counts: otherwise the next failure would open it again. */
export const closeBreaker = (world: World, { breaker }: AboutBreaker, session: StaffSession) =>
  change(world, session, async (world) => {
    const at = world.now()
    const before = await world.db
      .selectFrom('breaker')
      .select('open_until')
      .where('name', '=', breaker)
      .where('open_until', '>', at)
      .forUpdate()
      .executeTakeFirst()
    if (!before) throw new Refusal(409, 'This is already back to normal. Please reload the page.')
    await world.db.updateTable('breaker').set({ open_until: at, closed_at: at }).where('name', '=', breaker).execute()
    await recordBreakerEvent(world, { breaker, at, kind: 'closed', open_until: null })
    return {
      act: 'close_breaker',
      subject_kind: 'breaker',
      subject: breaker,
      before: { open_until: before.open_until.toISOString() },
    }
  })

type NewBlock = { network: string; hours: string; note: string }

export const blockNetwork = (world: World, input: NewBlock, session: StaffSession) =>
  change(world, session, async (world) => {
    const { db, now } = world
    const parsed = parseNetwork(input.network)
    if ('problem' in parsed) throw refuseFields({ network: parsed.problem })
    const { network } = parsed
    await db.deleteFrom('network_block').where('expires_at', '<=', now()).execute()
    const rows = await db.selectFrom('network_block').select('network').limit(MAX_BLOCKS).execute()
    if (rows.some((row) => row.network === network)) throw refuseFields({ network: `${network} is blocked already.` })
    if (rows.length === MAX_BLOCKS)
      throw new Refusal(409, `At most ${MAX_BLOCKS} networks can be blocked at the same time.`)
    const [id, expires_at] = [randomUUID(), inHours(world, input.hours)]
    await db
      .insertInto('network_block')
      .values({ id, network, note: input.note, created_at: now(), expires_at })
      .execute()
    const after = { network, note: input.note, until: expires_at.toISOString() }
    return { act: 'block_network', subject_kind: 'network', subject: id, after }
  })

export const liftBlock = (world: World, { id }: { id: string }, session: StaffSession) =>
  change(world, session, async ({ db }) => {
    const row = await db
      .deleteFrom('network_block')
      .where('id', '=', id)
      .returning(['network', 'note'])
      .executeTakeFirst()
    if (!row) throw new Refusal(404, 'This block has ended already. Please reload the page.')
    return { act: 'lift_block', subject_kind: 'network', subject: id, before: row }
  })

type Pause = { message: string; hours: string }

/** A pause that runs already gets the new sentence and the new end. */
export const pauseJoining = (world: World, { message, hours }: Pause, session: StaffSession) =>
  change(world, session, async (world) => {
    const { db, now } = world
    const ends_at = hours === 'open' ? null : inHours(world, hours)
    await db.deleteFrom('joining_pause').where('ends_at', '<=', now()).execute()
    const before = await db.selectFrom('joining_pause').select('message').executeTakeFirst()
    await sql`
      insert into joining_pause (id, message, created_at, ends_at) values (1, ${message}, ${now()}, ${ends_at})
      on conflict (id) do update set message = excluded.message, ends_at = excluded.ends_at`.execute(db)
    return {
      act: 'pause_joining',
      subject_kind: 'site',
      subject: 'joining',
      ...(before ? { before } : {}),
      after: { message, until: ends_at?.toISOString() ?? null },
    }
  })

export const resumeJoining = (world: World, _input: object, session: StaffSession) =>
  change(world, session, async ({ db }) => {
    const before = await db.deleteFrom('joining_pause').returning('message').executeTakeFirst()
    if (!before) throw new Refusal(409, 'Joining is open already. Please reload the page.')
    return { act: 'resume_joining', subject_kind: 'site', subject: 'joining', before }
  })
