import { sql } from 'kysely'
import type { Today } from '#contract/console/overview.ts'
import { toAmount } from '#contract/money.ts'
import { addDays } from '#contract/renewal.ts'
import { breakers, secondsOpen } from '#server/abuse/breaker.ts'
import { countWaitingJobs, jobGroups } from '#server/jobs/queue.ts'
import { lastReconciledAt } from '#server/payments/books/hourly.ts'
import { startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { countProblems } from './problems.ts'

const NEWEST = 8

/** The figures of a day in the operator's time zone, and the state of the parts as this process sees them. */
export async function viewToday(world: World): Promise<Today> {
  const today = todayOf(world)
  const [figures, week_ago, queue, newest, parts, problems] = await Promise.all([
    figuresOf(world, today),
    figuresOf(world, addDays(today, -7)),
    queueOf(world, today),
    newestMembers(world),
    partsOf(world),
    countProblems(world),
  ])
  return { today: figures, week_ago, ...queue, newest, parts, problems }
}

const dayRange = ({ config }: World, day: string) => ({
  from: startOfDay(config.TIME_ZONE, day),
  to: startOfDay(config.TIME_ZONE, addDays(day, 1)),
})

/** Taken by the gateway, and not canceled before it settled. What went back later is shown on the day it went back. */
const isCollected = sql`payment.state in ('captured', 'refunded', 'disputed') and not exists (select from refund
  where payment_reference = payment.reference and is_void and refund.state = 'done')`

async function figuresOf(world: World, day: string): Promise<Today['today']> {
  const { from, to } = dayRange(world, day)
  const within = (column: string) => sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`
  type Name = 'joined' | 'collected' | 'first_payments' | 'renewals' | 'refunded' | 'disputed'
  const { rows } = await sql<Record<Name, string>>`
    select (select count(*) from member where ${within('joined_at')}) as joined,
      coalesce(sum(amount_cents), 0) as collected, count(*) filter (where period = 0) as first_payments,
      count(*) filter (where period > 0) as renewals,
      (select coalesce(sum(amount_cents), 0) from refund
        where state = 'done' and not is_void and ${within('ended_at')}) as refunded,
      (select coalesce(sum(amount_cents), 0) from payment where ${within('disputed_at')}) as disputed
    from payment where ${isCollected} and ${within('updated_at')}`.execute(world.db)
  const figure = (name: Name) => Number(rows[0]?.[name] ?? 0)
  return {
    joined: figure('joined'),
    collected: toAmount(figure('collected')),
    first_payments: figure('first_payments'),
    renewals: figure('renewals'),
    refunded: toAmount(figure('refunded')),
    disputed: toAmount(figure('disputed')),
  }
}

async function queueOf(world: World, day: string) {
  const { from, to } = dayRange(world, day)
  const { rows } = await sql<Record<'renewals_due' | 'past_due' | 'declined' | 'saved' | 'canceled', number>>`
    select (select count(*) from membership where due_at is not null and due_at < ${to}) as renewals_due,
      (select count(*) from membership where state = 'past_due') as past_due,
      (select count(*) from payment where state = 'declined' and period > 0 and updated_at >= ${from} and updated_at < ${to}) as declined,
      (select count(*) from payment where ${isCollected} and period > 0 and updated_at >= ${from} and updated_at < ${to}
        and exists (select from payment earlier where earlier.enrollment_id = payment.enrollment_id
          and earlier.period = payment.period and earlier.state = 'declined')) as saved,
      (select count(*) from member where cancelled_at is not null and cancelled_at >= ${from} and cancelled_at < ${to}) as canceled`.execute(
    world.db,
  )
  const { renewals_due = 0, past_due = 0, declined = 0, saved = 0, canceled = 0 } = rows[0] ?? {}
  return {
    renewals_due: Number(renewals_due),
    past_due: Number(past_due),
    declined: Number(declined),
    saved: Number(saved),
    canceled: Number(canceled),
  }
}

async function newestMembers({ db }: World): Promise<Today['newest']> {
  const rows = await db
    .selectFrom('member')
    .innerJoin('sponsor', 'sponsor.id', 'member.sponsor_id')
    .select(['member.id', 'first_name', 'last_name', 'sponsor.name', 'joined_at'])
    .orderBy('joined_at', 'desc')
    .orderBy('member.id', 'desc')
    .limit(NEWEST)
    .execute()
  return rows.map(({ id, first_name, last_name, name, joined_at }) => ({
    id,
    name: `${first_name} ${last_name}`,
    sponsor: name,
    joined_at: joined_at.toISOString(),
  }))
}

async function partsOf(world: World): Promise<Today['parts']> {
  const [jobs, reconciled, ...open] = await Promise.all([
    countWaitingJobs(world),
    lastReconciledAt(world),
    ...breakers.map((breaker) => secondsOpen(world, breaker)),
  ])
  const waiting = jobGroups.emails.reduce((sum, kind) => sum + (jobs.get(kind) ?? 0), 0)
  const isAnswering = world.paymentCalls.isAnswering()
  return [
    { name: 'Payment gateway', state: isAnswering ? 'answering' : 'not answering', is_good: isAnswering },
    { name: 'Emails', state: waiting ? `${waiting} waiting` : 'all sent', is_good: waiting < 100 },
    {
      name: 'Gateway’s books',
      state: reconciled ? 'compared' : 'not compared yet',
      ...(reconciled ? { at: reconciled.toISOString() } : {}),
      is_good: reconciled !== undefined,
    },
    ...breakers.map((breaker, index) => ({
      ...(breaker === 'declines'
        ? { name: 'Declined cards', state: open[index] ? 'phone codes required' : 'normal' }
        : { name: 'Phone codes', state: open[index] ? 'limited' : 'normal' }),
      is_good: !open[index],
    })),
  ]
}
