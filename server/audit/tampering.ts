import type { Config } from '#server/config/config.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Log } from '#server/log.ts'
import { Refusal } from '#server/refusal.ts'
import type { Link } from '#server/secrets/hash-chain.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import { findLostEvents, forgetEvents, lostSentence } from '#server/security/written-events.ts'
import {
  type Actor,
  type AuditEntry,
  forgetSeals,
  lockHead,
  readHead,
  recordAction,
  rememberedSeals,
  rememberSeal,
  sealText,
  theServer,
} from './audit.ts'

type Context = { config: Config; db: Db; keys: Keys; log: Log; now: () => Date }

type Finding = Pick<AuditEntry, 'subject_kind' | 'subject'> & { after: { problem: string } & AuditEntry['after'] }

/** After a failover, every process notices within a minute that rows are lost. */
const ONE_EMAIL_MS = 10 * 60_000

/**
 * Compares both logs with what this process remembers of them. What is gone is written to the end of the audit log and to
 * the process log, once. `tellOwners` queues their email in the same transaction, unless there was a report just before.
 */
export async function reportTampering(
  world: Context,
  tellOwners: (db: Db, problems: string[]) => Promise<void>,
): Promise<void> {
  const { db, keys, log } = world
  const seals = rememberedSeals(keys)
  const cut = await findCut(world, seals)
  const lost = await findLostEvents(world)
  const findings: Finding[] = [
    ...(cut ? [cut] : []),
    ...lost.map((event) => {
      const { id: subject, at, problem, ...facts } = event
      const after = { ...facts, at: at.toISOString(), problem: lostSentence(event) }
      return { subject_kind: 'security_log' as const, subject, after }
    }),
  ]
  if (findings.length)
    await inTransaction(db, async (db) => {
      await lockHead(db)
      const isTold = await hasReportSince(db, new Date(world.now().getTime() - ONE_EMAIL_MS))
      for (const finding of findings)
        await recordAction(
          { ...world, db },
          { act: 'report_tampering', kind: 'security', actor: theServer, ...finding },
        )
      const problems = findings.map(({ after }) => after.problem)
      if (!isTold) await tellOwners(db, problems)
    })
  forgetEvents(keys, lost)
  forgetSeals(keys, seals)
  for (const { after } of findings) log.error(after, 'a log was changed in the database')
  rememberSeal(keys, await readHead(db))
}

const hasReportSince = async (db: Db, since: Date): Promise<boolean> =>
  Boolean(
    await db
      .selectFrom('audit')
      .select('position')
      .where('act', '=', 'report_tampering')
      .where('at', '>', since)
      .executeTakeFirst(),
  )

const BATCH = 1000

async function findCut({ db }: Context, seals: Link[]): Promise<Finding | undefined> {
  const hashes = new Map<number, string>()
  for (let from = 0; from < seals.length; from += BATCH) {
    const positions = seals.slice(from, from + BATCH).map(({ position }) => position)
    const rows = await db.selectFrom('audit').select(['position', 'hash']).where('position', 'in', positions).execute()
    for (const { position, hash } of rows) hashes.set(Number(position), hash)
  }
  const seal = seals.find(({ position, hash }) => hashes.get(position) !== hash)
  if (!seal) return undefined
  const problem = `Row ${seal.position} of the audit log was removed or replaced.`
  return { subject_kind: 'audit_log', subject: String(seal.position), after: { problem, seal: sealText(seal) } }
}

type Acknowledgment = { position: number; reason: string; actor: Actor }

/** From now on, checking counts only reports after this one: what it says is known, and why. */
export const acknowledgeTampering = (world: Context, { position, reason, actor }: Acknowledgment): Promise<void> =>
  inTransaction(world.db, async (db) => {
    await lockHead(db)
    const rows = await db
      .selectFrom('audit')
      .select(['act', 'position', 'subject'])
      .where('act', 'in', ['report_tampering', 'acknowledge_tampering'])
      .execute()
    if (!rows.some((row) => row.act === 'report_tampering' && Number(row.position) === position))
      throw new Refusal(409, `Row ${position} is not a report.`)
    if (rows.some(({ act, subject }) => act === 'acknowledge_tampering' && Number(subject) >= position))
      throw new Refusal(409, 'This report is already acknowledged.')
    const subject = { subject_kind: 'audit_log', subject: String(position) } as const
    await recordAction({ ...world, db }, { act: 'acknowledge_tampering', actor, ...subject, reason })
  })
