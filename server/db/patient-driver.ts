import { randomUUID } from 'node:crypto'
import {
  CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  sql,
  type TransactionSettings,
} from 'kysely'
import { CommitUnknown, changesSomething, isDatabaseAway } from './away.ts'
import { currentPatience, noteWrite, Outage, type Patience } from './outage.ts'
import { CAN_WRITE } from './primary.ts'

type Base = Kysely<unknown>

type Patient = { outage: Outage; wasWritten: (commit: CommitUnknown) => Promise<boolean | undefined>; exact: Base }
const patients = new WeakMap<object, Patient>()

/**
 * Waits while the database moves to another server: what certainly wasn't written is repeated, reads as well. A transaction is
 * repeated as a whole, by inTransaction.
 */
export function openPatiently<Schema>(dialect: Dialect, onReadOnly: () => void = () => undefined): Kysely<Schema> {
  const base: Base = new Kysely({ dialect })
  const outage = new Outage(async () => {
    const isPrimary = await canWrite(base)
    if (!isPrimary) onReadOnly()
    return isPrimary
  })
  const marks = createMarks(base)
  const open = (marks?: Marks) =>
    new Kysely<Schema>({
      dialect: {
        createAdapter: () => dialect.createAdapter(),
        createIntrospector: (db) => dialect.createIntrospector(db),
        createQueryCompiler: () => dialect.createQueryCompiler(),
        createDriver: () => createPatientDriver(base, outage, marks),
      },
    })
  const [db, exact] = [open(), open(marks)]
  const patient = { outage, wasWritten: async () => undefined, exact: exact as Base }
  patients.set(db, patient)
  patients.set(exact, { ...patient, wasWritten: (commit) => marks.wasWritten(commit, outage) })
  return db
}

/**
 * The same database for a change without a key of its own: each commit has a mark, so that one whose answer was lost can be
 * asked for. That costs three more round trips for a statement outside a transaction, and one for a transaction.
 */
export const exactly = <Db extends object>(db: Db): Db => (patients.get(db)?.exact as Db | undefined) ?? db

/** What inTransaction does after an error: the transaction was written after all, or is to be repeated. Else throws the error. */
export async function afterError(db: object, error: unknown, patience: Patience): Promise<'written' | 'repeat'> {
  const patient = patients.get(db)
  if (!patient || !isDatabaseAway(error)) throw error
  patient.outage.begin(error)
  if (!(error instanceof CommitUnknown)) {
    await patient.outage.wait(patience)
    return 'repeat'
  }
  noteWrite(patience)
  const wasWritten = await patient.wasWritten(error)
  if (wasWritten === undefined) throw error
  return wasWritten ? 'written' : 'repeat'
}

/** Before a transaction begins. */
export const untilHere = async (db: object, patience: Patience): Promise<void> =>
  patients.get(db)?.outage.wait(patience)

async function canWrite(base: Base): Promise<boolean> {
  const { rows } = await sql<{ can_write: boolean }>`select ${sql.raw(CAN_WRITE)} as can_write`.execute(base)
  return rows[0]?.can_write === true
}

type Transaction = ControlledTransaction<unknown>
type Open = { transaction: Transaction; hasWritten: boolean }

function createPatientDriver(base: Base, outage: Outage, marks: Marks | undefined): Driver {
  const transactions = new WeakMap<DatabaseConnection, Open>()
  const openOf = (handle: DatabaseConnection): Open => {
    const open = transactions.get(handle)
    if (!open) throw new Error('No transaction has begun.')
    return open
  }
  const executeAlone = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const isChange = changesSomething(query.sql)
    const run = () =>
      marks && isChange ? marks.commit<Row>(query, outage) : base.executeQuery<Row>(query as CompiledQuery<Row>)
    const result = await patiently(outage, run)
    if (isChange) noteWrite(currentPatience())
    return result
  }
  return {
    init: async () => undefined,
    async destroy() {
      outage.close()
      await base.destroy()
    },
    async acquireConnection() {
      const handle: DatabaseConnection = {
        executeQuery<Row>(query: CompiledQuery) {
          const open = transactions.get(handle)
          if (!open) return executeAlone<Row>(query)
          open.hasWritten ||= changesSomething(query.sql)
          return open.transaction.executeQuery<Row>(query as CompiledQuery<Row>)
        },
        streamQuery: () => {
          throw new Error('Streaming is not supported.')
        },
      }
      return handle
    },
    releaseConnection: async () => undefined,
    async beginTransaction(handle, settings) {
      transactions.set(handle, { transaction: await begin(base, settings), hasWritten: false })
    },
    async commitTransaction(handle) {
      const { transaction, hasWritten } = openOf(handle)
      await (marks && hasWritten ? marks.commitTransaction(transaction) : transaction.commit().execute())
      if (hasWritten) noteWrite(currentPatience())
    },
    rollbackTransaction: (handle) => openOf(handle).transaction.rollback().execute(),
  }
}

function begin(base: Base, { isolationLevel, accessMode }: TransactionSettings): Promise<Transaction> {
  const builder = base.startTransaction()
  const isolated = isolationLevel ? builder.setIsolationLevel(isolationLevel) : builder
  return (accessMode ? isolated.setAccessMode(accessMode) : isolated).execute()
}

/** Repeats what certainly wasn't written while the database is away. */
async function patiently<Result>(outage: Outage, work: () => Promise<Result>): Promise<Result> {
  for (const patience = currentPatience(); ; ) {
    await outage.wait(patience)
    try {
      const result = await work()
      patience.awaySince = undefined
      return result
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      outage.begin(error)
      if (error instanceof CommitUnknown) throw error
    }
  }
}

type Marks = ReturnType<typeof createMarks>

/** How long the database is asked for a commit whose answer was lost. */
const ASK_MS = 30_000

/** A mark is deleted with the next one of this process, whatever the time. A process that ends leaves its last one. */
const NEVER = new Date('9999-01-01T00:00:00Z')

/** A mark is a row that is committed with a change. If it's there, the change was written. */
function createMarks(base: Base) {
  const keys = new WeakMap<CommitUnknown, string>()
  const seen: string[] = []

  const commitTransaction = async (transaction: Transaction) => {
    const key = randomUUID()
    const old = seen.splice(0)
    try {
      await transaction.executeQuery(markQuery(key, old))
      await transaction.commit().execute()
      seen.push(key)
    } catch (error) {
      seen.push(...old)
      if (error instanceof CommitUnknown) keys.set(error, key)
      throw error
    }
  }

  /**
   * Takes the mark's place unless it's there. That waits for a commit that is still running, and one that comes later fails.
   * Undefined: the database didn't come back in time.
   */
  const wasWritten = async (commit: CommitUnknown, outage: Outage): Promise<boolean | undefined> => {
    const key = keys.get(commit)
    if (!key) return undefined
    const patience = { ...currentPatience(), ms: ASK_MS, awaySince: undefined }
    for (;;) {
      try {
        await outage.wait(patience)
        const { rows } = await base.executeQuery<{ used_by: string | null }>(askQuery(key) as CompiledQuery<never>)
        seen.push(key)
        return rows[0]?.used_by !== LOST
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        outage.begin(error)
        if (patience.awaySince !== undefined && performance.now() - patience.awaySince > ASK_MS) return undefined
      }
    }
  }

  return {
    commitTransaction,
    wasWritten,
    /** A single statement with its mark. */
    async commit<Row>(query: CompiledQuery, outage: Outage): Promise<QueryResult<Row>> {
      const transaction = await base.startTransaction().execute()
      let result: QueryResult<Row> | undefined
      try {
        result = await transaction.executeQuery<Row>(query as CompiledQuery<Row>)
        await commitTransaction(transaction)
        return result
      } catch (error) {
        if (!transaction.isRolledBack)
          await transaction
            .rollback()
            .execute()
            .catch(() => undefined)
        if (!(error instanceof CommitUnknown && result)) throw error
        outage.begin(error)
        const isWritten = await wasWritten(error, outage)
        if (isWritten === undefined) throw error
        if (isWritten) return result
        throw error.cause // certainly not written
      }
    },
  }
}

const LOST = 'lost'

const markQuery = (key: string, old: string[]) =>
  CompiledQuery.raw(
    `with old as (delete from one_time_key where kind = 'commit' and key = any(cast($3 as text[])))
     insert into one_time_key (kind, key, expires_at) values ('commit', $1, $2)`,
    [key, NEVER, old],
  )

const askQuery = (key: string) =>
  CompiledQuery.raw(
    `insert into one_time_key (kind, key, used_by, expires_at) values ('commit', $1, $2, $3)
     on conflict (kind, key) do update set used_by = one_time_key.used_by returning used_by`,
    [key, LOST, NEVER],
  )
