import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Address, networkOf } from '#server/client.ts'
import { afterCommit, type Db } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import { rememberEvent } from './written-events.ts'

type Kind = {
  text: string
  /** Can be repeated at will by a stranger, so those of a minute share a row. */
  isCounted?: true
}

/** What the security log can hold. What staff do is in the audit log. */
export const eventKinds = {
  sign_in: { text: 'Signed in' },
  sign_in_failed: { text: 'Wrong password', isCounted: true },
  session_ended: { text: 'Signed out' },
  sessions_ended: { text: 'Signed out everywhere' },
  grant_minted: { text: 'Got a one-time sign-in link', isCounted: true },
  grant_used: { text: 'Signed in with a one-time link' },
  grant_refused: { text: 'One-time sign-in link refused', isCounted: true },
  password_reset_requested: { text: 'Asked for a link to set a new password', isCounted: true },
  card_digits_failed: { text: 'Wrong card digits at a password reset', isCounted: true },
  password_reset: { text: 'Set a new password with a link' },
  password_changed: { text: 'Changed the password' },
  email_changed: { text: 'Changed the email address' },
  email_confirmed: { text: 'Confirmed the email address' },
  card_changed: { text: 'Changed the card on file' },
  phone_changed: { text: 'Changed the phone number' },
  second_factor_on: { text: 'Turned the second factor on' },
  second_factor_off: { text: 'Turned the second factor off' },
  second_factor_failed: { text: 'Wrong second factor', isCounted: true },
  staff_sign_in_failed: { text: 'Failed sign-in to the console', isCounted: true },
  staff_refused: { text: 'Tried something their role doesn’t allow', isCounted: true },
  api_key_refused: { text: 'Unknown, revoked or expired API key refused', isCounted: true },
  audit_read: { text: 'Read the audit log', isCounted: true },
  limit_tripped: { text: 'A limit was reached', isCounted: true },
  breaker_opened: { text: 'A breaker opened' },
  key_rotated: { text: 'A key was replaced' },
} as const satisfies Record<string, Kind>

export type EventKind = keyof typeof eventKinds
export const isEventKind = (name: string): name is EventKind => Object.hasOwn(eventKinds, name)

export type SecurityEvent = {
  kind: EventKind
  member_id?: string | undefined
  staff_id?: string | undefined
  /** Only a keyed hash of its network is stored. */
  address?: Address | undefined
  /** The same hash, if only that is at hand. */
  network?: string | undefined
  /** Never a name, an address or a secret: this is kept when a person is erased. */
  details?: Record<string, string | number | boolean>
}

type Context = { db: Db; keys: Keys; now: () => Date }

/** Adds an event. In a transaction it is written with it, or not at all. */
export async function recordEvent({ db, keys, now }: Context, event: SecurityEvent): Promise<void> {
  const { kind, member_id = null, staff_id = null, address, details = {} } = event
  const network = address ? hashNetwork(keys, address) : (event.network ?? null)
  const facts: Facts = { kind, member_id, staff_id, network, details: JSON.stringify(details) }
  await ('isCounted' in eventKinds[kind] ? countEvent : insertEvent)({ db, keys }, facts, now())
}

export const hashNetwork = (keys: Keys, address: Address): string =>
  keys.hmac('security network', networkOf({ address }))

/** To find events of a network, also those from before the keys were changed. */
export const networkHashes = (keys: Keys, address: Address): string[] =>
  keys.hmacs('security network', networkOf({ address }))

type Facts = {
  kind: EventKind
  member_id: string | null
  staff_id: string | null
  network: string | null
  details: string
}

type Place = { db: Db; keys: Keys }

async function insertEvent({ db, keys }: Place, facts: Facts, at: Date, count = 1): Promise<void> {
  const event = { ...facts, id: randomUUID(), at, count }
  await insertQuery(db, { ...event, last_at: at })
  afterCommit(db, () => rememberEvent(keys, event))
}
type NewRow = Facts & { id: string; at: Date; last_at: Date; count: number }
const insertQuery = statement((db, row: NewRow) => db.insertInto('security_event').values(row))

/** More than so many different rows in a minute and process are counted together: a flood must not fill the database. */
const ROWS_PER_MINUTE = 300
const MINUTE_MS = 60_000

/** What a process has yet to write of one slot, and what it has used of this minute. */
type Counter = {
  minute: number
  slots: Set<string>
  waiting: Map<string, { count: number; last_at: Date; written: Promise<void> }>
  writing: Map<string, Promise<void>>
}
const counters = new WeakMap<Db, Counter>()

/** Those that arrive while a row is being written share the next write of it. */
function countEvent(place: Place, event: Facts, at: Date): Promise<void> {
  const { db } = place
  if (db.isTransaction) return addToSlot(place, event, slotOf(event, at), { at, last_at: at, count: 1 })
  const counter = counterOf(db, at)
  const { facts, slot } = withinFloodLimit(counter, event, at)
  const open = counter.waiting.get(slot)
  if (open) {
    open.count++
    open.last_at = at
    return open.written
  }
  const write = () => {
    const { count, last_at } = counter.waiting.get(slot) ?? { count: 1, last_at: at }
    counter.waiting.delete(slot)
    return addToSlot(place, facts, slot, { at, last_at, count })
  }
  const written = (counter.writing.get(slot) ?? Promise.resolve()).then(write, write).finally(() => {
    if (counter.writing.get(slot) === written) counter.writing.delete(slot)
  })
  counter.waiting.set(slot, { count: 1, last_at: at, written })
  counter.writing.set(slot, written)
  return written
}

function counterOf(db: Db, at: Date): Counter {
  const counter = counters.get(db) ?? { minute: 0, slots: new Set(), waiting: new Map(), writing: new Map() }
  counters.set(db, counter)
  const minute = Math.floor(at.getTime() / MINUTE_MS)
  if (counter.minute !== minute) {
    counter.minute = minute
    counter.slots.clear()
  }
  return counter
}

function withinFloodLimit({ slots }: Counter, facts: Facts, at: Date): { facts: Facts; slot: string } {
  const slot = slotOf(facts, at)
  if (slots.has(slot) || slots.size < ROWS_PER_MINUTE) {
    slots.add(slot)
    return { facts, slot }
  }
  const others = { ...facts, member_id: null, staff_id: null, network: null, details: '{"others":true}' }
  return { facts: others, slot: slotOf(others, at) }
}

const slotOf = ({ kind, member_id, staff_id, network, details }: Facts, at: Date): string =>
  [kind, member_id ?? staff_id, network, details, Math.floor(at.getTime() / MINUTE_MS)].join(' ')

type Times = { at: Date; last_at: Date; count: number }

async function addToSlot(place: Place, facts: Facts, slot: string, { at, last_at, count }: Times): Promise<void> {
  const { db, keys } = place
  const { rows } = await addQuery(db, { ...facts, id: randomUUID(), at, last_at, count, slot })
  const [row] = rows
  if (row) afterCommit(db, () => rememberEvent(keys, { ...facts, ...row }))
  else await insertEvent(place, facts, at, count) // sealed at this moment, by a process whose clock is ahead
}

const addQuery = statement(
  (
    _db,
    { id, at, last_at, kind, member_id, staff_id, network, details, count, slot }: NewRow & { slot: string },
  ) => sql<{ id: string; at: Date; count: number }>`
    insert into security_event (id, at, last_at, kind, member_id, staff_id, network, details, count, slot)
    values (${id}, ${at}, ${last_at}, ${kind}, ${member_id}, ${staff_id}, ${network}, ${details}, ${count}, ${slot})
    on conflict (slot) do update
      set count = security_event.count + excluded.count, last_at = greatest(security_event.last_at, excluded.last_at)
      where security_event.position is null
    returning id, at, count`,
)
