import type pg from 'pg'
import type { Workspace } from '../../drill/site/workspace.ts'
import { within } from './ground.ts'

/** Who was enrolled by the product itself, and is repeated. */
export type Model = { username: string; enrollment_id: string }

/** What one member leaves behind, with the row of the model that is repeated. `m` is the model's member. */
const ofMembers: [table: string, rowsOfModel: string][] = [
  ['enrollment', 'r.id = m.enrollment_id'],
  ['claim', 'r.enrollment_id = m.enrollment_id'],
  ['payment', 'r.enrollment_id = m.enrollment_id'],
  ['sponsor_touch', 'r.enrollment_id = m.enrollment_id'],
  ['member', 'r.id = m.id'],
  ['sponsor', 'r.member_id = m.id'],
  ['orders', 'r.member_id = m.id'],
  ['order_line', 'r.order_id in (select id from orders where member_id = m.id)'],
  ['acceptance', 'r.member_id = m.id'],
]

/** Longer ago than that nobody looks at a job. */
const DAYS = 730
const DAYS_OF_JOBS = 29
const isRecent = `n % ${DAYS} < ${DAYS_OF_JOBS}`

/** Of these, each member has another one. */
const apart = ['reference', 'transaction_id', 'vault_reference']

type Column = { column_name: string; data_type: string }

/**
 * So many members as if they had come over two years, each brought by an earlier one, with all that hangs on them. Their
 * names are m1, m2, …; their password is the model's.
 */
export async function populate(place: Workspace, { username, enrollment_id }: Model, members: number): Promise<void> {
  const { member_id, sponsor_id } = await within(place, (client) => findModel(client, enrollment_id))
  const work = [
    ...ofMembers.map(([table, rowsOfModel]) => async (client: pg.Client) => {
      const columns = await columnsOf(client, table)
      const values = columns.map((column) => newValue(table, column, { username, sponsor_id }))
      await client.query(
        `with model as materialized (
           select r.* from member m, ${table} r where m.enrollment_id = '${enrollment_id}' and ${rowsOfModel})
         insert into ${table} (${columns.map(({ column_name }) => column_name).join(', ')})
         select ${values.join(', ')} from generate_series(1, ${members}) n, model r`,
      )
    }),
    ...besides(members, member_id).map((statement) => (client: pg.Client) => client.query(statement)),
  ]
  const lane = async (client: pg.Client) => {
    await client.query('set session_replication_role = replica') // consistent by construction; checking it takes minutes
    for (let next = work.shift(); next; next = work.shift()) await next(client)
  }
  await Promise.all([within(place, lane), within(place, lane)])
  await within(place, (client) => client.query('vacuum (analyze)'))
}

/** The model as a member and as the sponsor that a member is. */
async function findModel(client: pg.Client, enrollment_id: string) {
  const asked = `select m.id as member_id, s.id as sponsor_id from member m join sponsor s on s.member_id = m.id
    where m.enrollment_id = $1`
  const [found] = (await client.query<{ member_id: string; sponsor_id: string }>(asked, [enrollment_id])).rows
  if (!found) throw new Error('The model has not become a member.')
  return found
}

const columnsOf = async (client: pg.Client, table: string): Promise<Column[]> => {
  const asked = `select column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name = $1 order by ordinal_position`
  return (await client.query<Column>(asked, [table])).rows
}

/** The same id becomes the same id in every table, so all that belonged together still does. */
const idOf = (id: string, n = 'n') => `cast(md5(cast(${id} as text) || ':' || ${n}) as uuid)`

function newValue(table: string, { column_name, data_type }: Column, model: Record<'username' | 'sponsor_id', string>) {
  const value = `r.${column_name}`
  if (table === 'member' && column_name === 'sponsor_id')
    return `case when n < 3 then ${value} else ${idOf(`'${model.sponsor_id}'`, '(n / 3)')} end`
  if (data_type === 'uuid') return idOf(value)
  if (apart.includes(column_name)) return `left(md5(${value} || ':' || n), length(${value}))`
  if (data_type === 'text') return `replace(${value}, '${model.username}', 'm' || n)`
  if (data_type === 'timestamp with time zone') return `${value} - make_interval(days => n % ${DAYS})`
  return value
}

/** What is kept for a while only, and what visitors leave who do not join. */
const besides = (members: number, member_id: string): string[] => [
  `insert into job (id, kind, payload, run_at, tries, done_at)
   select ${idOf("'job ' || kind")}, kind, '{}', now() - make_interval(days => n % ${DAYS}), 1, now() - make_interval(days => n % ${DAYS})
   from generate_series(1, ${members}) n, unnest(array['capture', 'welcome', 'consent']) kind where ${isRecent}`,
  `insert into page_day (site, day, visits)
   select 'm' || n, current_date - 1 - (n + visit) % 80, visit
   from generate_series(1, ${members}) n, generate_series(1, 3) visit`,
  `insert into page_hit (site, day, visitor)
   select 'm' || n, current_date, md5('visitor ' || n) from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into message (id, channel, recipient, subject, body, created_at)
   select ${idOf("'message'")}, 'mail', 'm' || n || '@mail.example', 'Welcome', 'Welcome', now() - make_interval(days => n % ${DAYS})
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into office_session (key_hash, member_id, created_at, expires_at)
   select md5('session ' || n), ${idOf(`'${member_id}'`)}, now(), now() + interval '12 hours'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into email_link (key_hash, purpose, member_id, created_at, expires_at)
   select md5('word ' || n), 'password', ${idOf(`'${member_id}'`)}, now(), now() + interval '1 hour'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into limit_count (name, key, window_start, count, expires_at)
   select 'LIMIT_LOOKUPS', md5('address ' || n), date_trunc('hour', now()), 1, now() + interval '1 hour'
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into one_time_key (kind, key, expires_at, used_by)
   select 'captcha', md5('captcha ' || n), now() + interval '20 minutes', md5(cast(n as text))
   from generate_series(1, ${members}) n where ${isRecent}`,
  `insert into phone_check (enrollment_id, mobile_phone, sends, sent_at, verified_at)
   select ${idOf("'phone'")}, '+1202' || lpad(cast(n as text), 7, '0'), 1, now(), now()
   from generate_series(1, ${members}) n where ${isRecent}`,
]
