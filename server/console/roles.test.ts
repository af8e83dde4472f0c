import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import { allPermissions, type ConsoleCall, mayDo, type Role, roles } from '#contract/console/permissions.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'

let site: Site
const staff = {} as Record<Role, TestStaff>
let member_id = ''
let reference = ''
beforeAll(async () => {
  site = await testSite({ LIMIT_SIGN_INS: '1000/900', LIMIT_GRANTS: '1000/900' })
  for (const role of roles) staff[role] = await staffMember(site, role)
  await joinedMember(site)
  const { id } = await site.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  member_id = id
  reference = (await site.db.selectFrom('payment').select('reference').executeTakeFirstOrThrow()).reference
})
afterAll(() => site.close())

/** A value for every field of every call, valid enough to reach the handler. */
const sampleOf = (field: string): unknown =>
  ({
    member_id,
    reference,
    reason: 'a reason',
    amount: '1.00',
    id: randomUUID(),
    role: 'viewer',
    response: { id: 'x' },
    email: 'somebody@example.com',
    name: 'Somebody',
    password: 'Tall-Ladder-77',
    code: '000000',
    sealed: 'x',
    token: 'x',
    credential_id: 'x',
    kind: 'x',
    scopes: ['members:read'],
    ends_on: '',
    first_name: 'Zoë',
    last_name: 'Example',
    business_name: '',
    mobile_phone: '+12025550143',
    address: '1 Way',
    address2: '',
    city: 'Reno',
    state: 'NV',
    post_code: '89501',
    sponsor_site: 'bluepier',
    breaker: 'declines',
    hours: '1',
    side: 'left',
    parent_site: '',
    occasion: 'joining',
    business_volume: '1.00',
    commissionable_volume: '1.00',
    network: '203.0.113.0/24',
    note: 'a note',
    message: 'Closed.',
    username: 'somebodyelse',
    email_id: 'welcome',
    day_of_month: '1',
    shown_on: '2026-12-01',
    sponsor_id: randomUUID(),
    site: 'newpier',
    product_id: 36,
    description: '',
    group: 'starter',
    ships: '0',
    price: '1.00',
    renewal_price: '1.00',
    applies_to: 'new_members',
    billing_interval: 'month',
    direction: 'up',
    picture: 'AAAA',
    document_id: 1,
    version: '1',
    title: 'Terms',
    content: '<p>Text</p>',
    accent: '#0b5d4a',
    radius: '1rem',
    support: '',
    email_footer: '',
    welcome: '',
    logo: 'x',
    connection: 'old',
    import_id: randomUUID(),
    piece: 0,
    header: 'username',
    text: '',
    first_line: 2,
    is_inviting: false,
    number: '1',
    position: '1',
    sha256: '0'.repeat(64),
    endpoint_id: randomUUID(),
    delivery_id: randomUUID(),
    url: 'https://example.com/webhooks',
    types: '',
    scheme: 'hmac',
    from: '2026-11-01',
    to: '2026-11-02',
  })[field]

const calls = Object.entries<ConsoleCall>(consoleCalls)

async function send({ method, path, input }: ConsoleCall, cookie: string) {
  const isRequired = (name: string) => !z.safeParse(input.shape[name] ?? z.unknown(), undefined).success
  const names = Object.keys(input.shape).filter((name) => method === 'POST' || isRequired(name))
  const body = Object.fromEntries(names.map((name) => [name, sampleOf(name)]))
  const url = path.replace(/:(\w+)/g, (_, name) => String(sampleOf(name)))
  const query = path.includes(':') ? '' : `?${new URLSearchParams(body as Record<string, string>)}`
  return method === 'GET' ? site.get(`/api${url}${query}`, { cookie }) : site.post(url.slice(1), body, { cookie })
}

/** Not allowed: 401 without a session, 403 with the wrong role. Everything else means that the handler was reached. */
const isKeptOut = (status: number) => status === 401 || status === 403

describe.each(roles)('%s', (role) => {
  it.each(calls.filter(([name]) => name !== 'signOut'))(
    '19.7 may make the call %s as the table says',
    async (_name, call) => {
      const { permission } = call
      const cookie = staff[role].cookie
      const { statusCode, body } = await send(call, cookie)
      if (permission === 'anyone') return expect(statusCode).toBeLessThan(500)
      const isAllowed = permission === 'staff' || mayDo(role, permission)
      expect([statusCode === 403, statusCode < 500], body).toEqual([!isAllowed, true])
    },
  )
})

it.each(calls.filter(([, { permission }]) => permission !== 'anyone'))(
  '19.7 the call %s needs a session',
  async (_name, call) => expect((await send(call, '')).statusCode).toBe(401),
)

it('19.7 every permission of the table is used by a call', () => {
  const used = new Set<string>(calls.map(([, { permission }]) => permission))
  expect(allPermissions.filter((name) => !used.has(name))).toEqual([])
})

it('19.12 19.38 19.85 28.14 29.10 30.12 the roles that these sentences name, and no others', () => {
  const named = {
    refundPayment: ['owner', 'manager', 'finance'],
    voidPayment: ['owner', 'manager', 'finance'],
    erasePerson: ['owner', 'manager'],
    acknowledgeReports: ['owner'],
    listWebhooks: ['owner', 'manager', 'viewer'],
    addWebhook: ['owner', 'manager'],
    removeWebhook: ['owner', 'manager'],
    createApiKey: ['owner'],
    revokeApiKey: ['owner'],
    beginImport: ['owner'],
    startImport: ['owner'],
  } satisfies Partial<Record<keyof typeof consoleCalls, Role[]>>
  const allowed = (Object.keys(named) as (keyof typeof named)[]).map((name) => {
    const { permission } = consoleCalls[name]
    return [name, roles.filter((role) => mayDo(role, permission))]
  })
  expect(Object.fromEntries(allowed)).toEqual(named)
})

it('19.7 a viewer can change nothing: every call that is not a GET is refused, except about their own access', async () => {
  const changing = calls.filter(
    ([, { method, permission }]) => method === 'POST' && permission !== 'anyone' && permission !== 'staff',
  )
  const replies = await Promise.all(
    changing.map(async ([name, call]) => [name, (await send(call, staff.viewer.cookie)).statusCode]),
  )
  const harmless = ['verifyAudit'] // reads only
  expect(replies.filter(([name, status]) => !harmless.includes(String(name)) && status !== 403)).toEqual([])
})

/** They protect a member, send something to the member's own address, or change nothing. */
const withoutProof = [
  ...['proveWithPasskey', 'proveWithPassword', 'endOtherSessions', 'endSessions', 'sendResetLink', 'resendEmail'],
  ...['addImportLines', 'checkImport'], // a long file outlives the proof; beginning and writing need one
  ...['previewDocument', 'verifyAudit', 'resendWebhook', 'testWebhook'],
]

it('19.8 every call that changes something asks for a fresh proof, and so does every export', async () => {
  const changing = calls.filter(([, { method, permission }]) => method === 'POST' && permission !== 'anyone')
  const exempt = changing.filter(([, { needsProof }]) => !needsProof).map(([name]) => name)
  expect(exempt.toSorted()).toEqual(withoutProof.toSorted())
  const exporting = calls.filter(([name]) => name.startsWith('export'))
  const withProof = [...changing.filter(([name]) => !withoutProof.includes(name)), ...exporting]
  site.advance(11 * 60)
  const statuses = await Promise.all(
    withProof.map(async ([name, call]) => [name, (await send(call, staff.owner.cookie)).statusCode]),
  )
  expect(statuses.filter(([, status]) => status !== 428)).toEqual([])
})

it('19.80 every action in the console has its network, and the chain covers it', async () => {
  const rows = await site.db.selectFrom('audit').select(['act', 'network']).where('staff_id', 'is not', null).execute()
  expect(new Set(rows.map(({ act }) => act)).size).toBeGreaterThan(10)
  expect(rows.filter(({ network }) => !network)).toEqual([])
  const { network } = (await staff.owner.get('audit'))
    .json()
    .rows.find(({ role }: { role: string }) => role === 'owner')
  expect(rows.map(({ network }) => network?.slice(0, 6))).toContain(network)
  expect((await verifyAudit(site.world)).problem).toBeUndefined()
  await site.db.updateTable('audit').set({ network: null }).where('act', '=', 'sign_in').execute()
  await site.db.updateTable('audit').set({ network: 'elsewhere' }).where('position', '=', 2).execute()
  expect((await verifyAudit(site.world)).problem).toBe('Row 2 was changed.')
})

it('19.7 someone who was removed, or whose role was changed, has the new rights immediately', async () => {
  const owner = await staffMember(site, 'owner')
  const finance = await staffMember(site, 'finance')
  expect((await finance.get('audit')).statusCode).toBe(200)
  await owner.post('staff/role', { id: finance.id, role: 'support' })
  expect((await finance.get('audit')).statusCode).toBe(403)
  await owner.post('staff/remove', { id: finance.id })
  expect((await finance.get('members')).statusCode).toBe(401)
  expect(isKeptOut((await finance.get('access')).statusCode)).toBe(true)
})

it('19.9 the only owner can neither leave nor lose the role, also when two remove each other at once', async () => {
  const lonely = await testSite()
  const owner = await staffMember(lonely, 'owner')
  const remove = (by: TestStaff, { id }: TestStaff) => by.post('staff/remove', { id })
  expect((await remove(owner, owner)).statusCode).toBe(409)
  expect((await owner.post('staff/role', { id: owner.id, role: 'viewer' })).statusCode).toBe(409)
  const other = await staffMember(lonely, 'owner')
  await Promise.all([remove(owner, other), remove(other, owner)])
  const left = await lonely.db.selectFrom('staff').select('id').where('removed_at', 'is', null).execute()
  expect(left).toHaveLength(1)
  await lonely.close()
})
