import { totalOf } from '#server/catalog/catalog.ts'
import { type Db, inTransaction, isRejectedWrite } from '#server/db/db.ts'
import { statement } from '#server/db/statement.ts'
import type { Details, Tables } from '#server/db/tables.ts'
import { type Attempt, endedWithoutCharge, findAttempts, leaseEnd, referenceOf } from '#server/payments/payments.ts'
import { refuseFields } from '#server/refusal.ts'
import { findTouches, rowsToAppend, type Touch } from '#server/sponsors/touches.ts'
import type { World } from '#server/world.ts'
import { claimsOf, conflictMessages } from './claims.ts'
import type { AttemptKey } from './visitor.ts'

/** What an attempt may keep of an order, and the links that led to it. */
export type ScreenedOrder = { details: Details; touches: Touch[] }

/**
 * Claims the names and writes the attempt, all or nothing. Nothing, when the enrollment has one running: a new attempt
 * only follows earlier ones that ended without a charge.
 */
export async function reserve(
  world: World,
  key: AttemptKey,
  { details, touches }: ScreenedOrder,
  password_hash: string,
): Promise<Attempt | undefined> {
  const amount_cents = totalOf(details.lines)
  const attempt = { ...key, amount_cents, details, password_hash, created_at: world.now() }
  const isReserved = (await reserveAtOnce(world, attempt, touches)) || (await reserveInTurn(world, attempt, touches))
  return isReserved ? attempt : undefined
}

/** With nothing in its way, it is one statement. */
async function reserveAtOnce(world: World, attempt: Attempt, touches: Touch[]): Promise<boolean> {
  const { enrollment_id, created_at, details } = attempt
  const claims = claimsOf(enrollment_id, details.member)
  if (attempt.attempt > 1 || Object.keys(conflictMessages(claims, claims)).length) return false
  const added = rowsToAppend(enrollment_id, [], touches)
  const begun = { id: enrollment_id, created_at }
  try {
    await writeReservation(world.db, { begun, claims, added, payment: reservation(world, attempt) })
    return true
  } catch (error) {
    if (isRejectedWrite(error)) return false
    throw error
  }
}

type Reserving = {
  begun: Pick<Tables['enrollment'], 'id' | 'created_at'>
  claims: Tables['claim'][]
  added: Tables['sponsor_touch'][]
  payment: ReturnType<typeof reservation>
}
const writeReservation = statement((db, { begun, claims, added, payment }: Reserving) => {
  const writing = db
    .with('begun', (write) => write.insertInto('enrollment').values(begun))
    .with('claimed', (write) => write.insertInto('claim').values(claims))
  const all = added.length
    ? writing.with('touched', (write) => write.insertInto('sponsor_touch').values(added))
    : writing
  return all.insertInto('payment').values(payment)
})

/** After whatever else this enrollment is doing. Says whose names are taken. */
function reserveInTurn(world: World, attempt: Attempt, touches: Touch[]): Promise<boolean> {
  const { enrollment_id, created_at, details } = attempt
  return inTransaction(world.db, async (db) => {
    const begun = await lockEnrollment(db, enrollment_id, created_at)
    if (!begun.attempts.every((earlier) => endedWithoutCharge(earlier) && earlier.attempt < attempt.attempt))
      return false
    const claims = claimsOf(enrollment_id, details.member)
    const rows = begun.isNew ? [] : await findTouches(db, enrollment_id)
    const added = rowsToAppend(enrollment_id, rows, touches)
    const writing = db
      .with('kept', (write) =>
        write.updateTable('enrollment').set({ expires_at: null }).where('id', '=', enrollment_id),
      )
      .with('claimed', (write) =>
        write
          .insertInto('claim')
          .values(claims)
          .onConflict((clash) => clash.doNothing())
          .returning('kind'),
      )
      .with('reserved', (write) => write.insertInto('payment').values(reservation(world, attempt)))
    const all = added.length
      ? writing.with('touched', (write) => write.insertInto('sponsor_touch').values(added))
      : writing
    const claimed = await all.selectFrom('claimed').select('kind').execute()
    const clashes = conflictMessages(claims, claimed)
    if (Object.keys(clashes).length) throw refuseFields(clashes) // and nothing stays
    return true
  })
}

/** A new attempt's row. */
const reservation = (world: World, attempt: Attempt) => ({
  ...attempt,
  reference: referenceOf(attempt),
  state: 'reserved' as const,
  details: JSON.stringify(attempt.details),
  gateway: world.payment.name,
  leased_until: leaseEnd(world),
  updated_at: attempt.created_at,
})

/** Writes the enrollment if it is new, and has it to itself until the transaction ends. Says what was tried before. */
export async function lockEnrollment(db: Db, id: string, created_at: Date) {
  const written = await db
    .insertInto('enrollment')
    .values({ id, created_at })
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirst()
  if (Number(written.numInsertedOrUpdatedRows) === 1) return { isNew: true, attempts: [] }
  await db.selectFrom('enrollment').select('id').where('id', '=', id).forUpdate().execute()
  const { attempts } = await findAttempts(db, id)
  return { isNew: false, attempts }
}
