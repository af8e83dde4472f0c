import type { Selectable } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import { checkNext, hashAfter, keyedHasher } from '#server/secrets/hash-chain.ts'
import type { Keys } from '#server/secrets/secrets.ts'

/** The chain of sealed events. Its seals are rows of the audit log: this one goes from event `first` to `last`. */
export type Seal = { first: number; last: number; hash: string }

type EventRow = Selectable<Tables['security_event']>

export const hashEvent = (keys: Keys, previous: string, position: number, row: EventRow): string =>
  hashAfter(keyedHasher(keys, 'security event'), previous, hashedValues(position, row))

const hashedValues = (position: number, row: EventRow) => [
  position,
  row.at.toISOString(),
  row.last_at.toISOString(),
  row.kind,
  row.member_id,
  row.staff_id,
  row.network,
  row.details,
  row.count,
]

/** The seal in the details of an audit row; undefined if they were removed. */
export function sealIn(details: string | null): Seal | undefined {
  const { after }: { after?: Partial<Seal> } = JSON.parse(details ?? '{}')
  const { first, last, hash } = after ?? {}
  return first && last && hash ? { first, last, hash } : undefined
}

/** The newest seal, or the beginning of the log. */
export async function newestSeal(db: Db): Promise<Seal> {
  const details = await newestDetails(db, 'seal_events')
  if (details === undefined) return { first: 0, last: 0, hash: '' }
  const seal = sealIn(details)
  if (!seal) throw new Error('The newest seal of the security log was removed from the audit log.')
  return seal
}

/** Events up to this one were deleted because they were old. */
async function expiredThrough(db: Db): Promise<number> {
  const details = await newestDetails(db, 'expire_events')
  const { after }: { after?: { through?: number } } = JSON.parse(details ?? '{}')
  return after?.through ?? 0
}

async function newestDetails(db: Db, act: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('audit')
    .select('details')
    .where('subject_kind', '=', 'security_log')
    .where('act', '=', act)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.details
}

export type EventCounts = { events: number; expired: number; unsealed: number }

/** Compares the events with their seals, which are passed in the order of the audit log. Answers are sentences about what is wrong. */
export function eventChecker({ db, keys }: { db: Db; keys: Keys }) {
  let previous: Seal = { first: 0, last: 0, hash: '' }
  let expired = 0
  let events = 0

  const checkSeal = async (seal: Seal): Promise<string | undefined> => {
    if (seal.first !== previous.last + 1) return `Event ${previous.last + 1} was never sealed.`
    const rows = await eventsOf(db, seal)
    if (rows.length) {
      const problem = problemIn(keys, previous.hash, seal, rows)
      if (problem) return problem
      events += rows.length
    } else if (seal.last > expired) {
      expired = await expiredThrough(db) // read again: others may be deleted meanwhile
      if (seal.last > expired) return `Events ${seal.first} to ${seal.last} are missing.`
    }
    previous = seal
    return undefined
  }

  /** Call it after the last seal. */
  const checkEnd = async (): Promise<string | undefined> => {
    const newest = await db
      .selectFrom('security_event')
      .select('position')
      .where('position', 'is not', null)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
    const position = Number(newest?.position ?? 0)
    return position > previous.last && position > (await newestSeal(db)).last
      ? `Event ${position} was added by hand.`
      : undefined
  }

  const counts = async (): Promise<EventCounts> => {
    const { unsealed } = await db
      .selectFrom('security_event')
      .select(({ fn }) => fn.countAll<number>().as('unsealed'))
      .where('position', 'is', null)
      .executeTakeFirstOrThrow()
    return { events, expired: Math.max(0, previous.last - events), unsealed: Number(unsealed) }
  }

  return { checkSeal, checkEnd, counts }
}

const eventsOf = (db: Db, { first, last }: Seal) =>
  db
    .selectFrom('security_event')
    .selectAll()
    .where('position', '>=', first)
    .where('position', '<=', last)
    .orderBy('position')
    .execute()

function problemIn(keys: Keys, previousHash: string, { first, last, hash }: Seal, rows: EventRow[]) {
  const hasher = keyedHasher(keys, 'security event')
  let previous = { position: first - 1, hash: previousHash }
  for (let position = first; position <= last; position++) {
    const row = rows[position - first]
    const problem = checkNext(hasher, previous, row, (position) => (row ? hashedValues(position, row) : []))
    if (problem) return `Event ${position} ${problem === 'missing' ? 'is missing' : 'was changed'}.`
    previous = { position, hash: row?.hash ?? '' }
  }
  return previous.hash === hash ? undefined : `Events ${first} to ${last} are not those that were sealed.`
}
