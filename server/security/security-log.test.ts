import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordDecline } from '#server/abuse/breaker.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import { keepSecurityLog } from '#server/audit/security-seals.ts'
import { reportTampering } from '#server/audit/tampering.ts'
import { inTransaction } from '#server/db/db.ts'
import { isPostgres } from '#server/test/database.ts'
import { emptyLogs } from '#server/test/logs.ts'
import { cookieOf, emailsTo, linkTokenIn, memberInOffice } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { type EventKind, hashNetwork, recordEvent } from './security-log.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({
    TRUST_PROXY: 'loopback',
    LIMIT_SIGN_INS: '5/900',
    SECURITY_LOG_DAYS: '30',
    BREAKER_DECLINES: '5/600/50',
  })
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyLogs(site)
  const tables = ['breaker', 'limit_count'] as const
  for (const table of tables) await site.db.deleteFrom(table).execute()
})

const events = () => site.db.selectFrom('security_event').selectAll().orderBy('at').orderBy('kind').execute()
const kindsOf = async (member_id: string) =>
  (await events()).filter((row) => row.member_id === member_id).map(({ kind }) => kind)
const memberId = async (username: string) =>
  (await site.db.selectFrom('member').select('id').where('username', '=', username).executeTakeFirstOrThrow()).id
const from = (address: string) => ({ 'x-forwarded-for': address })
const record = (kind: EventKind, more: object = {}) => recordEvent(site.world, { kind, ...more })

describe('22.1 the security log', () => {
  it('22.1 knows sign-ins, failures, resets, changes, grants and the ends of sessions, each with its member', async () => {
    const member = await memberInOffice(site)
    const id = await memberId(member.username)
    const { password } = member
    const change = (path: string, input: object, cookie = member.cookie) =>
      site.post(`office/${path}`, { current_password: password, ...input }, { cookie })
    const signIn = (word: string) => site.post('office/sign-in', { name: member.username, password: word })
    expect((await site.post('office/session', { token: member.token })).statusCode).toBe(401)
    await signIn('Wrong-1234')
    const second = cookieOf(await signIn(password))
    await change('phone', { mobile_phone: '+16265550199' })
    await change('phone', { mobile_phone: '+16265550199', current_password: 'Wrong-1234' })
    await change('email', { email: 'other-address@example.com' })
    const token = linkTokenIn((await emailsTo(site, 'other-address@example.com', 'Confirm your email address'))[0])
    expect((await site.post('office/confirm-email', { token })).statusCode).toBe(200)
    const third = cookieOf(await change('password', { password: 'Open-Sesame-77' }))
    await site.post('office/forgotten-password', { name: member.username })
    const reset = linkTokenIn((await emailsTo(site, 'other-address@example.com', 'Reset your password'))[0])
    await site.post('office/new-password', { token: reset, password: 'Open-Sesame-78' })
    const fourth = cookieOf(await site.post('office/sign-in', { name: member.username, password: 'Open-Sesame-78' }))
    await site.post('office/sign-out', {}, { cookie: fourth })
    const fifth = cookieOf(await site.post('office/sign-in', { name: member.username, password: 'Open-Sesame-78' }))
    await site.post('office/sign-out-everywhere', {}, { cookie: fifth })
    expect([second, third].every(Boolean)).toBe(true)
    expect((await kindsOf(id)).sort()).toEqual(
      [
        ...['grant_minted', 'grant_used', 'sign_in_failed', 'sign_in', 'phone_changed', 'email_changed'],
        'email_confirmed',
        ...['password_changed', 'password_reset_requested', 'password_reset', 'sign_in', 'session_ended'],
        ...['sign_in', 'sessions_ended'],
      ].sort(),
    )
    expect((await events()).filter(({ kind }) => kind === 'grant_refused')).toHaveLength(1)
  })

  it('22.1 knows limits and breakers that have tripped, and failed sign-ins of staff', async () => {
    for (let n = 0; n < 6; n++)
      await site.post('office/sign-in', { name: 'nobody', password: 'x' }, from('203.0.113.8'))
    for (let n = 0; n < 6; n++) await recordDecline(site.world, `network ${n}`)
    const owner = await staffMember(site, 'owner')
    await site.post('console/sign-in/password', { email: owner.email, password: 'Wrong-1234', code: '123456' })
    const rows = await events()
    const of = (kind: EventKind) => rows.filter((row) => row.kind === kind)
    expect(of('limit_tripped').map(({ details }) => JSON.parse(details))).toEqual([{ limit: 'LIMIT_SIGN_INS' }])
    expect(of('limit_tripped')[0]?.network).toBe(hashNetwork(site.world.keys, ['203.0.113.8']))
    expect(of('breaker_opened').map(({ details }) => JSON.parse(details).breaker)).toEqual(['declines'])
    expect(of('staff_sign_in_failed')).toHaveLength(1)
  })

  it('22.1 knows calls that a colleague’s role does not allow, and who read the audit log', async () => {
    const viewer = await staffMember(site, 'viewer')
    expect((await viewer.post('staff/remove', { id: viewer.id })).statusCode).toBe(403)
    expect((await viewer.get('audit')).statusCode).toBe(200)
    const rows = (await events()).filter(({ staff_id }) => staff_id === viewer.id)
    expect(rows.map(({ kind, details }) => [kind, JSON.parse(details)])).toEqual([
      ['audit_read', { call: 'listAudit' }],
      ['staff_refused', { call: 'removeStaff' }],
    ])
  })

  it('22.2 holds no address, name or secret', async () => {
    const { username, password } = await memberInOffice(site)
    await site.post('office/sign-in', { name: username, password: 'Wrong-9876' }, from('203.0.113.77'))
    await site.post('office/sign-in', { name: 'my-secret-word', password }, from('203.0.113.77'))
    const text = JSON.stringify(await events())
    for (const secret of ['203.0.113', username, password, 'Wrong-9876', 'my-secret-word', 'zoe'])
      expect(text).not.toContain(secret)
  })

  it('22.3 counts the failures of a minute in one row, however many come together, and loses none', async () => {
    const many = isPostgres ? 500 : 60
    const address = ['203.0.113.9'] as const
    await Promise.all(Array.from({ length: many }, () => record('sign_in_failed', { address })))
    await inTransaction(site.db, (db) => recordEvent({ ...site.world, db }, { kind: 'sign_in_failed', address }))
    expect((await events()).map(({ kind, count }) => [kind, count])).toEqual([['sign_in_failed', many + 1]])
    site.advance(61)
    await record('sign_in_failed', { address })
    expect(await events()).toHaveLength(2)
  })

  it('22.3 a flood from many networks is counted in a few hundred rows a minute', async () => {
    site.advance(61)
    const flood = Array.from({ length: 900 }, (_, n) =>
      record('sign_in_failed', { address: [`10.0.${n >> 8}.${n & 255}`] }),
    )
    await Promise.all(flood)
    const rows = await events()
    expect(rows.length).toBe(301)
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(900)
    expect(rows.find(({ count }) => count > 1)).toMatchObject({ network: null, details: '{"others":true}', count: 600 })
  })

  it('22.1 an event of a transaction is written with it, or not at all', async () => {
    const failing = inTransaction(site.db, async (db) => {
      await recordEvent({ ...site.world, db }, { kind: 'password_changed' })
      throw new Error('it failed')
    })
    await expect(failing).rejects.toThrow('it failed')
    expect(await events()).toEqual([])
  })
})

describe('22.4 the seals', () => {
  const problem = async () => (await verifyAudit(site.world)).problem
  const seal = async () => {
    site.advance(301)
    await keepSecurityLog(site.world)
    await reportTampering(site.world, async (_db, problems) => expect(problems).toEqual([]))
  }
  const member_id = '6f1c7f5e-1111-4222-8333-444455556666'
  const fill = async () => {
    for (const kind of ['sign_in', 'password_changed', 'phone_changed', 'sessions_ended'] as const) {
      await record(kind, { member_id, address: ['203.0.113.5'] })
      site.advance(1)
    }
    await seal()
  }
  const change = (position: number, values: object) =>
    site.db.updateTable('security_event').set(values).where('position', '=', position).execute()

  it('22.4 one row of the audit log seals many events, and an event is sealed once', async () => {
    await fill()
    await seal()
    await record('sign_in')
    await seal()
    const seals = await site.db
      .selectFrom('audit')
      .select(['act', 'kind', 'role', 'subject'])
      .orderBy('position')
      .execute()
    expect(seals.map(({ subject }) => subject)).toEqual(['1-4', '5-5'])
    expect(seals[0]).toMatchObject({ act: 'seal_events', kind: 'security', role: 'server' })
    expect(await verifyAudit(site.world)).toMatchObject({ rows: 2, security: { events: 5, expired: 0, unsealed: 0 } })
    expect(await problem()).toBe(undefined)
  })

  const changes = [
    ['at', { at: new Date('2020-01-01') }],
    ['kind', { kind: 'sign_in_failed' }],
    ['member', { member_id: null }],
    ['network', { network: 'x' }],
    ['details', { details: '{"a":1}' }],
    ['count', { count: 7 }],
    ['hash', { hash: 'x' }],
  ] as const
  it.each(changes)('22.4 a changed %s of an event is named', async (_what, values) => {
    await fill()
    await change(3, values)
    expect(await problem()).toBe('Event 3 was changed.')
  })

  it('22.4 a missing event is named, and so is one that was added or taken out of its seal', async () => {
    await fill()
    const row = await site.db
      .selectFrom('security_event')
      .selectAll()
      .where('position', '=', 4)
      .executeTakeFirstOrThrow()
    await site.db
      .insertInto('security_event')
      .values({ ...row, id: crypto.randomUUID(), position: 5 })
      .execute()
    expect(await problem()).toBe('Event 5 was added by hand.')
    await site.db.deleteFrom('security_event').where('position', '=', 5).execute()
    await change(4, { position: null, kind: 'sign_in' })
    expect(await problem()).toBe('Event 4 is missing.')
    await site.db.deleteFrom('security_event').where('position', '=', 2).execute()
    expect(await problem()).toBe('Event 2 is missing.')
    await site.db.deleteFrom('security_event').execute()
    expect(await problem()).toBe('Events 1 to 4 are missing.')
  })

  it('22.4 a seal whose details were removed is noticed, although details of other actions may be erased', async () => {
    await fill()
    await site.db.updateTable('audit').set({ details: null, details_salt: null }).execute()
    expect(await problem()).toBe('The details of row 1 were removed.')
  })

  it('22.4 several processes seal every event once', async () => {
    for (let n = 0; n < 20; n++) await record('sign_in')
    site.advance(301)
    await Promise.all(Array.from({ length: 4 }, () => keepSecurityLog(site.world)))
    expect(await verifyAudit(site.world)).toMatchObject({ rows: 1, security: { events: 20 } })
  })

  it('22.5 old events are deleted by whole seals, the log says so, and what is left can still be checked', async () => {
    await fill()
    site.advance(20 * 86_400)
    await record('sign_in')
    await seal()
    site.advance(12 * 86_400)
    await keepSecurityLog(site.world)
    expect(await verifyAudit(site.world)).toMatchObject({ rows: 3, security: { events: 1, expired: 4 } })
    expect(await problem()).toBe(undefined)
    await record('sign_in')
    await seal()
    expect(await verifyAudit(site.world)).toMatchObject({ rows: 4, security: { events: 2, expired: 4 } })
    site.advance(40 * 86_400)
    await keepSecurityLog(site.world)
    await record('sign_in')
    await seal()
    expect(await verifyAudit(site.world)).toMatchObject({ security: { events: 1, expired: 6 } })
    expect(await problem()).toBe(undefined)
    await site.db.deleteFrom('security_event').execute()
    expect(await problem()).toBe('Events 7 to 7 are missing.')
  })

  it('22.6 the console lists actions without the seals, and a member’s events in the timeline', async () => {
    const owner = await staffMember(site, 'owner')
    const { username } = await memberInOffice(site)
    const id = await memberId(username)
    for (let n = 0; n < 3; n++) await site.post('office/sign-in', { name: username, password: 'Wrong-1234' })
    await seal()
    const { rows } = (await owner.get('audit')).json()
    expect(rows.map(({ act }: { act: string }) => act)).not.toContain('seal_events')
    const { timeline } = (await owner.get(`members/${id}`)).json()
    expect(timeline).toContainEqual(expect.objectContaining({ what: 'Wrong password', detail: '3 times', tone: 'bad' }))
    expect(timeline.filter(({ what }: { what: string }) => what.startsWith('Signed in'))).toHaveLength(1)
  })
})
