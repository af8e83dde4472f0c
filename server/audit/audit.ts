import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type ActionName, actions, type Role } from '#contract/console/permissions.ts'
import { afterCommit, type Db } from '#server/db/db.ts'
import type { Tables } from '#server/db/tables.ts'
import type { Log } from '#server/log.ts'
import { checkNext, hashAfter, keyedHasher, type Link, START } from '#server/secrets/hash-chain.ts'
import type { Keys } from '#server/secrets/secrets.ts'
import { type EventCounts, eventChecker, sealIn } from '#server/security/event-chain.ts'
import { findLostEvents, lostSentence } from '#server/security/written-events.ts'

/** Who did something: a colleague, an API key, someone with access to the command line, or the server itself. */
export type Actor =
  | { id: string; role: Role; network?: string }
  | { id: null; role: 'command line' | 'server' | `api key ${string}` }
export const commandLine: Actor = { id: null, role: 'command line' }
export const theServer: Actor = { id: null, role: 'server' }

export type Facts = Record<string, string | number | boolean | null>

export type AuditEntry = {
  act: ActionName
  /** 'security': who came in, not what they did. */
  kind?: 'security'
  actor: Actor
  subject_kind:
    | 'member'
    | 'staff'
    | 'invitation'
    | 'payment'
    | 'export'
    | 'import'
    | 'breaker'
    | 'network'
    | 'site'
    | 'document'
    | 'package'
    | 'sponsor'
    | 'api_key'
    | 'webhook'
    | 'security_log'
    | 'audit_log'
  subject: string
  /** Ids, states and amounts rather than names: as little personal data as the act can be understood with. */
  before?: Facts
  after?: Facts
  reason?: string | undefined
}

type Context = { db: Db; keys: Keys; now: () => Date; log: Log }

/**
 * Adds a row to the end of the chain. Call it last in the transaction of the act: from here to the commit, no other act of
 * any process can be written.
 */
export async function recordAction({ db, keys, now, log }: Context, entry: AuditEntry): Promise<void> {
  if (!db.isTransaction) throw new Error('An act and its audit row belong in one transaction.')
  const { act, kind = 'act', actor, subject_kind, subject, before, after, reason } = entry
  if ('needsReason' in actions[act] && !reason) throw new Error(`${act} needs a reason.`)
  const head = await lockHead(db)
  const details = JSON.stringify({ before, after, reason })
  const details_salt = randomBytes(12).toString('base64url')
  const row: HashedRow = {
    position: head.position + 1,
    at: now(),
    kind,
    act,
    staff_id: actor.id,
    role: actor.role,
    subject_kind,
    subject,
    details_hash: hashDetails(keys, details_salt, details),
    network: 'network' in actor ? (actor.network ?? null) : null,
  }
  const hash = hashAfter(keyedHasher(keys, 'audit'), head.hash, hashedValues(row))
  await db
    .insertInto('audit')
    .values({ ...row, details, details_salt, hash })
    .execute()
  await db.updateTable('audit_head').set({ position: row.position, hash }).where('id', '=', 1).execute()
  const seal = { position: row.position, hash }
  afterCommit(db, () => {
    rememberSeal(keys, seal)
    log.info({ act, seal: sealText(seal) }, 'audit') // outside the database: a second witness
  })
}

/** Rows that this process has seen, where no one who merely reaches the database can change them: position and hash. */
const remembered = new WeakMap<Keys, Map<number, string>>()

export const rememberedSeals = (keys: Keys): Link[] =>
  [...(remembered.get(keys) ?? [])].map(([position, hash]) => ({ position, hash }))

/** Of two rows with the same position the first one stays: the second shows that the first was removed. */
export function rememberSeal(keys: Keys, { position, hash }: Link): void {
  const seals = remembered.get(keys) ?? new Map<number, string>()
  remembered.set(keys, seals)
  if (position && !seals.has(position)) seals.set(position, hash)
}

export function forgetSeals(keys: Keys, seals: readonly Link[]): void {
  for (const { position } of seals) remembered.get(keys)?.delete(position)
}

/** '412.Q2x…': row 412 has this hash. */
export const sealText = ({ position, hash }: Link): string => `${position}.${hash}`

export async function readHead(db: Db): Promise<Link> {
  const head = await db.selectFrom('audit_head').select(['position', 'hash']).executeTakeFirst()
  return head ? { position: Number(head.position), hash: head.hash } : START
}

/** Locks the end of the chain until the transaction ends. */
export async function lockHead(db: Db): Promise<Link> {
  const { rows } = await sql<Link>`
    insert into audit_head (id, position, hash) values (1, 0, '')
    on conflict (id) do update set id = 1 returning position, hash`.execute(db)
  const [head] = rows
  if (!head) throw new Error('The audit log has no end.')
  return { position: Number(head.position), hash: head.hash }
}

type HashedRow = Omit<Tables['audit'], 'details' | 'details_salt' | 'hash'>

const hashDetails = (keys: Keys, salt: string, details: string) => keys.hmac('audit details', `${salt} ${details}`)

const hashedValues = (row: HashedRow) => [
  row.position,
  row.at.toISOString(),
  row.kind,
  row.act,
  row.staff_id,
  row.role,
  row.subject_kind,
  row.subject,
  row.details_hash,
  ...(row.network ? [row.network] : []), // older rows have none
]

export type Verdict = {
  rows: number
  seal: string
  security: EventCounts
  problem?: string
  /** If the problem is what processes have reported: the last report. An owner can acknowledge those up to it. */
  open_report?: number
}

const BATCH = 1000

/**
 * Reads the whole chain and the security log that it seals, and finds a row or event that was changed or is missing. That the
 * end was cut off shows with an earlier seal, from an email or a log, or from this process's memory. What another process
 * has noticed is a row of the log.
 */
export async function verifyAudit(
  { db, keys }: { db: Db; keys: Keys },
  earlierSeal?: string | undefined,
): Promise<Verdict> {
  const earlier = [parseSeal(earlierSeal) ?? [], rememberedSeals(keys)].flat()
  const head = await readHead(db)
  const end = head.position
  const hasher = keyedHasher(keys, 'audit')
  let last = START
  const blanks = new Set<number>()
  let reports: Report[] = []
  const events = eventChecker({ db, keys })
  const verdict = async (problem?: string, more: Partial<Verdict> = {}): Promise<Verdict> => ({
    rows: last.position,
    seal: sealText(last),
    security: await events.counts(),
    ...(problem ? { problem } : {}),
    ...more,
  })
  while (last.position < end) {
    const rows = await batchAfter(db, last.position)
    if (!rows.length) return verdict(`Row ${last.position + 1} is missing, and so are all rows after it.`)
    for (const row of rows.filter((row) => Number(row.position) <= end)) {
      const position = last.position + 1
      const problem = checkNext(hasher, last, row, (position) => hashedValues({ ...row, position }))
      if (problem === 'missing') return verdict(`Row ${position} is missing.`)
      if (problem || !areDetailsIntact(keys, row)) return verdict(`Row ${position} was changed.`)
      last = { position, hash: row.hash }
      if (row.details === null) blanks.add(position)
      else if (row.act === 'erase_person') for (const erased of erasedRows(row.details) ?? blanks) blanks.delete(erased)
      if (earlier.some((seal) => seal.position === position && seal.hash !== row.hash))
        return verdict(`Row ${position} is not the one that the seal was made of.`)
      if (row.act === 'report_tampering') reports.push({ position, problem: reportIn(row.details) })
      if (row.act === 'acknowledge_tampering')
        reports = reports.filter((report) => report.position > Number(row.subject))
      if (row.act !== 'seal_events') continue
      const seal = sealIn(row.details)
      const wrong = seal ? await events.checkSeal(seal) : `The details of row ${position} were removed.`
      if (wrong) return verdict(wrong)
    }
  }
  const [blank] = blanks
  if (blank) return verdict(`The details of row ${blank} were removed.`)
  if (last.hash !== head.hash) return verdict('The end of the log was changed.')
  if (await hasRowsAfter(db, end)) return verdict(`There are rows after row ${end}, which is the last.`)
  const cut = earlier.find(({ position }) => position > end)
  if (cut) return verdict(`The log ends before row ${cut.position}, which the seal is for.`)
  const [lost] = await findLostEvents({ db, keys })
  const problem = (await events.checkEnd()) ?? (lost && lostSentence(lost))
  return problem ? verdict(problem) : verdict(...summarize(reports))
}

type Report = { position: number; problem: string }

function summarize(reports: Report[]): [problem?: string, more?: Pick<Verdict, 'open_report'>] {
  const [first] = reports
  const last = reports.at(-1)
  if (!first || !last) return []
  const others = first === last ? '' : ` There are ${reports.length} reports, the last one in row ${last.position}.`
  return [`${first.problem} See row ${first.position}.${others}`, { open_report: last.position }]
}

/** What a process has noticed, in the details of its row. */
function reportIn(details: string | null): string {
  const { after }: { after?: { problem?: string } } = JSON.parse(details ?? '{}')
  return after?.problem ?? 'A change was noticed.'
}

const batchAfter = (db: Db, position: number) =>
  db.selectFrom('audit').selectAll().where('position', '>', position).orderBy('position').limit(BATCH).execute()

/** While it was read, another process may have added rows: only those that the end of then does not know are wrong. */
async function hasRowsAfter(db: Db, end: number): Promise<boolean> {
  const { rows } = await sql<{ last: number | null; head: number | null }>`
    select (select max(position) from audit) as last, (select position from audit_head) as head`.execute(db)
  const { last = 0, head = 0 } = rows[0] ?? {}
  return Number(last ?? 0) > Math.max(end, Number(head ?? 0))
}

/** In the details of an erasure: which rows it has blanked. */
export const ERASED_ROWS = 'erased_rows'

/** Undefined for an erasure that didn't write them down yet: it may have blanked any row before it. */
export function erasedRows(details: string): number[] | undefined {
  const positions: unknown = JSON.parse(details).after?.[ERASED_ROWS]
  return typeof positions === 'string' ? positions.split(',').filter(Boolean).map(Number) : undefined
}

/** Details may be erased where an erasure says so, and never changed. */
const areDetailsIntact = (keys: Keys, { details, details_salt, details_hash }: Tables['audit']): boolean =>
  details === null || keys.isHmac('audit details', `${details_salt ?? ''} ${details}`, details_hash)

function parseSeal(seal: string | undefined): Link | undefined {
  const [, position, hash = ''] = /^(\d+)\.([\w-]*)$/.exec(seal ?? '') ?? []
  return position ? { position: Number(position), hash } : undefined
}
