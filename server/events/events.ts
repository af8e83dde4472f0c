import { randomUUID } from 'node:crypto'
import { type EventPayloads, type EventType, eventTypes } from '#contract/events.ts'
import type { Db } from '#server/db/db.ts'

/**
 * What other systems are told. An event is written in the transaction of the change: either both are committed or neither
 * is. It gets its place in the feed later: see positions.ts.
 */
export type NewEvent<Type extends EventType = EventType> = {
  [T in Type]: { type: T; member_id: string | null; payload: EventPayloads[T] }
}[Type]

/** Call it in the transaction of the change. */
export const addEvent = (db: Db, now: Date, event: NewEvent) =>
  db.insertInto('new_event').values(newEvent(event, now)).execute()

/** The row, for a statement that writes more than the event. */
export const newEvent = ({ type, member_id, payload }: NewEvent, at: Date) => ({
  id: randomUUID(),
  type,
  version: eventTypes[type].version,
  member_id,
  at,
  payload: JSON.stringify(payload),
})
