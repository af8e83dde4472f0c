import type { Config } from '#server/config/config.ts'
import { type Db, inTransaction } from '#server/db/db.ts'
import type { Log } from '#server/log.ts'
import type { Link } from '#server/secrets/hash-chain.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import { findLostEvents, forgetEvents, lostSentence } from '#server/security/written-events.ts'
import {
  type AuditEntry,
  forgetSeals,
  readHead,
  recordAction,
  rememberedSeals,
  rememberSeal,
  sealText,
  theServer,
} from './audit.ts'

type Context = { config: Config; db: Db; keys: Keys; log: Log; now: () => Date }

type Finding = Pick<AuditEntry, 'subject_kind' | 'subject'> & { after: { problem: string } & AuditEntry['after'] }

/**
 * Compares both logs with what this process remembers of them. What is gone is written to the end of the audit log and to
 * the process log, once, and returned as sentences.
 */
export async function reportTampering(world: Context): Promise<string[]> {
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
  for (const { after, ...about } of findings) {
    await inTransaction(db, (db) =>
      recordAction({ ...world, db }, { act: 'report_tampering', kind: 'security', actor: theServer, ...about, after }),
    )
    log.error(after, 'a log was changed in the database')
  }
  forgetEvents(keys, lost)
  forgetSeals(keys, seals)
  rememberSeal(keys, await readHead(db))
  return findings.map(({ after }) => after.problem)
}

async function findCut({ db }: Context, seals: Link[]): Promise<Finding | undefined> {
  if (!seals.length) return undefined
  const positions = seals.map(({ position }) => position)
  const rows = await db.selectFrom('audit').select(['position', 'hash']).where('position', 'in', positions).execute()
  const hashes = new Map(rows.map(({ position, hash }) => [Number(position), hash]))
  const seal = seals.find(({ position, hash }) => hashes.get(position) !== hash)
  if (!seal) return undefined
  const problem = `Row ${seal.position} of the audit log was removed or replaced.`
  return { subject_kind: 'audit_log', subject: String(seal.position), after: { problem, seal: sealText(seal) } }
}
