import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { dayIn } from '#contract/days.ts'
import { toCents } from '#contract/money.ts'
import { readConfig } from '#server/config/config.ts'
import type { Db } from '#server/db/db.ts'
import { tablesOf } from '#server/db/migrate.ts'
import { createLog } from '#server/log.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { createWorld } from '#server/open-world.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import type { Drill, DrillRun, ReportRow } from '../drill.ts'
import { daysLater } from '../renewals/calendar.ts'
import type { Backend } from '../site/backends.ts'
import type { Workspace } from '../site/workspace.ts'
import { makePeople, type Person, writeCards, writeCsv } from './people.ts'

const MEMBERS = { long: 100_000, short: 1_200 }
const ZONE = 'UTC'
const { PATH = '', HOME = '' } = process.env

/**
 * Imports members, kills the import in the middle, runs it again, and once more: the third run changes no row. Then the
 * renewals of two days charge exactly those who are due. What notices a missing guard:
 *
 * - a line and its member in one transaction: the run after the kill finds members without their lines, and duplicates
 * - finding existing members: the third run
 * - the day of the file: the charges of the two days
 */
export const importing: Drill = async (run, backend) => {
  const count = run.members ?? MEMBERS[run.short ? 'short' : 'long']
  const today = dayIn(ZONE, new Date())
  const people = makePeople(count, today, run.seed)
  const workspace = await backend.createWorkspace()
  const file = join(workspace.folder, 'members.csv')
  await writeCsv(file, people)
  await writeCards(join(workspace.settings.DATA_DIR ?? '', 'sandbox-payments.jsonl'), people, `${today}T00:00:00.000Z`)
  const rows = [
    ...(await importThreeTimes(run, backend, workspace, file, people)),
    ...(await renew(run, backend, workspace, today, people)),
  ]
  await workspace.remove()
  return rows
}

async function importThreeTimes(
  run: DrillRun,
  backend: Backend,
  workspace: Workspace,
  file: string,
  people: Person[],
): Promise<ReportRow[]> {
  const importOnce = (what: string, killAt?: number) =>
    runImporter(workspace, file, (text) => run.showProgress(backend.name, `import: ${what}, ${text}`), killAt)
  const killed = await importOnce('first run', 30)
  const between = await inspect(workspace, countMembers)
  const second = await importOnce('second run')
  const [before, wrong] = await inspect(workspace, async (db) => [await fingerprint(db), await compare(db, people)])
  const third = await importOnce('third run')
  const changed = differences(before, await inspect(workspace, fingerprint))
  const isKilled = killed.isKilled && between > 0 && between < people.length
  for (const line of wrong.slice(0, 5)) run.print(`  ${line}`)
  return [
    {
      action: `${people.length} members, the import killed after ${between} of them and run again, seed ${run.seed}`,
      expected: '30.5 everyone once, with sponsor, renewal day, price and external id',
      result: wrong.length
        ? `${wrong.length} wrong`
        : isKilled
          ? 'as in the file'
          : `not killed in the middle: ${between}; ${second.output.slice(-300)}`,
      passed: isKilled && !wrong.length,
    },
    {
      action: 'the same file once more',
      expected: '30.5 no row has changed',
      result: changed.length ? `changed: ${changed.join(', ')}` : third.output.trim().slice(-120),
      passed: !changed.length && third.output.includes('nothing to import'),
    },
  ]
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Kills it once it has written this many percent. */
async function runImporter(workspace: Workspace, file: string, onProgress: (text: string) => void, killAt = 101) {
  const script = join(import.meta.dirname, 'importer.ts')
  const child = spawn(process.execPath, [script, file], {
    env: { PATH, HOME, NODE_COMPILE_CACHE: join(tmpdir(), 'foyer-compiled'), TIME_ZONE: ZONE, ...workspace.settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes))
  child.on('message', (text: string) => {
    onProgress(text)
    if (Number(/^writing: (\d+)/.exec(text)?.[1] ?? 0) >= killAt) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'exit')
  running.delete(child)
  return { output, isKilled: signal === 'SIGKILL' }
}

async function inspect<Result>(workspace: Workspace, look: (db: Db) => Promise<Result>): Promise<Result> {
  const database = await workspace.open()
  return look(database.db).finally(() => database.close())
}

const countMembers = async (db: Db) => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from member`.execute(db)
  return Number(rows[0]?.count)
}

/** Pages of a table that one query reads, so that none takes long on a busy machine. */
const PAGES_AT_ONCE = 500

/** Of every table, the number of rows and a hash of what is in them, in any order. */
async function fingerprint(db: Db): Promise<Map<string, string>> {
  const sums = new Map<string, string>()
  for (const table of await tablesOf(db)) {
    const size = await sql<{ pages: number }>`
      select pg_relation_size(cast(${table} as regclass)) / current_setting('block_size')::int as pages`.execute(db)
    let [count, sum] = [0n, 0n]
    for (let page = 0; page < Number(size.rows[0]?.pages); page += PAGES_AT_ONCE) {
      const [from, to] = [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`]
      const { rows } = await sql<{ count: string; sum: string }>`
        select count(*) as count, cast(coalesce(sum(hashtextextended(cast(to_jsonb(t) as text), 0)), 0) as text) as sum
        from ${sql.table(table)} t where ctid >= cast(${from} as tid) and ctid < cast(${to} as tid)`.execute(db)
      count += BigInt(rows[0]?.count ?? 0)
      sum += BigInt(rows[0]?.sum ?? 0)
    }
    sums.set(table, `${count} ${sum}`)
  }
  return sums
}

const differences = (before: Map<string, string>, after: Map<string, string>) =>
  [...after].filter(([table, sum]) => before.get(table) !== sum).map(([table]) => table)

type Found = {
  username: string
  site: string
  ends_on: string
  state: string
  cents: number
  external_id: string
  due: boolean
}

/** What differs from the file. */
async function compare(db: Db, people: Person[]): Promise<string[]> {
  const expected = new Map(people.map((person) => [person.username, person]))
  const wrong: string[] = []
  let count = 0
  for (let after = ''; ; ) {
    const { rows } = await sql<Found>`
      select username, sponsor.site, cast(period.ends_on as text) as ends_on, membership.state, external_id.value as external_id,
        cast(membership.lines -> 0 ->> 'renewal_cents' as integer) as cents, due_at is not null as due
      from (select * from member where username > ${after} order by username limit 5000) member
        join sponsor on sponsor.id = member.sponsor_id
        join membership on membership.member_id = member.id
        join period on period.member_id = member.id
        left join external_id on external_id.member_id = member.id
      order by username`.execute(db)
    for (const row of rows) {
      const person = expected.get(row.username)
      const isActive = person?.state === 'active'
      const isRight =
        person?.sponsor === row.site &&
        row.state === person.state &&
        row.due === isActive &&
        (!isActive || row.ends_on === person.renews_on) &&
        toCents(person.price) === row.cents &&
        row.external_id === `x-${row.username}`
      if (!isRight) wrong.push(`${JSON.stringify(row)}, but the file says ${JSON.stringify(person)}`)
    }
    count += rows.length
    const last = rows.at(-1)?.username
    if (last === undefined) break
    after = last
  }
  if (count !== people.length) wrong.push(`${count} members instead of ${people.length}`)
  return wrong
}

const DAYS = 2
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The renewals of two days, each run twice. */
async function renew(
  run: DrillRun,
  backend: Backend,
  workspace: Workspace,
  today: string,
  people: Person[],
): Promise<ReportRow[]> {
  let time = new Date(`${today}T00:00:00Z`)
  const config = readConfig({ ...workspace.settings, TIME_ZONE: ZONE, LOG_LEVEL: 'error' })
  const world = await createWorld({ config, log: createLog('error'), now: () => time })
  const rows: ReportRow[] = []
  try {
    const charged = new Map<string, number>()
    const early = await chargeAll(world)
    if (early)
      rows.push({
        action: 'on the day of the import',
        expected: 'no charge',
        result: `${early} charges`,
        passed: false,
      })
    for (let day = 1; day <= DAYS; day++) {
      time = new Date(time.getTime() + (day === 1 ? DAY_MS + DAY_MS / 2 : DAY_MS))
      run.showProgress(backend.name, `import: renewals of ${daysLater(today, day)}`)
      await chargeAll(world)
      await chargeAll(world)
      time = new Date(time.getTime() + HOUR_MS) // a charge that was interrupted is settled, as by a worker
      while (await settleAttempts(world));
      const due = people.filter(({ state, renews_on }) => state === 'active' && renews_on === daysLater(today, day))
      const wrong = await wrongCharges(world.db, due, charged)
      for (const line of wrong.slice(0, 5)) run.print(`  ${line}`)
      rows.push({
        action: `the renewals of a day, ${due.length} due`,
        expected: '30.6 exactly those due are charged, once, their price',
        result: wrong.length ? `${wrong.length} wrong` : `${due.length} charged`,
        passed: !wrong.length && due.length > 0,
      })
    }
  } finally {
    await world.close()
  }
  return rows
}

async function chargeAll(world: Parameters<typeof renewMemberships>[0]): Promise<number> {
  let total = 0
  for (let done = 1; done; total += done) done = await renewMemberships(world)
  return total
}

/** New charges since the last call must be those of the members who are due. */
async function wrongCharges(db: Db, due: Person[], known: Map<string, number>): Promise<string[]> {
  const { rows } = await sql<{ username: string; cents: number; state: string; count: number }>`
    select username, max(amount_cents) as cents, max(payment.state) as state, cast(count(*) as integer) as count
    from payment join member on member.enrollment_id = payment.enrollment_id group by username`.execute(db)
  const expected = new Map(due.map((person) => [person.username, toCents(person.price)]))
  const wrong: string[] = []
  for (const { username, cents, state, count } of rows) {
    if (count !== 1 || state !== 'captured') wrong.push(`${username}: ${count} charges, ${state}`)
    if (known.has(username)) continue
    known.set(username, count)
    if (expected.get(username) !== cents)
      wrong.push(`${username} was charged ${cents}, but ${expected.get(username)} was due`)
    expected.delete(username)
  }
  return [...wrong, ...[...expected.keys()].map((username) => `${username} was not charged`)]
}
