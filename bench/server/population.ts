import { hash } from 'node:crypto'
import type pg from 'pg'
import type { Workspace } from '../../drill/site/workspace.ts'
import { withClient } from './database.ts'

/** A member enrolled by Foyer itself, whose rows are copied. */
export type ModelMember = { username: string; enrollment_id: string }

/** The tables with rows of a member, and which rows `r` belong to the model member `m`. */
const memberTables: [table: string, modelRows: string][] = [
  ['enrollment', 'r.id = m.enrollment_id'],
  ['claim', 'r.enrollment_id = m.enrollment_id'],
  ['payment', 'r.enrollment_id = m.enrollment_id'],
  ['sponsor_touch', 'r.enrollment_id = m.enrollment_id'],
  ['member', 'r.id = m.id'],
  ['sponsor', 'r.member_id = m.id'],
  ['orders', 'r.member_id = m.id'],
  ['order_line', 'r.order_id in (select id from orders where member_id = m.id)'],
  ['acceptance', 'r.member_id = m.id'],
  ['membership', 'r.member_id = m.id'],
  ['period', 'r.member_id = m.id'],
]

/** The members joined over this many days. */
const DAYS = 730
/** Jobs, sessions and the like exist only for members of the last days, because Foyer deletes them after a while. */
const RECENT_DAYS = 29
const isRecent = `n % ${DAYS} < ${RECENT_DAYS}`

/** Columns that are unique to each member. */
const uniqueColumns = ['reference', 'transaction_id', 'vault_reference']

/** 200 members share a last name, and 100 the end of a card number, however many members there are: a search finds as many. */
const lastNames = ['Abbott', 'Brandt', 'Castillo', 'Demir', 'Eriksen', 'Farah', 'Garza', 'Hale', 'Ito', 'Jensen']
const SHARED_NAME = 200
const SHARED_CARD = 100
export const lastNameOf = (n: number, members: number): string => {
  const name = n % Math.ceil(members / SHARED_NAME)
  return `${lastNames[name % lastNames.length]} ${name}`
}
const lastNameSql = (members: number) => {
  const name = `(copy.n % ${Math.ceil(members / SHARED_NAME)})`
  return `(array['${lastNames.join("', '")}'])[1 + ${name} % ${lastNames.length}] || ' ' || ${name}`
}
export const lastFourOf = (n: number, members: number): string =>
  String(n % Math.ceil(members / SHARED_CARD)).padStart(4, '0')
const lastFourSql = (members: number) => `lpad(cast(copy.n % ${Math.ceil(members / SHARED_CARD)} as text), 4, '0')`

type Column = { column_name: string; data_type: string }

/**
 * Adds members who joined over two years, each sponsored by an earlier one, with all their rows. Their usernames are
 * m1, m2, …; their password is the model's.
 */
export async function addMembers(database: Workspace, { username, enrollment_id }: ModelMember, members: number) {
  const { member_id, sponsor_id } = await withClient(database, (client) => findModel(client, enrollment_id))
  const inserts = [
    ...memberTables.map(([table, modelRows]) => async (client: pg.Client) => {
      const columns = await columnsOf(client, table)
      const values = columns.map((column) => newValue(table, column, { username, sponsor_id, members }))
      await client.query(
        `with model as materialized (
           select r.* from member m, ${table} r where m.enrollment_id = '${enrollment_id}' and ${modelRows})
         insert into ${table} (${columns.map(({ column_name }) => column_name).join(', ')})
         select ${values.join(', ')} from generate_series(1, ${members}) as copy(n), model r`,
      )
    }),
    ...otherRows(members, member_id).map((statement) => (client: pg.Client) => client.query(statement)),
  ]
  const worker = async (client: pg.Client) => {
    await client.query('set session_replication_role = replica') // skips the foreign key checks, which take minutes
    for (let insert = inserts.shift(); insert; insert = inserts.shift()) await insert(client)
  }
  await Promise.all([withClient(database, worker), withClient(database, worker)])
  await withClient(database, (client) => client.query('vacuum (analyze)'))
}

/** The ids of the model as a member and as a sponsor. */
async function findModel(client: pg.Client, enrollment_id: string) {
  const query = `select m.id as member_id, s.id as sponsor_id from member m join sponsor s on s.member_id = m.id
    where m.enrollment_id = $1`
  const [model] = (await client.query<{ member_id: string; sponsor_id: string }>(query, [enrollment_id])).rows
  if (!model) throw new Error('The model member is not enrolled.')
  return model
}

const columnsOf = async (client: pg.Client, table: string): Promise<Column[]> => {
  const query = `select column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name = $1 order by ordinal_position`
  return (await client.query<Column>(query, [table])).rows
}

/** An id becomes the same new id in every table, so foreign keys stay valid. It looks like a random one, which calls check. */
const copiedId = (id: string, n = 'n') =>
  `cast(overlay(overlay(md5(cast(${id} as text) || ':' || ${n}) placing '4' from 13) placing '8' from 17) as uuid)`

export const copiedIdOf = (id: string, n: number): string =>
  hash('md5', `${id}:${n}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')

function newValue(
  table: string,
  { column_name, data_type }: Column,
  model: { username: string; sponsor_id: string; members: number },
) {
  const value = `r.${column_name}`
  if (table === 'member' && column_name === 'sponsor_id')
    return `case when copy.n < 3 then ${value} else ${copiedId(`'${model.sponsor_id}'`, '(copy.n / 3)')} end`
  if (column_name === 'due_at' || column_name === 'notice_at') return `${value} + make_interval(days => copy.n % 28)` // nobody is due yet
  if (column_name === 'last_name') return lastNameSql(model.members)
  if (column_name === 'card_last_four')
    return `case when ${value} is null then null else ${lastFourSql(model.members)} end`
  if (data_type === 'uuid') return copiedId(value, 'copy.n')
  if (uniqueColumns.includes(column_name)) return `left(md5(${value} || ':' || copy.n), length(${value}))`
  if (data_type === 'text') return `replace(${value}, '${model.username}', 'm' || copy.n)`
  if (data_type === 'timestamp with time zone') return `${value} - make_interval(days => copy.n % ${DAYS})`
  return value
}

/** Rows that Foyer deletes after a while, and rows of visitors who did not join. */
const otherRows = (members: number, member_id: string): string[] => [
  `insert into job (id, kind, payload, run_at, tries, done_at)
   select ${copiedId("'job ' || kind")}, kind, '{}', now() - make_interval(days => n % ${DAYS}), 1, now() - make_interval(days => n % ${DAYS})
   from generate_series(1, ${members}) n, unnest(array['capture', 'welcome', 'consent', 'referral']) kind where ${isRecent}`,
  `insert into page_day (site, day, visits, is_recent)
   select 'm' || n, current_date - 1 - (n + visit) % 80, visit, (n + visit) % 80 < 29
   from generate_series(1, ${members}) n, generate_series(1, 3) visit`,
  `update sponsor set recent_visits = recent.visits
   from (select site, sum(visits) as visits from page_day where is_recent group by site) recent
   where sponsor.site = recent.site`,
  `insert into page_hit (site, day, visitor)
   select 'm' || n, current_date, md5('visitor ' || n) from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into message (id, channel, recipient, subject, body, created_at)
   select ${copiedId("'message'")}, 'mail', 'm' || n || '@mail.example', 'Welcome', 'Welcome', now() - make_interval(days => n % ${DAYS})
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into office_session (key_hash, member_id, created_at, idle_until, expires_at)
   select md5('session ' || n), ${copiedId(`'${member_id}'`)}, now(), now() + interval '2 hours', now() + interval '12 hours'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into email_link (key_hash, purpose, member_id, created_at, expires_at)
   select md5('link ' || n), 'password', ${copiedId(`'${member_id}'`)}, now(), now() + interval '1 hour'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into limit_count (name, key, window_start, count, expires_at)
   select 'LIMIT_LOOKUPS', md5('address ' || n), date_trunc('hour', now()), 1, now() + interval '1 hour'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into one_time_key (kind, key, expires_at, used_by)
   select 'captcha', md5('captcha ' || n), now() + interval '20 minutes', md5(cast(n as text))
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into lease (name, key, expires_at)
   select 'code', '+1202' || lpad(cast(n as text), 7, '0'), now() + interval '30 seconds'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into phone_check (enrollment_id, mobile_phone, sends, sent_at, verified_at)
   select ${copiedId("'phone'")}, '+1202' || lpad(cast(n as text), 7, '0'), 1, now(), now()
   from generate_series(1, ${members}) n where ${isRecent}`,
]
