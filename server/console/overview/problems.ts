import { sql } from 'kysely'
import type { Staff } from '#contract/console/access.ts'
import type { Problem, ProblemList } from '#contract/console/overview.ts'
import { longDay } from '#contract/days.ts'
import { showAmount, toAmount } from '#contract/money.ts'
import { addDays, renewalTotal } from '#contract/renewal.ts'
import { recordAction } from '#server/audit/audit.ts'
import { endingKeys } from '#server/connect/keys/view-keys.ts'
import { listEndpoints } from '#server/connect/webhooks/endpoints.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { RenewalLine } from '#server/db/tables.ts'
import { linesDue } from '#server/membership/prices.ts'
import { resolveDiscrepancy } from '#server/payments/books/discrepancies.ts'
import { Refusal, refuseFields } from '#server/refusal.ts'
import { dayOf, startOfDay, todayOf } from '#server/world/time-zone.ts'
import type { World } from '#server/world/world.ts'
import { emailTexts } from '../members/email-texts.ts'

/** What no program can decide: each source follows its own small index. */

const MAX_OF_EACH = 100

/** The gateway usually answers a lookup within minutes. */
const PATIENCE_MS = 3_600_000
/** An email that was given up is shown for two weeks. */
const EMAIL_DAYS = 14

/** Members who weren't charged on time are shown for two weeks, too. */
const RESUMED_DAYS = 14

const daysAgo = ({ now }: Pick<World, 'now'>, days: number) => new Date(now().getTime() - days * 86_400_000)

type Context = Pick<World, 'config' | 'db' | 'now'>

export async function listProblems(world: Context): Promise<ProblemList> {
  const lists = await Promise.all([
    discrepancies(world.db),
    openPayments(world),
    lastTries(world),
    resumedCharges(world),
    givenUpEmails(world),
    failingWebhooks(world),
    endingApiKeys(world),
  ])
  return {
    problems: lists.flat().sort((a, b) => a.since.localeCompare(b.since)),
    is_capped: lists.some(({ length }) => length === MAX_OF_EACH),
  }
}

/** For the number beside the navigation. */
export const countProblems = async (world: Context): Promise<number> => (await listProblems(world)).problems.length

type MemberColumns = { member_id: string | null; first_name: string | null; last_name: string | null }
const memberOf = ({ member_id, first_name, last_name }: MemberColumns) =>
  member_id ? { member: { id: member_id, name: `${first_name} ${last_name}` } } : {}

async function discrepancies(db: Db): Promise<Problem[]> {
  const rows = await db
    .selectFrom('difference')
    .leftJoin('payment', 'payment.reference', 'difference.reference')
    .leftJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select(['difference.reference', 'difference.kind', 'ours', 'theirs', 'found_at', 'amount_cents'])
    .select(['member.id as member_id', 'first_name', 'last_name'])
    .where('cleared_at', 'is', null)
    .where('resolved_at', 'is', null)
    .orderBy('found_at')
    .limit(MAX_OF_EACH)
    .execute()
  return rows.map((row) => ({
    ...(row.kind === 'dispute'
      ? { kind: 'dispute', title: 'A payment is disputed' }
      : { kind: 'discrepancy', title: `Our books and the gateway’s differ: ${row.kind}` }),
    detail: `Here: ${inWords(row.ours)}. At the gateway: ${inWords(row.theirs)}.`,
    since: row.found_at.toISOString(),
    ...(row.amount_cents === null ? {} : { amount: toAmount(row.amount_cents) }),
    ...memberOf(row),
    discrepancy: { reference: row.reference, kind: row.kind },
  }))
}

/** 'capture_failed 99.00' → 'capture failed $99.00' */
const inWords = (text: string) => text.replaceAll('_', ' ').replace(/\d+\.\d\d/g, showAmount)

async function openPayments(world: Pick<World, 'db' | 'now'>): Promise<Problem[]> {
  const { rows } = await sql<
    MemberColumns & { state: string; reference: string; amount_cents: number; created_at: Date }
  >`
    select payment.state, reference, amount_cents, payment.created_at, member.id as member_id, first_name, last_name
    from payment left join member on member.enrollment_id = payment.enrollment_id
    where payment.state in ('reserved', 'authorizing', 'authorized', 'unknown', 'review')
      and payment.created_at < ${new Date(world.now().getTime() - PATIENCE_MS)}
    order by payment.created_at limit ${sql.lit(MAX_OF_EACH)}`.execute(world.db)
  return rows.map((row) => ({
    kind: row.state === 'review' ? 'review' : 'unanswered',
    title: row.state === 'review' ? 'Payment held for review' : 'Payment without an answer',
    detail: row.reference,
    since: row.created_at.toISOString(),
    amount: toAmount(row.amount_cents),
    ...memberOf(row),
  }))
}

/** The card was declined three times. The fourth try is the last, and then the membership ends. */
async function lastTries(world: Context): Promise<Problem[]> {
  const { rows } = await sql<
    MemberColumns & { due_at: Date; lines: RenewalLine[]; period_lines: RenewalLine[]; tried_at: Date }
  >`
    select membership.member_id, first_name, last_name, due_at, membership.lines, period.lines as period_lines,
      (select max(updated_at) from payment where payment.enrollment_id = member.enrollment_id) as tried_at
    from membership join member on member.id = membership.member_id
      join period on period.member_id = membership.member_id and period.n = membership.period
    where membership.state = 'past_due' and declines >= 3 and due_at is not null
    order by due_at limit ${sql.lit(MAX_OF_EACH)}`.execute(world.db)
  return rows.map((row) => ({
    kind: 'renewal',
    title: 'A renewal failed: one try left',
    detail: `The last try is on ${longDay(dayOf(world, row.due_at))}.`,
    since: row.tried_at.toISOString(),
    amount: toAmount(renewalTotal(linesDue(row.period_lines, row.lines))),
    ...memberOf(row),
  }))
}

/** Members we couldn't charge on time, who have started a new month, by the day we told them. */
async function resumedCharges(world: Context): Promise<Problem[]> {
  const { TIME_ZONE } = world.config
  const from = startOfDay(TIME_ZONE, addDays(todayOf(world), -RESUMED_DAYS))
  const { rows } = await sql<MemberColumns & { day: string; count: number; since: Date }>`
    select day, count, since, member.id as member_id, first_name, last_name
    from (
      select cast(at at time zone ${TIME_ZONE} as date) as day, count(distinct member_id) as count, min(at) as since,
        max(cast(member_id as text)) as one
      from member_event where what = 'charging_resumed' and kind = 'email' and at >= ${from}
      group by 1) resumed
      left join member on count = 1 and member.id = cast(one as uuid)
    order by day limit ${sql.lit(MAX_OF_EACH)}`.execute(world.db)
  return rows.map(({ day, count, since, ...member }) => ({
    kind: 'resumed',
    title: Number(count) === 1 ? 'A member wasn’t charged on time' : `${count} members weren’t charged on time`,
    detail: `They don’t owe anything for that time. A new period began, and we emailed them on ${longDay(day)}.`,
    since: since.toISOString(),
    ...(Number(count) === 1 ? memberOf(member) : { resumed_on: day }),
  }))
}

async function endingApiKeys(world: Context): Promise<Problem[]> {
  const keys = await endingKeys(world)
  return keys.map(({ since, sentence }) => ({
    kind: 'key',
    title: 'An API key expires soon',
    detail: sentence,
    since: since.toISOString(),
  }))
}

async function givenUpEmails(world: Pick<World, 'db' | 'now'>): Promise<Problem[]> {
  const rows = await world.db
    .selectFrom('job')
    .leftJoin('member', (join) => join.on(sql<boolean>`member.id = cast(payload ->> 'member_id' as uuid)`))
    .select(['kind', 'last_error', 'done_at', 'member.id as member_id', 'first_name', 'last_name'])
    .where('done_at', '>', daysAgo(world, EMAIL_DAYS))
    .where('last_error', 'is not', null)
    .orderBy('done_at')
    .limit(MAX_OF_EACH)
    .execute()
  return rows.map(({ kind, last_error, done_at, ...member }) => ({
    ...memberOf(member),
    kind: 'email',
    title: `${emailTexts[kind as keyof typeof emailTexts] ?? 'An email'} couldn’t be sent`,
    detail: last_error ?? '',
    since: (done_at ?? world.now()).toISOString(),
  }))
}

/** Everything must fail for this long before we say so: a receiver may just be restarting. */
const WEBHOOK_PATIENCE_MS = 3_600_000

/** Those that were turned off because they failed, and those that fail right now. */
async function failingWebhooks(world: Context): Promise<Problem[]> {
  const endpoints = (await listEndpoints(world)).filter(({ state }) => state !== 'off')
  const isLong = (since: Date | null) =>
    since !== null && world.now().getTime() - since.getTime() >= WEBHOOK_PATIENCE_MS
  return endpoints
    .filter(({ state, failing_since }) => state !== 'on' || isLong(failing_since))
    .map(({ id, url, state, state_at, failing_since }) => ({
      kind: 'webhook',
      title: state === 'on' ? 'A webhook is failing' : 'A webhook was turned off',
      detail: url,
      since: (state === 'on' && failing_since ? failing_since : state_at).toISOString(),
      endpoint_id: id,
    }))
}

type Resolution = { reference: string; kind: string; reason: string; outcome?: 'lost' | 'other' | undefined }

/** A person has looked at it. It opens again only if the gateway says something else. */
export async function resolve(world: World, input: Resolution, staff: Staff): Promise<ProblemList> {
  const { outcome, ...discrepancy } = input
  if (input.kind === 'dispute' && !outcome) throw refuseFields({ outcome: 'Please choose how the dispute ended.' })
  await inTransaction(world.db, async (db) => {
    const inner = { ...world, db }
    if (!(await resolveDiscrepancy(inner, { ...discrepancy, who: staff.email, is_lost: outcome === 'lost' })))
      throw new Refusal(409, 'This discrepancy is no longer open.')
    await recordAction(inner, {
      act: 'resolve_difference',
      actor: staff,
      subject_kind: 'payment',
      subject: input.reference,
      after: { difference: input.kind, ...(outcome ? { outcome } : {}) },
      reason: input.reason,
    })
  })
  return listProblems(world)
}
