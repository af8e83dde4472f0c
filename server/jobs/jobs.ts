import { sql } from 'kysely'
import { statement } from '#server/db/statement.ts'
import {
  addressChangedEmail,
  cancelledEmail,
  consentEmail,
  passwordChangedEmail,
  resumedEmail,
  unpaidEmail,
  welcomeEmail,
} from '#server/emails/emails.ts'
import { memberOfEnrollment } from '#server/enrollment/members.ts'
import type { AttemptKey } from '#server/enrollment/visitor.ts'
import { type Email, UndeliverableAddress } from '#server/gateways/mail/port.ts'
import { confirmAddressEmailFor } from '#server/office/details.ts'
import { passwordResetEmailFor } from '#server/office/new-password.ts'
import { endedWithoutCharge, gatewayDeadline, leaseEnd, referenceOf, transition } from '#server/payments/payments.ts'
import type { World } from '#server/world.ts'
import type { JobKind, JobPayloads } from './queue.ts'

type Work<Payload> = {
  longestWaitSeconds: number
  /** Without it: until it is done. */
  mostTries?: number
  work: (world: World, payload: Payload) => Promise<void>
}

type Writer<Payload> = (world: World, payload: Payload) => Email | undefined | Promise<Email | undefined>

/** Writes a letter when its time has come, and sends it if there is still something to say. */
const byEmail = <Payload>(write: Writer<Payload>): Work<Payload> => ({
  longestWaitSeconds: 3600,
  mostTries: 100, // some four days: then nobody is there to read it
  work: async (world, payload) => {
    const letter = await write(world, payload)
    if (letter) await world.mail.send(letter)
  },
})

/** How each kind is done, and how long it waits at most before it is tried again. */
const run: { [Name in JobKind]: Work<JobPayloads[Name]> } = {
  capture: { longestWaitSeconds: 15, work: capture },
  void: { longestWaitSeconds: 15, work: voidPayment },
  welcome: byEmail(welcomeEmail),
  consent: byEmail(consentEmail),
  unpaid: byEmail(unpaidLetterTo),
  cancelled: byEmail(cancelledEmail),
  kept: byEmail(resumedEmail),
  confirm_email: byEmail(confirmAddressEmailFor),
  email_changed: byEmail(addressChangedEmail),
  password_changed: byEmail(passwordChangedEmail),
  forgotten: { ...byEmail(passwordResetEmailFor), longestWaitSeconds: 60 }, // its word is good for an hour
}

const money = new Set<JobKind>(['capture', 'void'])
export const jobKinds = Object.keys(run) as JobKind[]

/** What may wait for each other: money for money, letters for letters. */
export const lanes = {
  money: jobKinds.filter((kind) => money.has(kind)),
  letters: jobKinds.filter((kind) => !money.has(kind)),
}

async function capture(world: World, key: AttemptKey): Promise<void> {
  const held = await heldBy(world, key)
  if (held.state !== 'enrolled' || !held.transaction_id) return
  const settled = await world.payment.capture(held.transaction_id, gatewayDeadline(world))
  if (settled === 'unknown') throw new Error('the gateway did not confirm the capture')
  if (settled === 'refused')
    world.log.error({ reference: referenceOf(key) }, 'the gateway will not capture what it held')
  await transition(world, key, ['enrolled'], { state: settled === 'done' ? 'captured' : 'capture_failed' })
}

/** Until the gateway confirms that nobody is charged: what cannot be voided any more is given back. */
async function voidPayment(world: World, { transaction_id, ...key }: JobPayloads['void']): Promise<void> {
  const held = await heldBy(world, key)
  if (!endedWithoutCharge(held)) return // it has become a member after all
  let settled = await world.payment.void(transaction_id, gatewayDeadline(world))
  if (settled === 'refused')
    settled = await world.payment.refund(transaction_id, held.amount_cents, gatewayDeadline(world))
  if (settled === 'refused' && (await isGone(world, key, transaction_id))) settled = 'done'
  if (settled !== 'done') throw new Error(`the gateway did not confirm the void (${settled})`)
  await transition(world, key, ['abandoned', 'declined'], { state: 'voided' })
}

const isGone = async (world: World, key: AttemptKey, transaction_id: string) => {
  const { outcome } = await world.payment.lookup(
    { reference: referenceOf(key), transaction_id },
    gatewayDeadline(world),
  )
  return outcome === 'declined'
}

/** Unless they have joined with another card while the letter waited. */
async function unpaidLetterTo(world: World, visitor: JobPayloads['unpaid']) {
  return (await memberOfEnrollment(world.db, visitor.enrollment_id)) ? undefined : unpaidEmail(world, visitor)
}

async function heldBy(world: World, { enrollment_id, attempt }: AttemptKey) {
  const [held] = (await readHeld(world.db, { enrollment_id, attempt })).rows
  if (!held) throw new Error('a payment that is not there')
  if (held.gateway !== world.payment.name) throw new Error(`only the gateway '${held.gateway}' holds this payment`)
  return held
}

const readHeld = statement((db, { enrollment_id, attempt }: AttemptKey) =>
  db
    .selectFrom('payment')
    .select(['state', 'transaction_id', 'amount_cents', 'gateway'])
    .where('enrollment_id', '=', enrollment_id)
    .where('attempt', '=', attempt),
)

type Taken = { id: string; kind: JobKind; payload: never; tries: number }

/** A gateway that takes a second for each answer must not hold up all the others. */
export const JOBS_AT_ONCE = 24

/**
 * Takes the next jobs of these kinds that are due, and does them. Other processes skip what is taken, for as long as it
 * takes. Says how many it took.
 */
export async function runJobs(world: World, kinds: readonly JobKind[] = jobKinds): Promise<number> {
  const taken = await takeJobs(world.db, { now: world.now(), until: leaseEnd(world), kinds })
  const close = closing(world)
  const open = new Set(taken.rows.map(({ id }) => id))
  const renewing = setInterval(() => renew(world, [...open]).catch(() => undefined), leaseMs(world) / 3)
  const finishing = taken.rows.map((job) => finish(world, job, close).finally(() => open.delete(job.id)))
  const settled = await Promise.allSettled(finishing) // one that cannot be noted does not end the others' lease
  clearInterval(renewing)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return taken.rows.length
}

const leaseMs = (world: World) => leaseEnd(world).getTime() - world.now().getTime()

/** A mail server may take longer than a gateway may. */
async function renew(world: World, ids: string[]): Promise<void> {
  if (!ids.length) return
  await world.db
    .updateTable('job')
    .set({ leased_until: leaseEnd(world) })
    .where('id', 'in', ids)
    .where('done_at', 'is', null)
    .execute()
}

type Taking = { now: Date; until: Date; kinds: readonly JobKind[] }
const takeJobs = statement(
  (_db, { now, until, kinds }: Taking) => sql<Taken>`
    update job set leased_until = ${until}, tries = tries + 1
    where id in (
      select id from job
      where done_at is null and run_at <= ${now} and (leased_until is null or leased_until < ${now})
        and kind in (${sql.join(kinds)})
      order by run_at limit ${sql.lit(JOBS_AT_ONCE)} for update skip locked)
    returning id, kind, payload, tries`,
)

/** How many are not done yet, by their kind. */
export async function countWaitingJobs({ db }: World): Promise<Map<JobKind, number>> {
  const counted = db
    .selectFrom('job')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
    .where('done_at', 'is', null)
    .groupBy('kind')
  return new Map((await counted.execute()).map(({ kind, count }) => [kind as JobKind, Number(count)]))
}

/** How many of each kind this process has given up, for /metrics. */
export const abandonedJobs = new Map<JobKind, number>()

/** Closes each job at once; those that are done while others are being closed go together. */
function closing({ db, now }: World): (id: string) => Promise<void> {
  let done: string[] = []
  let closed = Promise.resolve()
  const closeAll = async () => {
    const ids = done
    done = []
    const change = { done_at: now(), last_error: null, payload: '{}' }
    await closeJobs(db, { change, ids })
  }
  return (id) => {
    if (done.push(id) === 1) closed = closed.then(closeAll, closeAll)
    return closed
  }
}

type Closing = { change: { done_at: Date; last_error: null; payload: string }; ids: string[] }
const closeJobs = statement((db, { change, ids }: Closing) => db.updateTable('job').set(change).where('id', 'in', ids))

async function finish(world: World, { id, kind, payload, tries }: Taken, close: (id: string) => Promise<void>) {
  try {
    await run[kind].work(world, payload)
    await close(id)
  } catch (error) {
    const { longestWaitSeconds, mostTries = Number.POSITIVE_INFINITY } = run[kind]
    const wait = Math.min(2 ** tries, longestWaitSeconds)
    const run_at = new Date(world.now().getTime() + wait * 1000)
    const last_error = error instanceof Error ? error.message : String(error)
    const isLast = tries >= mostTries || error instanceof UndeliverableAddress
    world.log[isLast ? 'error' : 'warn'](
      { err: error, job: id, kind, tries },
      isLast ? 'a job is given up' : 'a job will be tried again',
    )
    if (isLast) abandonedJobs.set(kind, (abandonedJobs.get(kind) ?? 0) + 1)
    const next = isLast ? { done_at: world.now(), payload: '{}' } : { run_at, leased_until: null }
    await world.db
      .updateTable('job')
      .set({ ...next, last_error })
      .where('id', '=', id)
      .execute()
  }
}
