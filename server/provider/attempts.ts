import { randomInt } from 'node:crypto'
import { type Db, inTransaction, isRejectedWrite } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { AttemptKey } from '#server/gateways/payment/attempt-key.ts'
import type { World } from '#server/world/world.ts'

/** Which enrollments were sent to the host, and what we know of each. Nothing personal. */

export type Attempt = Tables['provider_attempt']
export type State = Attempt['state']

const KEPT_DAYS = 90
const DAY_MS = 86_400_000

/** By then both the host and our own process have given up. */
const GRACE_MS = 5_000
export const answerDue = ({ config, now }: World) =>
  new Date(now().getTime() - config.PROVIDER_DEADLINE * 1000 - GRACE_MS)

export const findAttempts = (db: Db, enrollment_id: string): Promise<Attempt[]> =>
  db.selectFrom('provider_attempt').selectAll().where('enrollment_id', '=', enrollment_id).orderBy('attempt').execute()

/**
 * Records that the enrollment is about to be sent. Returns its reference, or nothing if an earlier attempt is running, approved
 * or unknown. `after_unknown` is an unknown attempt that the visitor was warned about.
 */
export async function beginAttempt(
  { db, now }: World,
  key: AttemptKey,
  after_unknown: string | undefined,
): Promise<string | undefined> {
  const sent_at = now()
  const expires_at = new Date(sent_at.getTime() + KEPT_DAYS * DAY_MS)
  const row: Attempt = { ...key, reference: newReference(), state: 'sent', sent_at, expires_at }
  try {
    if (!after_unknown) return await insertAttempt(db, row)
    return await inTransaction(db, async (db) => {
      await passUnknown(db, key, after_unknown)
      return insertAttempt(db, row)
    })
  } catch (error) {
    if (isRejectedWrite(error)) return undefined
    throw error
  }
}

/** One that the host has refused may be sent again. */
async function insertAttempt(db: Db, row: Attempt): Promise<string | undefined> {
  const { sent_at, reference } = row
  const written = await db
    .insertInto('provider_attempt')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['enrollment_id', 'attempt'])
        .doUpdateSet({ state: 'sent', sent_at, reference })
        .where('provider_attempt.state', '=', 'refused'),
    )
    .returning('reference')
    .executeTakeFirst()
  return written?.reference
}

const passUnknown = (db: Db, { enrollment_id }: AttemptKey, reference: string) =>
  db
    .updateTable('provider_attempt')
    .set({ state: 'passed' })
    .where('enrollment_id', '=', enrollment_id)
    .where('reference', '=', reference)
    .where('state', '=', 'unknown')
    .execute()

/** Even if a different process has given up on it. */
export const endAttempt = (db: Db, reference: string, state: State) =>
  db
    .updateTable('provider_attempt')
    .set({ state })
    .where('reference', '=', reference)
    .where('state', 'in', ['sent', 'unknown'])
    .execute()

/** Attempts of a process that died before the answer came: we can never find out. Returns how many there were. */
export async function loseOverdue(world: World): Promise<number> {
  const rows = await world.db
    .updateTable('provider_attempt')
    .set({ state: 'unknown' })
    .where('state', '=', 'sent')
    .where('sent_at', '<', answerDue(world))
    .returning('reference')
    .execute()
  for (const { reference } of rows)
    world.log.error({ reference }, 'an enrollment was sent to the API host, and its answer was never read')
  return rows.length
}

/** How many enrollments are waiting for the host. */
export async function countRunning(world: World): Promise<number> {
  const { count } = await world.db
    .selectFrom('provider_attempt')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'sent')
    .where('sent_at', '>', answerDue(world))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Only letters and digits that can't be confused on the phone. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const word = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
const newReference = () => `${word()}-${word()}`
