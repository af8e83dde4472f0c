import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { API, type Call, calls } from '#contract/api.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { officeCalls } from '#contract/office/office.ts'
import { commandLine } from '#server/audit/audit.ts'
import { beginImport } from '#server/connect/import/import.ts'
import { addEndpoint } from '#server/connect/webhooks/endpoints.ts'
import { sendTest } from '#server/connect/webhooks/resend.ts'
import { requestVoid } from '#server/payments/refunds.ts'
import { memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let cookie = ''
let values: Record<string, string>
beforeAll(async () => {
  site = await testSite({ WEBHOOKS_TO_LOOPBACK: 'on' })
  const member = await memberInOffice(site)
  const owner = await staffMember(site, 'owner')
  cookie = `${member.cookie}; ${owner.cookie}`
  const { id } = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  const sponsor = await site.db.selectFrom('sponsor').select('id').executeTakeFirstOrThrow()
  while (await runJobs(site.world));
  const { reference } = await site.db.selectFrom('payment').select('reference').executeTakeFirstOrThrow()
  await requestVoid(site.world, { reference, reason: 'joined twice', who: 'owner@staff.example' })
  while (await runJobs(site.world));
  const { sha256 } = (await site.get('/api/office/view', { cookie })).json().accepted[0]
  const nowhere = { url: 'http://127.0.0.1:9/', description: '', types: '', scheme: 'hmac' as const }
  const { endpoint } = await addEndpoint(site.world, nowhere, commandLine)
  values = {
    endpoint_id: endpoint.id,
    delivery_id: (await sendTest(site.world, endpoint.id)).id,
    import_id: await beginImport(site.world, 'old'),
    member_id: id,
    sponsor_id: sponsor.id,
    product_id: '34',
    document_id: '1',
    version: '1',
    sha256,
    number: '1', // of the credit note
    sponsor_site: 'ana',
    sponsor_site_name: 'ana',
    product_category_id: '17',
    language_id: '1',
    renewal_price: '99.00',
  }
})
afterAll(() => site.close())

/** Counters of use, which say nothing about anyone and change nothing for them. */
const COUNTED = ['limit_count', 'page_hit', 'funnel_seen', 'funnel_day', 'office_session', 'console_session']
/** A download is a GET, and who took it is written down, as is who reads the audit log. */
const WRITTEN_DOWN: Record<string, string[]> = {
  '/console/members.csv': ['audit', 'audit_head'],
  '/console/audit': ['security_event'],
  '/console/audit.csv': ['audit', 'audit_head', 'security_event'],
}

const gets = [calls, officeCalls, consoleCalls]
  .flatMap((table): Call[] => Object.values(table))
  .filter(({ method, path }) => method === 'GET' && !path.includes('page-hits'))

async function contents(): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(site.db)
  const found: Record<string, string> = {}
  for (const { name } of rows) {
    const table = sql.table(name)
    const { rows } = await sql<{ hash: string }>`
      select md5(string_agg(cast(${table} as text), ',' order by cast(${table} as text))) as hash from ${table}`.execute(
      site.db,
    )
    found[name] = rows[0]?.hash ?? ''
  }
  return found
}

const urlOf = ({ path, input }: Call) => {
  const url = `${API}${path.replaceAll(/:(\w+)/g, (_all, name: string) => values[name] ?? '')}`
  const fields = Object.keys((input as { shape?: object }).shape ?? {}).filter((name) => values[name])
  const query = fields.map((name) => `${name}=${values[name]}`).join('&')
  return path.includes(':') || !query ? url : `${url}?${query}`
}

it.each(gets.map((call) => [call.path, call] as const))(
  '6.12 GET and HEAD of %s change nothing',
  async (path, call) => {
    const before = await contents()
    const reply = await site.get(urlOf(call), { cookie })
    expect(reply.statusCode, reply.body).toBe(200)
    await site.ask({ method: 'HEAD', url: urlOf(call), headers: { cookie } })
    const after = await contents()
    const changed = Object.keys(after).filter((table) => after[table] !== before[table] && !COUNTED.includes(table))
    expect(changed.sort()).toEqual(WRITTEN_DOWN[path] ?? [])
  },
)

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a neighboring host', { 'sec-fetch-site': 'same-site' }],
  ['another site in an old browser', { origin: 'https://evil.example' }],
  ['a page without an origin in an old browser', { origin: 'null' }],
])('6.12 no change in the office comes from %s', async (_who, headers) => {
  const { statusCode } = await site.post('office/sign-out-everywhere', {}, { cookie, ...headers })
  expect(statusCode).toBe(403)
})

it.each(['members.csv', 'audit', 'audit.csv'])('6.12 no other site gets %s of the console', async (path) => {
  const from = (place: string) => site.get(`/api/console/${path}`, { cookie, 'sec-fetch-site': place })
  for (const place of ['cross-site', 'same-site']) expect((await from(place)).statusCode).toBe(403)
})
