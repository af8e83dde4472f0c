import { sql } from 'kysely'
import { isDatabaseAway, untilDatabaseIsBack } from '#server/db/away.ts'
import { statement } from '#server/db/statement.ts'
import { UndeliverableAddress } from '#server/gateways/mail/port.ts'
import { leaseEnd, leaseMs, SILENCE_SECONDS } from '#server/gateways/payment/deadlines.ts'
import { emailsToMembers, type JobKind, jobGroups, jobKinds } from '#server/jobs/queue.ts'
import type { World } from '#server/world/world.ts'
import { kinds, NOT_SENT } from './kinds.ts'

/** Enough that a slow gateway does not delay the jobs behind it. */
export const JOBS_AT_ONCE = 24

/** Claims the jobs that are due, runs them side by side, and returns how many there were. */
export async function runJobs(world: World, ofKinds: readonly JobKind[] = jobKinds): Promise<number> {
  const claim = ofKinds.every((kind) => isSilent(world, kind)) ? claimOne : claimMany
  const { rows: jobs } = await claim(world.db, { now: world.now(), until: leaseEnd(world), ofKinds })
  const completers = { complete: createCompleter(world, completeJobs), close: createCompleter(world, closeJobs) }
  const running = new Set(jobs.map(({ id }) => id))
  const renewal = setInterval(() => renewLeases(world, [...running]).catch(() => undefined), leaseMs(world) / 3)
  const results = await Promise.allSettled(
    jobs.map((job) => runJob(world, job, completers).finally(() => running.delete(job.id))),
  )
  clearInterval(renewal) // only now: if one result cannot be recorded, the other jobs still need their leases
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return jobs.length
}

/** What this kind of job needs doesn't answer at the moment. */
const isSilent = ({ paymentCalls, mail }: World, kind: JobKind) =>
  jobGroups.payments.includes(kind)
    ? !paymentCalls.isAnswering()
    : jobGroups.emails.includes(kind) && !mail.isAnswering()

type ClaimedJob = { id: string; kind: JobKind; payload: never; tries: number }

type Claim = { now: Date; until: Date; ofKinds: readonly JobKind[] }

/** Other processes skip a claimed job until its lease expires. */
const claimUpTo = (limit: number) =>
  statement(
    (_db, { now, until, ofKinds }: Claim) => sql<ClaimedJob>`
      update job set leased_until = ${until}, tries = tries + 1
      where id in (
        select id from job
        where done_at is null and run_at <= ${now} and (leased_until is null or leased_until < ${now})
          and kind in (${sql.join(ofKinds)})
        order by run_at limit ${sql.lit(limit)} for update skip locked)
      returning id, kind, payload, tries`,
  )
const claimMany = claimUpTo(JOBS_AT_ONCE)
const claimOne = claimUpTo(1)

/** A mail server may take longer than the lease, which is made for the payment gateway. */
async function renewLeases(world: World, ids: string[]): Promise<void> {
  if (!ids.length) return
  await world.db
    .updateTable('job')
    .set({ leased_until: leaseEnd(world) })
    .where('id', 'in', ids)
    .where('done_at', 'is', null)
    .execute()
}

type Complete = (id: string) => Promise<void>

async function runJob(world: World, job: ClaimedJob, { complete, close }: Record<'complete' | 'close', Complete>) {
  try {
    const result = await kinds[job.kind].run(world, job.payload, job.id)
    const finish = result === NOT_SENT ? close : complete
    await untilDatabaseIsBack(leaseMs(world), () => finish(job.id))
  } catch (error) {
    await untilDatabaseIsBack(leaseMs(world), () => retryOrAbandon(world, job, error))
  }
}

async function retryOrAbandon(world: World, { id, kind, tries }: ClaimedJob, error: unknown): Promise<void> {
  const { maxBackoffSeconds, maxTries = Number.POSITIVE_INFINITY } = kinds[kind]
  const isLast = (tries >= maxTries && !isDatabaseAway(error)) || error instanceof UndeliverableAddress
  world.log[isLast ? 'error' : 'warn'](
    { err: error, job: id, kind, tries },
    isLast ? 'job abandoned' : 'job failed, will retry',
  )
  if (isLast) abandonedJobs.set(kind, (abandonedJobs.get(kind) ?? 0) + 1)
  const now = world.now()
  const isSilence = isDatabaseAway(error) || (kind !== 'refund' && isSilent(world, kind)) // a refund isn't urgent
  const seconds = isSilence ? SILENCE_SECONDS : Math.min(2 ** tries, maxBackoffSeconds)
  const retry = { run_at: new Date(now.getTime() + seconds * 1000), leased_until: null }
  const uncounted = isSilence ? { tries: tries - 1 } : {} // the job isn't at fault
  const change = isLast ? { done_at: now, payload: onlyMember } : { ...retry, ...uncounted }
  const last_error = error instanceof Error ? error.message : String(error)
  await world.db
    .updateTable('job')
    .set({ ...change, last_error })
    .where('id', '=', id)
    .execute()
}

/** So that staff can see whom an email did not reach. */
const onlyMember = sql<string>`jsonb_strip_nulls(jsonb_build_object('member_id', payload ->> 'member_id'))`

/** How many jobs of each kind this process has abandoned, for /metrics. */
export const abandonedJobs = new Map<JobKind, number>()

/** Marks each job as done at once. Jobs that finish while an update is running share the next one. */
function createCompleter({ db, now }: World, finish: typeof completeJobs): Complete {
  let ids: string[] = []
  let lastUpdate = Promise.resolve()
  const flush = async () => {
    const batch = ids
    ids = []
    await finish(db, { change: { done_at: now(), last_error: null, payload: '{}' }, ids: batch })
  }
  return (id) => {
    if (ids.push(id) === 1) lastUpdate = lastUpdate.then(flush, flush)
    return lastUpdate
  }
}

type Completion = { change: { done_at: Date; last_error: null; payload: string }; ids: string[] }
/** The payload is deleted. What a member was sent stays known without it. */
const completeJobs = statement((db, { change, ids }: Completion) =>
  db
    .with('emails', (cte) =>
      cte
        .insertInto('member_event')
        .columns(['member_id', 'at', 'kind', 'what'])
        .expression((eb) =>
          eb
            .selectFrom('job')
            .innerJoin('member', (join) => join.on(sql<boolean>`member.id = cast(payload ->> 'member_id' as uuid)`))
            .select([
              'member.id',
              sql`cast(${change.done_at} as timestamptz)`.as('at'),
              sql.lit('email').as('kind'),
              'job.kind as what',
            ])
            .where('job.id', 'in', ids)
            .where(
              'job.kind',
              'in',
              emailsToMembers.map((kind) => sql.lit(kind)),
            ),
        )
        .onConflict((conflict) => conflict.doNothing()),
    )
    .updateTable('job')
    .set(change)
    .where('id', 'in', ids),
)

/** The same for jobs that sent nothing. */
const closeJobs = statement((db, { change, ids }: Completion) =>
  db.updateTable('job').set(change).where('id', 'in', ids),
)
