import pg from 'pg'
import { isDatabaseAway } from './away.ts'

/** A server that says nothing for this long is passed over. */
export const SERVER_PATIENCE_MS = 2_000

/** Which process and server a connection leads to. */
export type Ends = { pid: number; server: string }

/** Two servers have not started at the same microsecond. */
export const ENDS = 'pg_backend_pid() as pid, pg_postmaster_start_time()::text as server'

/** On a standby it is on as well. */
export const CAN_WRITE = "current_setting('transaction_read_only') = 'off'"

/** For a replica, which only reads. */
export const ANY = 'true'

export const readOnly = () => Object.assign(new Error('This database is read-only.'), { code: '25006' })

type Primary = Ends & {
  url: string
  /** Which of the given processes it has. */
  pids: number[]
}

/** The first of these servers that can write, or do what is asked for. All are asked at once, so that a silent one costs little. */
export async function findPrimary(urls: string[], condition: string, pids: number[] = []): Promise<Primary> {
  const answers = urls.map((url) => ask(url, condition, pids))
  for (const answer of answers) answer.catch(() => undefined)
  const errors: unknown[] = []
  for (const answer of answers)
    try {
      return await answer
    } catch (error) {
      errors.push(error)
    }
  throw errors.find(isDatabaseAway) ?? errors[0]
}

async function ask(url: string, condition: string, pids: number[]): Promise<Primary> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: SERVER_PATIENCE_MS,
    query_timeout: SERVER_PATIENCE_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Primary & { is_fit: boolean }>(
      `select ${ENDS}, ${condition} as is_fit, array(select pid from pg_stat_activity where pid = any($1)) as pids`,
      [pids],
    )
    const [row] = rows
    if (!row?.is_fit) throw readOnly()
    return { ...row, url }
  } finally {
    client.end().catch(() => undefined)
  }
}
