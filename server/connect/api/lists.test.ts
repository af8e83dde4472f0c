import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Member } from '#contract/connect/shapes.ts'
import { requestVoid } from '#server/payments/refunds.ts'
import { type OtherSystem, otherSystem } from '#server/test/api.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { cookieOf } from '#server/test/member.ts'
import { newMember, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
let api: OtherSystem
const members: Awaited<ReturnType<typeof newMember>>[] = []
beforeAll(async () => {
  site = await testSite({ ...generousLimits, TIME_ZONE: 'America/New_York' })
  api = await otherSystem(site)
  for (const sponsor_site_name of ['ana', 'ana', 'master', 'ana', 'ana']) {
    members.push(await newMember(site, { sponsor_site_name }))
    site.advance(3600)
  }
})
afterAll(() => site.close())

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

/** All pages of a list. */
async function all(path: string, name: string) {
  const rows: { id: string }[] = []
  let pages = 0
  for (let after = ''; ; pages++) {
    const reply = await api.get(`${path}${after}`)
    expect(reply.statusCode, reply.body).toBe(200)
    const { [name]: page, next } = reply.json()
    rows.push(...page)
    if (!next) return { rows, pages: pages + 1 }
    after = `&after=${encodeURIComponent(next)}`
  }
}

describe('a list', () => {
  it('32.1 shows every member once, in the order they joined, without a total', async () => {
    const { rows, pages } = await all('/members?limit=2', 'members')
    expect(idsOf(rows)).toEqual(members.map(({ id }) => id))
    expect(pages).toBe(3)
    const newest = await all('/members?limit=2&order=newest', 'members')
    expect(idsOf(newest.rows)).toEqual(members.map(({ id }) => id).reverse())
    expect(Object.keys((await api.get('/members?limit=2')).json())).toEqual(['members', 'next'])
  })

  it('32.1 continues where it was, even if members joined meanwhile', async () => {
    const first = (await api.get('/members?limit=3')).json()
    const late = await newMember(site, { sponsor_site_name: 'master' })
    const rest = (await api.get(`/members?limit=200&after=${first.next}`)).json()
    expect(idsOf([...first.members, ...rest.members])).toEqual([...members, late].map(({ id }) => id))
    members.push(late)
  })

  it('32.2 filters by state, sponsor, day, email, username and id elsewhere', async () => {
    const [first, second, third] = members
    if (!first || !second || !third) throw new Error('too few members')
    await site.db
      .insertInto('external_id')
      .values({ connection: 'exigo', value: '77:1', member_id: third.id })
      .execute()
    const found = async (query: string) => idsOf((await all(`/members?${query}`, 'members')).rows)
    expect(await found('sponsor=ana&limit=2')).toEqual([0, 1, 3, 4].map((n) => members[n]?.id))
    expect(await found(`email=${first.email.toUpperCase()}`)).toEqual([first.id])
    expect(await found(`username=${second.username}`)).toEqual([second.id])
    expect(await found('external_id=exigo:77:1')).toEqual([third.id])
    expect(await found('external_id=exigo:77')).toEqual([])
    expect(await found('state=ended')).toEqual([])
    expect((await found('state=active&limit=1')).length).toBe(members.length)
    expect(await found('joined_from=2026-11-16')).toEqual([])
    expect((await found('joined_from=2026-11-15&joined_to=2026-11-15')).length).toBe(members.length)
    expect((await api.get(`/members/${third.id}`)).json().external_ids).toEqual([
      { connection: 'exigo', value: '77:1' },
    ])
  })

  it('32.2 filters by sponsor through earlier links, those of a member and of the operator', async () => {
    const { username, password, id: member_id } = await newMember(site, { sponsor_site_name: 'master' })
    const renameMember = async () => {
      const cookie = cookieOf(await site.post('office/sign-in', { name: username, password }))
      const reply = await site.post('office/username', { username: 'moored', current_password: password }, { cookie })
      expect(reply.statusCode, reply.body).toBe(200)
    }
    /** As a file of sponsors does. */
    const renameSite = () =>
      site.db.updateTable('sponsor').set({ renamed_to: 'bluepier' }).where('site', '=', 'juniper').execute()
    for (const [from, to, rename, sponsor] of [
      [username, 'moored', renameMember, { site: 'moored', member_id }],
      ['juniper', 'bluepier', renameSite, { site: 'bluepier' }],
    ] as const) {
      const early = await newMember(site, { sponsor_site_name: from })
      site.advance(1)
      await rename()
      const late = await newMember(site, { sponsor_site_name: to })
      for (const link of [from, to]) {
        const { rows } = await all(`/members?sponsor=${link}&limit=1`, 'members')
        expect(rows, link).toMatchObject([early, late].map(({ id }) => ({ id, sponsor })))
      }
      const { top } = (await api.get(`/members/${early.id}/line?direction=up`)).json()
      expect(top).toEqual({ site: from === 'juniper' ? to : 'master' })
    }
  })

  it('32.3 refuses a changed cursor, one from other filters, and an unknown parameter', async () => {
    const { next } = (await api.get('/members?limit=1')).json()
    const { next: paymentsNext } = (await api.get('/payments?limit=1')).json()
    for (const wrong of [
      `after=${next.slice(0, -2)}`,
      `after=x${next}`,
      `after=${next}.x`,
      `after=${paymentsNext}`,
      'after=',
      `after=${next}&state=active`,
      'after=a.b',
    ]) {
      const reply = await api.get(`/members?${wrong}`)
      expect([reply.statusCode, Object.keys(reply.json().fields)], wrong).toEqual([422, ['after']])
    }
    expect((await api.get(`/members?limit=1&after=${next}`)).statusCode).toBe(200)
    const sentences = await Promise.all(
      [
        ...['sate=active', 'limit=0', 'limit=201', 'limit=1&limit=2', 'state=gone', 'joined_from=2026-02-30'],
        ...['email=a%00b', 'sponsor=nobody'],
      ].map(async (query) => {
        const reply = await api.get(`/members?${query}`)
        expect(reply.statusCode).toBe(422)
        return reply.json().message
      }),
    )
    expect(sentences).toEqual([
      expect.stringContaining("There is no parameter 'sate' here. You can use after, limit, state"),
      'limit must be a whole number from 1 to 200.',
      'limit must be a whole number from 1 to 200.',
      'Please send limit once.',
      'state must be one of active, past_due, canceled, on_hold, ended.',
      'Please enter a day.',
      'email must not contain a zero byte.',
      'There is no sponsor with this link.',
    ])
  })

  it('32.4 answers 304 while nothing has changed', async () => {
    const path = `/members/${members[0]?.id}`
    const first = await api.get(path)
    expect(first.headers['cache-control']).toBe('private, no-cache')
    const etag = String(first.headers.etag)
    const again = await api.get(path, { 'if-none-match': `"other", W/${etag}` })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    await site.db.updateTable('member').set({ city: 'Sparks' }).where('id', '=', String(members[0]?.id)).execute()
    expect((await api.get(path, { 'if-none-match': etag })).statusCode).toBe(200)
  })

  it('32.5 shows a member who was erased without anything personal', async () => {
    const person = await newMember(site)
    const below = await newMember(site, { sponsor_site_name: person.username })
    const isErased = async () =>
      (await api.get(`/members/${below.id}/line?direction=up`))
        .json()
        .line.map(({ is_erased }: { is_erased: boolean }) => is_erased)
    expect(await isErased()).toEqual([false])
    const owner = await staffMember(site, 'owner')
    const erasure = { member_id: person.id, username: person.username, reason: 'asked for it' }
    expect((await owner.post('members/erase', erasure)).statusCode).toBe(200)
    const reply = await api.get(`/members/${person.id}`)
    expect(reply.json()).toMatchObject({ person: null, state: 'ended', erased_at: expect.any(String) })
    expect(reply.body).not.toContain(person.email)
    expect(reply.body).not.toContain('Zoë')
    const { rows } = await all('/members?limit=200', 'members')
    expect(rows.find(({ id }) => id === person.id)).toEqual(reply.json())
    expect((await api.get(`/members?email=${person.email}`)).json()).toEqual({ members: [] })
    expect(await isErased()).toEqual([true])
  })
})

it('32.1 a member’s details are those that are promised, and no other column', async () => {
  const { members } = (await api.get('/members?limit=1')).json()
  expect(Object.keys(members[0].person).sort()).toEqual(
    Object.keys(Member.shape.person._zod.def.innerType.shape).sort(),
  )
})

describe('payments, sponsors and packages', () => {
  it('32.1 every payment once, also those of one member', async () => {
    const { rows } = await all('/payments?limit=2', 'payments')
    const stored = await site.db
      .selectFrom('payment')
      .select('reference')
      .orderBy('created_at')
      .orderBy('reference')
      .execute()
    expect(rows.map((row) => (row as unknown as { reference: string }).reference)).toEqual(
      stored.map(({ reference }) => reference),
    )
    const own = (await api.get(`/payments?member_id=${members[1]?.id}`)).json().payments
    expect(own).toEqual([
      expect.objectContaining({
        member_id: members[1]?.id,
        kind: 'enrollment',
        period: 0,
        amount: '99.00',
        state: 'captured',
      }),
    ])
    const one = (await api.get(`/payments/${own[0].reference}`)).json()
    expect(one).toEqual({ ...own[0], refunds: [] })
  })

  it('32.1 a charge that was canceled before it was collected is voided, one that was paid back is refunded', async () => {
    const paymentsOf = async (id: string) => (await api.get(`/payments?member_id=${id}`)).json().payments
    const [refunded] = await paymentsOf((await newMember(site)).id)
    await api.post(`/payments/${refunded.reference}/refund`, { reason: 'asked for it' })
    site.advance(2 * 86_400) // it has been collected
    await work(site.world)
    const { id } = await newMember(site)
    const [charged] = await paymentsOf(id)
    await requestVoid(site.world, { reference: charged.reference, reason: 'asked for it', who: 'staff' })
    expect(await paymentsOf(id)).toMatchObject([{ state: 'captured' }])
    await work(site.world)
    expect(await paymentsOf(id)).toMatchObject([{ state: 'voided', refunded: '99.00' }])
    const { refunds } = (await api.get(`/payments/${charged.reference}`)).json()
    expect(refunds).toMatchObject([{ is_void: true, state: 'done', amount: '99.00' }])
    for (const { state, reference } of [
      { state: 'voided', reference: charged.reference },
      { state: 'refunded', reference: refunded.reference },
    ])
      expect((await all(`/payments?state=${state}&limit=1`, 'payments')).rows).toMatchObject([{ state, reference }])
  })

  it('32.1 every link once, without renamed ones', async () => {
    const { rows } = await all('/sponsors?limit=2', 'sponsors')
    const stored = await site.db.selectFrom('sponsor').select('id').where('renamed_to', 'is', null).execute()
    expect(idsOf(rows).sort()).toEqual(idsOf(stored).sort())
    expect((await api.get('/sponsors?site=harbor')).json().sponsors).toEqual([
      expect.objectContaining({ site: 'bluepier' }),
    ])
    const kinds = await Promise.all(['operator', 'member'].map((kind) => all(`/sponsors?kind=${kind}`, 'sponsors')))
    expect(kinds.flatMap(({ rows }) => rows).length).toBe(rows.length)
  })

  it('32.1 every package once', async () => {
    const { rows } = await all('/packages?limit=1', 'packages')
    const stored = await site.db.selectFrom('package').select('product_id').orderBy('product_id').execute()
    expect(rows.map((row) => (row as unknown as { product_id: number }).product_id)).toEqual(
      stored.map(({ product_id }) => product_id),
    )
  })
})
