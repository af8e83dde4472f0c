import type { Db } from '#server/db/db.ts'
import type { Keys } from '#server/secrets/secrets.ts'

/**
 * Until an event is sealed, only the process that wrote it can tell that it was changed or deleted: it remembers the event
 * where no one who merely reaches the database can get at it.
 */
export type WrittenEvent = {
  id: string
  at: Date
  kind: string
  member_id: string | null
  staff_id: string | null
  network: string | null
  details: string
  /** At least so many: others may have added to the same row. */
  count: number
}

/** Far more than are written between two seals. */
const MAX_REMEMBERED = 20_000

/** Every process has keys of its own, which all its transactions share. */
const written = new WeakMap<Keys, Map<string, WrittenEvent>>()

export function rememberEvent(keys: Keys, event: WrittenEvent): void {
  const events = written.get(keys) ?? new Map<string, WrittenEvent>()
  written.set(keys, events)
  const known = events.get(event.id)
  if (!known && events.size >= MAX_REMEMBERED) return
  events.set(event.id, { ...event, count: Math.max(event.count, known?.count ?? 0) })
}

export type LostEvent = WrittenEvent & { problem: 'deleted' | 'changed' }

const BATCH = 1000

/** Events that someone has deleted or changed before they were sealed. Forgets those that are sealed by now. */
export async function findLostEvents({ db, keys }: { db: Db; keys: Keys }): Promise<LostEvent[]> {
  const events = written.get(keys) ?? new Map<string, WrittenEvent>()
  const remembered = [...events.values()]
  const lost: LostEvent[] = []
  for (let from = 0; from < remembered.length; from += BATCH) {
    const batch = remembered.slice(from, from + BATCH)
    const ids = batch.map(({ id }) => id)
    const rows = await db.selectFrom('security_event').selectAll().where('id', 'in', ids).execute()
    const rowOf = new Map(rows.map((row) => [row.id, row]))
    for (const event of batch) {
      const row = rowOf.get(event.id)
      if (!row) lost.push({ ...event, problem: 'deleted' })
      else if (!isSame(event, row)) lost.push({ ...event, problem: 'changed' })
      else if (row.position !== null) events.delete(event.id)
    }
  }
  return lost
}

const isSame = (event: WrittenEvent, row: WrittenEvent): boolean =>
  factsOf(event) === factsOf(row) && row.count >= event.count

const factsOf = ({ at, kind, member_id, staff_id, network, details }: WrittenEvent) =>
  JSON.stringify([at, kind, member_id, staff_id, network, details])

/** Call it once what happened to them is in the audit log. */
export function forgetEvents(keys: Keys, events: readonly WrittenEvent[]): void {
  for (const { id } of events) written.get(keys)?.delete(id)
}

/** 'The event sign_in of 2026-11-15T12:00:00.000Z was deleted before it was sealed.' */
export const lostSentence = ({ kind, at, problem }: LostEvent): string =>
  `The event ${kind} of ${at.toISOString()} was ${problem} before it was sealed.`
