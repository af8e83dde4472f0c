import { hash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officeCalls } from '#contract/office/office.ts'
import { joinedMember, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const view = async (cookie: string) => (await site.get('/api/office/view', { cookie })).json()
const browser = { host: 'foyer.test', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156' }
const visit = (username: string, agent: string) =>
  site.get(`/api/replicated-sites/page-hits/${username}`, {
    ...browser,
    'user-agent': `${browser['user-agent']} ${agent}`,
  })

describe('the office', () => {
  it('17.47 shows every receipt, and the console every payment, even after many years', async () => {
    const { cookie, username } = await memberInOffice(site)
    const { id, enrollment_id } = await site.db
      .selectFrom('member')
      .select(['id', 'enrollment_id'])
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    const first = await site.db
      .selectFrom('payment')
      .selectAll()
      .where('enrollment_id', '=', enrollment_id)
      .executeTakeFirstOrThrow()
    const { lines, ...period } = await site.db
      .selectFrom('period')
      .selectAll()
      .where('member_id', '=', id)
      .executeTakeFirstOrThrow()
    const months = Array.from({ length: 130 }, (_, index) => index + 1)
    await site.db
      .insertInto('period')
      .values(months.map((n) => ({ ...period, n, lines: JSON.stringify(lines) })))
      .execute()
    await site.db
      .insertInto('payment')
      .values(
        months.map((n) => ({
          ...first,
          ...{ attempt: n + 1, period: n, reference: `receipt${n}`, transaction_id: `receipt${n}`, state: 'captured' },
          details: null,
        })),
      )
      .execute()
    expect((await view(cookie)).renewals).toHaveLength(130)
    const staff = await staffMember(site, 'support')
    expect((await staff.get(`members/${id}`)).json().payments).toHaveLength(131)
  })

  it('15.3 shows the membership, the receipt, the sponsor and the link', async () => {
    const { cookie, username, email, mobile_phone } = await memberInOffice(site)
    const payment = await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('reference')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect(await view(cookie)).toMatchObject({
      first_name: 'Zoë',
      last_name: 'Example',
      username,
      email,
      mobile_phone,
      link: `http://foyer.test/${username}`,
      joined_on: '2026-11-15',
      sponsor_name: "Ana's Paper Lantern Studio",
      membership: { price: '99.00', renews_on: '2026-12-15', is_over: false },
      receipt: {
        reference: payment.reference,
        paid_on: '2026-11-15',
        lines: [{ name: 'Founding Membership', price: '99.00' }],
        total: '99.00',
      },
      totals: { visits: 0, joins: 0 },
      brought: [],
    })
    expect(await view(cookie)).not.toHaveProperty('unconfirmed_email')
    expect(await view(cookie)).not.toHaveProperty('membership.cancelled_on')
  })

  it('15.3 counts visits and joins by week, Monday to Sunday, including empty weeks', async () => {
    const { cookie, username } = await memberInOffice(site) // 2026-11-15 is a Sunday
    await visit(username, 'a')
    await visit(username, 'a')
    await visit(username, 'b')
    await joinedMember(site, { sponsor_site_name: username, first_name: 'Sunday' })
    site.advance(12 * 3600) // Monday, 00:00
    await visit(username, 'a')
    await joinedMember(site, { sponsor_site_name: username, first_name: 'Monday' })
    await deleteExpired(site.world) // aggregates Sunday's visits
    site.advance(8 * 86_400) // Tuesday of the week after
    await visit(username, 'a')
    await deleteExpired(site.world)
    expect(await site.db.selectFrom('page_hit').select('day').where('site', '=', username).execute()).toHaveLength(1)
    const entered = await site.post('office/sign-in', { name: username, password: 'Open-Sesame-7' })
    expect(entered.statusCode).toBe(200)
    const office = await view(String(entered.headers['set-cookie']).split(';')[0] ?? cookie)
    expect(office.weeks).toHaveLength(12)
    expect(office.weeks[0]).toEqual({ from: '2026-09-07', visits: 0, joins: 0 })
    expect(office.weeks.slice(-4)).toEqual([
      { from: '2026-11-02', visits: 0, joins: 0 },
      { from: '2026-11-09', visits: 2, joins: 1 },
      { from: '2026-11-16', visits: 1, joins: 1 },
      { from: '2026-11-23', visits: 1, joins: 0 },
    ])
    expect(office.totals).toEqual({ visits: 4, joins: 2 })
    expect(office.brought).toEqual([
      { name: 'Monday Example', joined_on: '2026-11-16' },
      { name: 'Sunday Example', joined_on: '2026-11-15' },
    ])
  })

  it('15.3 refuses every call without a session', async () => {
    for (const [name, { method, path }] of Object.entries(officeCalls)) {
      if (/enter|signIn|leaveOffice|confirmEmail|forget|reset/i.test(name)) continue
      const url = `/api${path.replace(':sha256', 'a'.repeat(64))}`
      const payload = {
        username: 'zoe',
        first_name: 'Zoe',
        last_name: 'Example',
        picture: 'AAAA',
        join_emails: true,
        renewal_emails: true,
        mobile_phone: '+12025550111',
        email: 'a@b.example',
        password: 'Lemon-Tree-9',
        current_password: 'x',
        cc_number: '4242424242424242',
        cc_month: '12',
        cc_year: '2028',
        cc_cvv: '123',
        captcha: 'x',
        product_id: 41,
        shown_price: '99.00',
        id: randomUUID(),
        credential_id: 'x',
        response: { id: 'x' },
        sealed: 'x',
        code: '123456',
      }
      const reply = await site.ask(method === 'GET' ? { method, url } : { method, url, payload })
      expect([reply.statusCode, reply.json()], name).toEqual([401, { message: 'Please sign in.' }])
    }
  })

  it('15.4 shows the exact accepted text, only to members who accepted it', async () => {
    const early = await memberInOffice(site)
    const { accepted } = await view(early.cookie)
    expect(accepted.length).toBeGreaterThan(1)
    const textOf = (sha256: string, cookie: string) => site.get(`/api/office/accepted/${sha256}`, { cookie })
    for (const { sha256, accepted_on } of accepted) {
      const { content } = (await textOf(sha256, early.cookie)).json()
      expect(hash('sha256', content, 'hex')).toBe(sha256)
      expect(accepted_on).toMatch(/^2026-11-\d\d$/)
    }
    const content = '<p>New terms</p>'
    const sha256 = hash('sha256', content, 'hex')
    await site.db.insertInto('legal_text').values({ sha256, content }).execute()
    const document = accepted.find(({ title }: { title: string }) => title !== 'Subscription consent')
    await site.db
      .updateTable('legal_document')
      .set({ sha256, version: 9 })
      .where('title', '=', document.title)
      .execute()
    const late = await memberInOffice(site)
    expect((await textOf(sha256, late.cookie)).json()).toEqual({ content })
    expect((await textOf(sha256, early.cookie)).statusCode).toBe(404)
    expect((await textOf(document.sha256, early.cookie)).statusCode).toBe(200)
    expect((await textOf(document.sha256, late.cookie)).statusCode).toBe(404)
  })
})

it('15.5 no response to a sponsor contains a referral’s email, phone, address or payment', async () => {
  const sponsor = await memberInOffice(site)
  const { cookie, username, password } = sponsor
  const referrals = []
  for (const n of [1, 2, 3])
    referrals.push(
      await joinedMember(site, {
        sponsor_site_name: username,
        first_name: `Nora${n}`,
        business_name: `Harbour Bakery ${n}`,
        email: `private${n}@secret.example`,
        mobile_phone: `+1202555014${n}`,
        address: `${n}7 Hidden Lane`,
        city: `Quiethaven${n}`,
        post_code: `8951${n}`,
        cc_number: '5555 5555 5555 4444',
      }),
    )
  const rows = await site.db
    .selectFrom('member')
    .innerJoin('payment', 'payment.enrollment_id', 'member.enrollment_id')
    .select(['member.id', 'member.enrollment_id', 'vault_reference', 'reference', 'transaction_id'])
    .where(
      'username',
      'in',
      referrals.map((referral) => referral.username),
    )
    .execute()
  const secrets = [
    ...rows.flatMap((row) => Object.values(row)),
    ...referrals.flatMap(({ form }) =>
      (['email', 'mobile_phone', 'address', 'city', 'post_code', 'business_name', 'username'] as const).map(
        (field) => form[field],
      ),
    ),
    ...['5555 5555', '5555555555554444', '4444'],
  ].filter((secret): secret is string => Boolean(secret))
  expect(secrets.length).toBeGreaterThan(30)

  const responses = [await site.get('/office', { cookie }), await site.get(`/${username}`, { cookie })]
  const payload = {
    mobile_phone: '+12025550111',
    email: 'other@mail.example',
    password: 'Lemon-Tree-9',
    current_password: password,
    name: username,
    token: 'x',
  }
  for (const [name, { method, path }] of Object.entries(officeCalls)) {
    if (/leave|changePassword/.test(name)) continue // they end the session and return nothing
    for (const { sha256 } of path.includes(':') ? (await view(cookie)).accepted : [{ sha256: '' }]) {
      const url = `/api${path.replace(':sha256', sha256)}`
      const headers = { cookie: name === 'signIn' ? '' : cookie }
      responses.push(await site.ask(method === 'GET' ? { method, url, headers } : { method, url, headers, payload }))
    }
  }
  expect(responses.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThan(9)
  expect((await view(cookie)).brought.map(({ name }: { name: string }) => name).sort()).toEqual([
    'Nora1 Example',
    'Nora2 Example',
    'Nora3 Example',
  ])
  for (const { body, headers } of responses)
    for (const secret of secrets) expect(`${body} ${JSON.stringify(headers)}`.includes(secret), secret).toBe(false)
})
