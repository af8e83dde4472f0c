import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OtherSystem, otherSystem } from '#server/test/api.ts'
import { isPostgres } from '#server/test/database.ts'
import { generousLimits } from '#server/test/generous-settings.ts'
import { newMember, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { deleteExpired } from '#server/worker/janitor.ts'

let site: Site
let api: OtherSystem
beforeAll(async () => {
  site = await testSite(generousLimits)
  api = await otherSystem(site)
})
afterAll(() => site.close())

const body = { reason: 'Asked for it by phone' }
const auditOf = (subject: string) =>
  site.db
    .selectFrom('audit')
    .select(['act', 'role', 'staff_id', 'details'])
    .where('subject', '=', subject)
    .orderBy('position')
    .execute()
const paymentOf = (member_id: string) =>
  site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('reference')
    .where('member.id', '=', member_id)
    .executeTakeFirstOrThrow()
    .then(({ reference }) => reference)

describe('a change', () => {
  it('32.7 cancels, undoes, holds and releases a membership as staff do, and the audit row names the key', async () => {
    const { id } = await newMember(site)
    const states: string[] = []
    for (const action of ['cancel', 'undo-cancel', 'hold', 'release']) {
      const reply = await api.post(`/members/${id}/${action}`, body)
      expect(reply.statusCode, reply.body).toBe(200)
      states.push(reply.json().state)
      expect((await api.get(`/members/${id}`)).json()).toMatchObject(
        reply.json().state ? { state: reply.json().state } : {},
      )
    }
    expect(states).toEqual(['canceled', 'active', 'on_hold', 'active'])
    const rows = await auditOf(id)
    expect(rows.map(({ act }) => act)).toEqual([
      'cancel_membership',
      'resume_membership',
      'hold_membership',
      'release_membership',
    ])
    for (const { role, staff_id, details } of rows) {
      expect([role, staff_id]).toEqual([`api key ${api.id}`, null])
      expect(JSON.parse(details ?? '').reason).toBe(body.reason)
    }
  })

  it('32.7 corrects the details that are named, by the rules of the form', async () => {
    const { id, email } = await newMember(site)
    const path = `/members/${id}`
    const reply = await api.patch(path, { city: 'Sparks', email: 'new.address@example.com', address_state: 'CA' })
    expect(reply.json()).toEqual({
      member_id: id,
      changed: ['city', 'address_state', 'email'],
      is_email_unconfirmed: true,
    })
    const { person } = (await api.get(path)).json()
    expect(person).toMatchObject({ city: 'Sparks', address_state: 'CA', email, first_name: 'Zoë' })
    const wrong = await api.patch(path, { post_code: 'x' })
    expect([wrong.statusCode, wrong.json()]).toEqual([
      422,
      { message: 'Invalid Post / ZIP code format.', fields: { post_code: ['Invalid Post / ZIP code format.'] } },
    ])
    const zero = await api.patch(path, { city: 'Spa\0rks' })
    expect([zero.statusCode, zero.json()]).toEqual([
      422,
      { message: 'city must not contain a zero byte.', fields: { city: ['city must not contain a zero byte.'] } },
    ])
    expect((await api.patch(path, { username: 'zoe' })).json().message).toContain("There is no field 'username' here")
    expect((await api.patch(path, { city: 'Sparks' })).statusCode).toBe(409)
    expect((await api.patch(path, { business_name: '' })).statusCode).toBe(409)
  })

  it('32.7 refunds a payment within what is left of it; the gateway is asked later', async () => {
    const { id } = await newMember(site)
    const reference = await paymentOf(id)
    const path = `/payments/${reference}/refund`
    const reply = await api.post(path, { ...body, amount: '25.00' })
    expect(reply.json()).toEqual({
      refund_id: expect.any(String),
      payment_reference: reference,
      amount: '25.00',
      state: 'requested',
    })
    const tooMuch = await api.post(path, { ...body, amount: '74.01' })
    expect([tooMuch.statusCode, tooMuch.json().message]).toEqual([409, expect.stringContaining('is too much')])
    for (const amount of ['0.00', '-1.00', '1', '1e3'])
      expect((await api.post(path, { ...body, amount })).json().fields, amount).toHaveProperty('amount')
    expect((await api.post(path, body)).json().amount).toBe('74.00')
    site.advance(2 * 86_400) // a part can be refunded once the charge has settled
    await work(site.world)
    const payment = (await api.get(`/payments/${reference}`)).json()
    expect(payment).toMatchObject({ state: 'refunded', refunded: '99.00' })
    expect(payment.refunds.map(({ state }: { state: string }) => state)).toEqual(['done', 'done'])
  })

  it('32.7 is refused for a member or a payment that doesn’t exist, or was erased', async () => {
    const none = '00000000-0000-4000-8000-000000000000'
    for (const path of [`/members/${none}/cancel`, '/members/x/cancel', '/payments/nothing/refund'])
      expect((await api.post(path, body)).statusCode, path).toBe(404)
    expect((await api.patch(`/members/${none}`, { city: 'Reno' })).statusCode).toBe(404)
    const { id } = await newMember(site)
    await site.db.updateTable('member').set({ erased_at: site.world.now() }).where('id', '=', id).execute()
    expect((await api.post(`/members/${id}/cancel`, body)).statusCode).toBe(409)
  })
})

describe('an Idempotency-Key', () => {
  it('32.8 is needed', async () => {
    const { id } = await newMember(site)
    const reply = await api.ask('POST', `/members/${id}/cancel`, {}, body)
    expect([reply.statusCode, reply.json().message]).toEqual([
      422,
      'Please send an Idempotency-Key, a new one for each change.',
    ])
    expect((await api.post(`/members/${id}/cancel`, body, 'short')).statusCode).toBe(422)
  })

  it('32.9 gets the stored answer again, even if the member has changed since', async () => {
    const { id } = await newMember(site)
    const path = `/members/${id}/cancel`
    const first = await api.post(path, body, 'cancel-once')
    await api.post(`/members/${id}/undo-cancel`, body)
    const again = await api.post(path, body, 'cancel-once')
    expect([again.statusCode, again.json()]).toEqual([200, first.json()])
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
    expect((await api.get(`/members/${id}`)).json().state).toBe('active')
    site.advance(47 * 3600)
    await deleteExpired(site.world)
    expect((await api.post(path, body, 'cancel-once')).json()).toEqual(first.json())
  })

  it('32.9 refunds once, however often and however quickly it is sent', async () => {
    const { id } = await newMember(site)
    const reference = await paymentOf(id)
    const refund = () => api.post(`/payments/${reference}/refund`, { ...body, amount: '10.00' }, 'refund-once')
    const replies = await Promise.all(Array.from({ length: 12 }, refund))
    const done = replies.filter(({ statusCode }) => statusCode === 200)
    expect(done.filter(({ headers }) => !headers['idempotent-replayed']).length).toBe(1)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    for (const reply of replies) expect([200, 409], reply.body).toContain(reply.statusCode)
    expect((await refund()).headers['idempotent-replayed']).toBe('true')
    const rows = await site.db.selectFrom('refund').select('id').where('payment_reference', '=', reference).execute()
    expect(rows.length).toBe(1)
  })

  it('32.10 with a different call is refused, and so is one that is still running', async () => {
    const { id } = await newMember(site)
    const someoneElse = await newMember(site)
    await api.post(`/members/${id}/hold`, body, 'one-key-one-call')
    for (const reply of [
      await api.post(`/members/${someoneElse.id}/hold`, body, 'one-key-one-call'),
      await api.post(`/members/${id}/hold`, { reason: 'another one' }, 'one-key-one-call'),
      await api.post(`/members/${id}/release`, body, 'one-key-one-call'),
    ])
      expect([reply.statusCode, reply.json().message]).toEqual([
        422,
        expect.stringContaining('was used for a different call'),
      ])
    const other = await otherSystem(site)
    expect((await other.post(`/members/${id}/release`, body, 'one-key-one-call')).statusCode).toBe(200)
    if (!isPostgres) return // one connection: nothing else runs meanwhile
    await site.db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${api.id} still-running`}, 4900))`.execute(db)
      const reply = await api.post(`/members/${id}/hold`, body, 'still-running')
      expect([reply.statusCode, reply.headers['retry-after'], reply.json().message]).toEqual([
        409,
        '1',
        'A call with this Idempotency-Key is still running. Please repeat it in a moment.',
      ])
    })
  })

  it('32.11 may be sent again after a failure, which leaves nothing behind', async () => {
    const { id } = await newMember(site)
    const path = `/members/${id}/release`
    expect((await api.post(path, body, 'fails-at-first')).statusCode).toBe(409) // it isn't on hold
    await api.post(`/members/${id}/hold`, body)
    const reply = await api.post(path, body, 'fails-at-first')
    expect([reply.statusCode, reply.headers['idempotent-replayed']]).toEqual([200, undefined])
    const actions = (await auditOf(id)).map(({ act }) => act)
    expect(actions).toEqual(['hold_membership', 'release_membership'])
  })

  it('32.11 stores the answer with the change or neither', async () => {
    const { id } = await newMember(site)
    await sql`create function refuse_answer() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$`.execute(
      site.db,
    )
    await sql`create trigger refuse_answer before insert on api_answer execute function refuse_answer()`.execute(
      site.db,
    )
    expect((await api.post(`/members/${id}/cancel`, body, 'disk-is-full')).statusCode).toBe(500)
    await sql`drop trigger refuse_answer on api_answer`.execute(site.db)
    expect((await api.get(`/members/${id}`)).json().state).toBe('active')
    expect((await api.post(`/members/${id}/cancel`, body, 'disk-is-full')).statusCode).toBe(200)
  })

  it('32.12 keeps nothing personal in a stored answer', async () => {
    const { id } = await newMember(site)
    await api.patch(`/members/${id}`, { address: '12 Hidden Lane', last_name: 'Quince' }, 'no-traces-please')
    await api.post(`/members/${id}/cancel`, { reason: 'Hidden' }, 'no-traces-either')
    const rows = await site.db.selectFrom('api_answer').selectAll().execute()
    expect(JSON.stringify(rows)).toMatch(/no-traces-please.*no-traces-either|no-traces-either.*no-traces-please/)
    expect(JSON.stringify(rows)).not.toMatch(/Hidden|Quince|Zoë|person|@/)
  })
})
