import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#server/db/db.ts'
import type { DatabaseCluster } from '../cluster/cluster.ts'
import type { DrillRun, ReportRow } from '../drill.ts'
import { countTexts } from './request-log.ts'
import type { FailoverSite } from './site.ts'

const POLL_MS = 500
const MESSAGES_SECONDS = 120
const RENEWALS_SECONDS = 240
const CHARGED = ['held', 'captured', 'review']

type Strike = (cluster: DatabaseCluster) => Promise<unknown>

/** False: it took too long. */
async function until(seconds: number, isDone: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(POLL_MS))
    if (await isDone()) return true
  return false
}

const countWork = (now: Date) => async (db: Db) => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from job where done_at is null and run_at <= ${now})
      + (select count(*) from new_event)
      + (select count(*) from webhook_delivery where state in ('waiting', 'pending')) as count`.execute(db)
  return Number(rows[0]?.count)
}

const repeated = (texts: string[]) => countTexts(texts).filter((text) => !text.startsWith('1 × '))

/** Every event reaches the receiver, and every email is sent once. */
export async function describeMessages(run: DrillRun, site: FailoverSite): Promise<ReportRow[]> {
  const isSent = await until(MESSAGES_SECONDS, async () => (await site.withDatabase(countWork(site.now()))) === 0)
  const events = await site.withDatabase((db) => db.selectFrom('event').select(['id', 'type']).execute())
  const ids = site.receiver.ids()
  const received = new Set(ids)
  const missing = events.filter(({ id }) => !received.has(id))
  const unknown = [...received].filter((id) => !events.some((event) => event.id === id))
  const again = repeated(ids).length
  const { letters } = site.inbox
  const sentAgain = repeated(letters.map(({ id, what }) => `${id} ${what}`))
  const writtenAgain = repeated([...new Map(letters.map(({ id, what }) => [id, what])).values()])
  for (const text of [...sentAgain, ...writtenAgain].slice(0, 10)) run.print(`  sent again: ${text}`)
  for (const { type } of missing.slice(0, 3)) run.print(`  never received: ${type}`)
  return [
    {
      action: `${events.length} events for a receiver of webhooks, ${letters.length} emails`,
      expected: 'no event is missing or unknown, no email is sent twice',
      result: `${isSent ? '' : 'not all sent in time, '}${missing.length} events missing, ${unknown.length} unknown, ${again} delivered again with the same id; ${sentAgain.length} emails sent again with the same id, ${writtenAgain.length} written twice`,
      passed: isSent && !missing.length && !unknown.length && !sentAgain.length && !writtenAgain.length,
    },
  ]
}

const countRenewals = async (db: Db) => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from payment where period > 0 and state = 'captured'`.execute(db)
  return Number(rows[0]?.count)
}

/** To the moment when every membership is due. A later one would waive a month. */
async function advanceToRenewals(site: FailoverSite) {
  const { due } = await site.withDatabase((db) =>
    db
      .selectFrom('membership')
      .select(({ fn }) => fn.max('due_at').as('due'))
      .executeTakeFirstOrThrow(),
  )
  site.advance((Number(due) - site.now().getTime()) / 1000 + 1)
}

/** What the gateway has charged, and what of it our journal doesn't know, or has twice for one month. */
async function auditCharges(site: FailoverSite) {
  const attempts = await site.withDatabase((db) =>
    db.selectFrom('payment').select(['enrollment_id', 'period', 'reference']).execute(),
  )
  const attemptOf = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const charges = (await site.sandbox.transactions()).filter(({ state }) => CHARGED.includes(state))
  const months = charges.flatMap(({ reference }) => attemptOf.get(reference) ?? [])
  return {
    charges,
    unknown: charges.filter(({ reference }) => !attemptOf.has(reference)),
    twice: repeated(months.map(({ enrollment_id, period }) => `${enrollment_id}, period ${period}`)),
  }
}

/** Months pass, and the primary is struck in the middle of each charging. */
export async function describeRenewals(
  run: DrillRun,
  site: FailoverSite,
  cluster: DatabaseCluster,
  strikes: Strike[],
): Promise<ReportRow> {
  await site.withMovableClock({})
  const { count: members } = await site.withDatabase((db) =>
    db
      .selectFrom('member')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  )
  const late: string[] = []
  for (const [month, strike] of strikes.entries()) {
    const before = month * Number(members)
    const renewed = async () => (await site.withDatabase(countRenewals)) - before
    await advanceToRenewals(site)
    await until(RENEWALS_SECONDS, async () => (await renewed()) > 0)
    await strike(cluster)
    const isDone = await until(RENEWALS_SECONDS, async () => (await renewed()) >= Number(members))
    if (!isDone) late.push(`month ${month + 1}: ${await renewed()} of ${members}`)
    await cluster.whole()
    run.showProgress('PostgreSQL', `failover · ${month + 1} of ${strikes.length} months renewed`)
  }
  const { charges, unknown, twice } = await auditCharges(site)
  for (const text of [...late, ...twice].slice(0, 5)) run.print(`  renewals: ${text}`)
  return {
    action: `${strikes.length} months of ${members} members, with a failover in each charging`,
    expected: 'every member is charged once a month',
    result: `${charges.length - Number(members)} renewals charged, ${twice.length} twice, ${unknown.length} unknown to us, ${late.length} months unfinished after ${RENEWALS_SECONDS} s`,
    passed: !twice.length && !unknown.length && !late.length && Number(members) > 0,
  }
}

/** A second worker that shares nothing with the first charges everybody again. The same audit must see it. */
export async function describeSecondWorker(site: FailoverSite): Promise<ReportRow> {
  const before = await site.withDatabase(countRenewals)
  await site.withMovableClock({ hasSecondWorker: true })
  await advanceToRenewals(site)
  await until(RENEWALS_SECONDS, async () => (await site.withDatabase(countRenewals)) > before)
  await site.stopProcesses()
  const { unknown } = await auditCharges(site)
  return {
    action: 'control: a second worker charges renewals as well',
    expected: 'the audit sees it',
    result: `${unknown.length} charges unknown to us`,
    passed: unknown.length > 0,
  }
}
