import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyAudit } from '#server/audit/audit.ts'
import { recordMembershipEvent } from '#server/audit/membership-history.ts'
import { addJob } from '#server/jobs/queue.ts'
import { recordDiscrepancies } from '#server/payments/books/discrepancies.ts'
import { allRows } from '#server/test/database-rows.ts'
import { emptyLogs } from '#server/test/logs.ts'
import { emailsTo, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { deleteExpired } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
})
afterAll(() => site.close())

const idOf = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id

const mara = {
  first_name: 'Maranella',
  last_name: 'Lindqvistova',
  business_name: 'Quillfeather Works',
  username: 'maralind',
  email: 'mara.first@mail.example',
  mobile_phone: '+12025550143',
  address: '77 Nightingale Lane',
  address2: 'Attic Quarters',
  city: 'Winnemucca',
  post_code: '89445-7771',
}
/** Values that she had besides, or has since. */
const later = {
  last_name: 'Ibarrondo',
  email: 'mara.second@mail.example',
  waiting: 'mara.third@mail.example',
  ship_address: '9 Pelican Wharf',
  ship_city: 'Tonopah',
  unconfirmed_phone: '+12025550177',
}

/** A member with something in every table that can hold anything about her. */
async function fullLife() {
  const sponsor = await memberInOffice(site, { username: 'sponsora', first_name: 'Sponsora' })
  const member = await memberInOffice(site, {
    ...mara,
    sponsor_site_name: 'sponsora',
    is_shipping_different: '1',
    ship_address: later.ship_address,
    ship_city: later.ship_city,
    ship_country: 'US',
    ship_state: 'NV',
    ship_zip_code: '89049',
    ship_address2: '',
  })
  const member_id = await idOf('maralind')
  const referral = await memberInOffice(site, { username: 'referral', sponsor_site_name: 'maralind' })
  const names = { username: 'maralind', first_name: mara.first_name, business_name: mara.business_name }
  await site.post('office/name', { ...names, last_name: later.last_name }, { cookie: member.cookie })
  const picture = { name: `${'0'.repeat(32)}.jpg`, member_id, content: Buffer.from('her face') }
  await site.db.insertInto('picture').values(picture).execute()
  await correct(member_id, { email: later.email })
  const [message] = await emailsTo(site, later.email, 'Confirm your email address')
  const token = /confirm-email#([\w-]{43})/.exec(message?.body ?? '')?.[1] ?? ''
  expect((await site.post('office/confirm-email', { token })).statusCode).toBe(200)
  await correct(member_id, { email: later.waiting, address2: 'Cellar Quarters' })
  const reason = `${mara.first_name} asked from ${later.email}`
  await owner.post('members/sponsor', { member_id, sponsor_site: 'bluepier', reason })
  await owner.post('members/sponsor', { member_id: await idOf('referral'), sponsor_site: 'bluepier', reason })
  await owner.post('members/hold', { member_id, reason })
  const { payments } = (await owner.get(`members/${member_id}`)).json()
  const refund = { member_id, reference: payments[0].reference, amount: '99.00', reason }
  expect((await owner.post('payments/refund', refund)).statusCode).toBe(200)
  while (await runJobs(site.world));
  const discrepancy = { reference: payments[0].reference, kind: 'amount', transaction_id: null, ours: '', theirs: '' }
  const found = { found_at: site.world.now(), cleared_at: null, resolved_at: null, reason: null, resolved_by: null }
  await site.db
    .insertInto('difference')
    .values({ ...discrepancy, ...found })
    .execute()
  const resolution = { reference: discrepancy.reference, kind: 'amount', reason: `${mara.first_name} has called` }
  expect((await owner.post('problems/resolve', resolution)).statusCode).toBe(200)
  const values = { enrollment_id: member_id, mobile_phone: mara.mobile_phone, sends: 1, sent_at: site.world.now() }
  const { enrollment_id } = await site.db
    .selectFrom('member')
    .select('enrollment_id')
    .where('id', '=', member_id)
    .executeTakeFirstOrThrow()
  await site.db
    .insertInto('phone_check')
    .values({ ...values, enrollment_id, verified_at: null })
    .execute()
  await addSecondFactor(member_id)
  await site.db
    .updateTable('member')
    .set({ unconfirmed_phone: later.unconfirmed_phone, unconfirmed_phone_at: site.world.now() })
    .where('id', '=', member_id)
    .execute()
  await addJob(site.db, 'forgotten', { name: 'maralind', asked_at: '2026-11-15' }, site.world.now())
  const changed = { email: mara.email, first_name: mara.first_name, new_email: later.email }
  await addJob(site.db, 'email_changed', changed, site.world.now())
  await site.db
    .insertInto('job')
    .values({
      id: randomUUID(),
      kind: 'welcome',
      payload: '{}',
      run_at: site.world.now(),
      done_at: site.world.now(),
      last_error: `550 no mailbox ${later.email.toUpperCase()}`,
    })
    .execute()
  return { member_id, member, sponsor, referral }
}

/** An app, a passkey, a recovery code, and a sign-in that waits for one of them. */
async function addSecondFactor(member_id: string) {
  const { db, world } = site
  const created_at = world.now()
  const passkey = { credential_id: 'of Mara', public_key: 'x', counter: 0, transports: [], name: 'Phone' }
  const expires_at = new Date(created_at.getTime() + 600_000)
  await db.insertInto('member_app').values({ member_id, sealed: 'x', step: 1, created_at }).execute()
  await db
    .insertInto('member_passkey')
    .values({ ...passkey, member_id, created_at })
    .execute()
  await db.insertInto('member_recovery').values({ member_id, key_hash: 'x' }).execute()
  await db.insertInto('pending_sign_in').values({ member_id, key_hash: 'x', access_version: 0, expires_at }).execute()
}

async function correct(member_id: string, changes: Record<string, string>) {
  const { first_name, last_name, business_name, email, mobile_phone, postal, details_version } = (
    await owner.get(`members/${member_id}`)
  ).json()
  const { country: _country, ...address } = postal
  const details = { first_name, last_name, business_name, email, mobile_phone, ...address, ...changes }
  const version = details_version
  expect((await owner.post('members/details', { member_id, version, ...details })).statusCode).toBe(200)
}

/** Where a value is found in the whole database, by table. */
async function find(values: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, rows] of Object.entries(await allRows(site.db)))
    for (const value of values)
      if (rows.some((row) => row.toLowerCase().includes(value.toLowerCase())))
        found[table] = [...(found[table] ?? []), value]
  return found
}

describe('a person', () => {
  let life: Awaited<ReturnType<typeof fullLife>>
  const { username, ...rest } = mara
  const gone = [...Object.values(rest), ...Object.values(later), 'Cellar Quarters', '2025550143']
  beforeAll(async () => {
    life = await fullLife()
  })

  it('19.37 gets one file with everything that is held, without keys, and the log says so', async () => {
    const reply = await owner.post('members/export', { member_id: life.member_id })
    const { filename, content } = reply.json()
    expect(filename).toBe('maralind-2026-11-15.json')
    for (const value of [username, mara.first_name, later.last_name, later.email, later.waiting, mara.address])
      expect(reply.body).toContain(value)
    expect(content.payments).toMatchObject([{ amount_cents: 9900, card_last_four: '4242' }])
    expect(content.accepted_texts.length).toBeGreaterThan(1)
    expect(content.moves_to_other_sponsors).toHaveLength(1)
    expect(reply.body).not.toMatch(/password_hash|argon2|key_hash|vault/)
    const actions = site.db.selectFrom('audit').select('act').where('subject', '=', life.member_id)
    expect((await actions.execute()).map(({ act }) => act)).toContain('export_person')
  })

  it('19.38 is erased only with the username typed, a reason without personal data, and no money on its way', async () => {
    const { member_id } = life
    const erase = async (changes: Record<string, string>) => {
      const reply = await owner.post('members/erase', { member_id, username, reason: 'asked in writing', ...changes })
      return [reply.statusCode, reply.json().fields ?? reply.json().message]
    }
    expect(await erase({ username: 'another' })).toEqual([
      422,
      { username: ['This is not the username of this member.'] },
    ])
    expect((await erase({ reason: `${mara.first_name} wrote` }))[0]).toBe(422)
    const setState = (state: 'review' | 'refunded') =>
      site.db
        .updateTable('payment')
        .set({ state })
        .where('enrollment_id', 'in', (db) =>
          db.selectFrom('member').select('enrollment_id').where('id', '=', member_id),
        )
        .execute()
    await setState('review')
    expect(await erase({})).toEqual([409, 'A payment is in progress. You can erase this person once it’s complete.'])
    await setState('refunded')
    await site.db.updateTable('refund').set({ state: 'requested', credit_note: null }).execute()
    expect(await erase({})).toEqual([409, 'A refund is in progress. You can erase this person once it’s complete.'])
    await site.db.updateTable('refund').set({ state: 'done', credit_note: 1 }).execute()
  })

  it('19.39 is gone from every table; only what the books and the law need is kept', async () => {
    const before = await find(gone)
    for (const table of [
      'member',
      'audit',
      'difference',
      'message',
      'orders',
      'phone_check',
      'refund',
      'sponsor',
      'sponsor_move',
      'job',
    ])
      expect(Object.keys(before)).toContain(table)
    const { member_id } = life
    const own = [
      ...(['picture', 'office_session', 'email_link', 'member_event'] as const),
      ...(['member_app', 'member_passkey', 'member_recovery', 'pending_sign_in'] as const),
    ]
    const filled = async () => {
      const counts = own.map(async (table) => {
        const rows = site.db.selectFrom(table).select('member_id').where('member_id', '=', member_id)
        return (await rows.execute()).length ? [table] : []
      })
      return (await Promise.all(counts)).flat()
    }
    expect(await filled()).toEqual(own)
    const reply = await owner.post('members/erase', { member_id, username, reason: 'asked in writing' })
    expect(reply.statusCode, reply.body).toBe(200)
    while (await runJobs(site.world));
    expect(await find(gone)).toEqual({})
    expect(await filled()).toEqual([])
    expect(Object.keys(await find([username])).sort()).toEqual(kept)
    expect((await verifyAudit(site.world)).problem).toBe(undefined)
  })

  /** The username, which is also the link: nobody else may get it, and the records of others name it. */
  const kept = ['claim', 'member', 'sponsor', 'sponsor_touch'].sort()

  it('19.39 keeps payments, periods and accepted texts under the number, and shows a former member', async () => {
    const page = (await owner.get(`members/${life.member_id}`)).json()
    expect(page).toMatchObject({
      first_name: 'A former',
      last_name: 'member',
      email: '',
      erased_on: expect.any(String),
      emails: [],
      membership: { state: 'ended' },
      payments: [{ amount: '99.00', refunded: '99.00', card: { last_four: '4242' } }],
    })
    expect(page.accepted.length).toBeGreaterThan(1)
    expect(page.membership.card).toBe(undefined)
    expect(page.credit.problem).toBe(undefined)
    const { vault_reference, due_at } = await site.db
      .selectFrom('membership')
      .select(['vault_reference', 'due_at'])
      .where('member_id', '=', life.member_id)
      .executeTakeFirstOrThrow()
    expect([vault_reference, due_at]).toEqual(['', null])
  })

  it('19.40 cannot sign in; the username stays taken, the link is inactive, and nothing more can be done', async () => {
    const signIn = await site.post('office/sign-in', { name: username, password: life.member.password })
    expect(signIn.statusCode).toBe(401)
    expect((await site.get('/api/office/view', { cookie: life.member.cookie })).statusCode).toBe(401)
    const sponsor = (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${username}`)).json()
    expect(sponsor).toMatchObject({ active: 'No', name: 'A former member' })
    const { member_id } = life
    expect((await owner.post('members/erase', { member_id, username, reason: 'again' })).statusCode).toBe(409)
    expect((await owner.post('members/reset-link', { member_id })).statusCode).toBe(409)
    const again = await memberInOffice(site, { ...rest, username: 'maraagain' })
    expect(again.cookie).not.toBe('')
  })

  it('19.40 is “a former member” in the office of the sponsor', async () => {
    const { enrollment_id } = await site.db
      .selectFrom('member')
      .select('enrollment_id')
      .where('username', '=', 'sponsora')
      .executeTakeFirstOrThrow()
    expect(enrollment_id).not.toBe('')
    const other = await memberInOffice(site, { username: 'downliner', sponsor_site_name: 'sponsora' })
    expect(other.username).toBe('downliner')
    const id = await idOf('downliner')
    while (await runJobs(site.world));
    await owner.post('members/erase', { member_id: id, username: 'downliner', reason: 'asked' })
    const view = (await site.get('/api/office/view', { cookie: life.sponsor.cookie })).json()
    expect(view.brought.map(({ name }: { name: string }) => name)).toEqual(['A former member'])
  })
})

it('19.38 a person cannot be erased while a payment is unknown or a dispute is open', async () => {
  await memberInOffice(site, { username: 'disputer' })
  const member_id = await idOf('disputer')
  const erase = async () => {
    const reply = await owner.post('members/erase', { member_id, username: 'disputer', reason: 'asked in writing' })
    return [reply.statusCode, reply.json().message]
  }
  const setState = (state: 'unknown' | 'disputed') =>
    site.db
      .updateTable('payment')
      .set({ state })
      .where('enrollment_id', 'in', (db) => db.selectFrom('member').select('enrollment_id').where('id', '=', member_id))
      .returning('reference')
      .executeTakeFirstOrThrow()
  await setState('unknown')
  expect(await erase()).toEqual([409, 'A payment is in progress. You can erase this person once it’s complete.'])
  const { reference } = await setState('disputed')
  const refusal = [409, 'A payment is disputed. You can erase this person once the dispute is resolved.']
  expect(await erase()).toEqual(refusal)
  const found = { reference, kind: 'dispute', transaction_id: null, ours: 'on hold', theirs: 'disputed' }
  await recordDiscrepancies(site.world, [found], [])
  expect(await erase()).toEqual(refusal)
  await owner.post('problems/resolve', { reference, kind: 'dispute', reason: 'lost', outcome: 'lost' })
  expect((await erase())[0]).toBe(200)
})

it('19.41 emails and sign-ins stay in the timeline for two years, and the membership’s history permanently', async () => {
  const { username } = await memberInOffice(site)
  const member_id = await idOf(username)
  while (await runJobs(site.world));
  const events = async () =>
    (await site.db.selectFrom('member_event').select('what').where('member_id', '=', member_id).execute()).length
  await recordMembershipEvent(site.db, member_id, 'canceled', site.world.now())
  const count = await events()
  expect(count).toBeGreaterThan(2)
  site.advance(729 * 86_400)
  await deleteExpired(site.world)
  expect(await events()).toBe(count)
  site.advance(2 * 86_400)
  await deleteExpired(site.world)
  expect(await events()).toBe(1)
})

it('19.81 an erasure blanks no row of another person, whatever the erased person was called', async () => {
  const owner = await staffMember(site, 'owner')
  await memberInOffice(site, { username: 'auditedother' })
  const person = { username: 'cleaner', first_name: 'kickback to', last_name: 'cousin', email: 'ana@x.example' }
  await memberInOffice(site, person)
  const other_id = await idOf('auditedother')
  const reasons = {
    cancel: 'a kickback to cousin',
    resume: 'wrote from diana@x.example.org',
    hold: 'wrote from ana@x.example.',
  }
  for (const [action, reason] of Object.entries(reasons))
    expect((await owner.post(`members/${action}`, { member_id: other_id, reason })).statusCode, action).toBe(200)
  while (await runJobs(site.world));
  const cleaner_id = await idOf('cleaner')
  const held = (
    await site.db.selectFrom('audit').select('position').where('subject', '=', other_id).orderBy('position').execute()
  ).map(({ position }) => Number(position))
  const reply = await owner.post('members/erase', { member_id: cleaner_id, username: 'cleaner', reason: 'asked' })
  expect(reply.statusCode, reply.body).toBe(200)
  const rows = await site.db.selectFrom('audit').selectAll().where('position', 'in', held).orderBy('position').execute()
  expect(rows.filter(({ details }) => details === null).map(({ position }) => Number(position))).toEqual(held.slice(2))
  expect(rows.find(({ position }) => Number(position) === held[0])?.details).toContain('kickback to cousin')
  expect((await verifyAudit(site.world)).problem).toBe(undefined)
  await site.db
    .updateTable('audit')
    .set({ details: null, details_salt: null })
    .where('position', '=', held[0] ?? 0)
    .execute()
  expect((await verifyAudit(site.world)).problem).toBe(`The details of row ${held[0]} were removed.`)
})

it('19.81 an erasure that blanks the row of an earlier one keeps the list of what that one blanked', async () => {
  const owner = await staffMember(site, 'owner')
  const emails = { erasedfirst: 'first@chain.test', erasednext: 'next@chain.test', erasedlast: 'last@chain.test' }
  for (const [username, email] of Object.entries(emails)) await memberInOffice(site, { username, email })
  const erase = async (username: string, reason: string) => {
    const reply = await owner.post('members/erase', { member_id: await idOf(username), username, reason })
    expect(reply.statusCode, reply.body).toBe(200)
    return (await verifyAudit(site.world)).problem
  }
  while (await runJobs(site.world));
  await emptyLogs(site)
  await owner.post('members/hold', { member_id: await idOf('erasedfirst'), reason: 'asked by phone' })
  expect(await erase('erasedfirst', `for his widow, ${emails.erasednext}`)).toBe(undefined)
  expect(await erase('erasednext', `for the heir, ${emails.erasedlast}`)).toBe(undefined)
  expect(await erase('erasedlast', 'asked in writing')).toBe(undefined)
  expect(await find(Object.values(emails))).toEqual({})
})
