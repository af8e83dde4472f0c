import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandLine, recordAction, verifyAudit } from '#server/audit/audit.ts'
import { inTransaction } from '#server/db/db.ts'
import { isPostgres } from '#server/test/database.ts'
import { emptyLogs } from '#server/test/logs.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const add = (subject: string) =>
  inTransaction(site.db, (db) =>
    recordAction(
      { ...site.world, db },
      {
        act: 'end_sessions',
        actor: commandLine,
        subject_kind: 'member',
        subject,
        after: { state: 'x' },
        reason: 'why',
      },
    ),
  )

beforeEach(async () => {
  await emptyLogs(site)
  for (const subject of ['a', 'b', 'c', 'd']) await add(subject)
})

const problem = async (seal?: string) => (await verifyAudit(site.world, seal)).problem
/** What a process finds that has seen nothing before, like the command line. */
const problemLater = async (seal?: string) =>
  (await verifyAudit({ ...site.world, keys: { ...site.world.keys } }, seal)).problem

describe('the audit log', () => {
  it('19.80 is a chain without gaps', async () => {
    const { rows, seal } = await verifyAudit(site.world)
    expect([rows, seal.split('.')[0], await problem()]).toEqual([4, '4', undefined])
    expect(site.log()).toContain(seal.split('.')[1]) // the log of the process is a second witness
  })

  const changes = [
    ['at', new Date('2020-01-01')],
    ['act', 'sign_in'],
    ['role', 'owner'],
    ['subject', 'x'],
    ['details', '{"after":{"state":"x"},"reason":"another"}'],
    ['details_hash', 'x'],
    ['hash', 'x'],
  ] as const
  it.each(changes)('19.80 shows that %s was changed', async (column, value) => {
    await site.db
      .updateTable('audit')
      .set({ [column]: value })
      .where('position', '=', 2)
      .execute()
    expect(await problem()).toBe('Row 2 was changed.')
  })

  it('19.80 shows that a row is missing, at the start, in the middle and at the end', async () => {
    const found = []
    for (const position of [4, 2, 1]) {
      await site.db.deleteFrom('audit').where('position', '=', position).execute()
      found.push(await problem())
    }
    expect(found).toEqual(['Row 4 is missing, and so are all rows after it.', 'Row 2 is missing.', 'Row 1 is missing.'])
  })

  it('19.80 shows that a row was added by hand', async () => {
    const row = await site.db.selectFrom('audit').selectAll().where('position', '=', 4).executeTakeFirstOrThrow()
    await site.db
      .insertInto('audit')
      .values({ ...row, position: 5 })
      .execute()
    expect(await problem()).toBe('There are rows after row 4, which is the last.')
  })

  it('19.80 shows with an earlier seal that its end was cut off', async () => {
    const { seal } = await verifyAudit(site.world)
    const third = await site.db.selectFrom('audit').select('hash').where('position', '=', 3).executeTakeFirstOrThrow()
    await site.db.deleteFrom('audit').where('position', '=', 4).execute()
    await site.db.updateTable('audit_head').set({ position: 3, hash: third.hash }).execute()
    expect([await problemLater(), await problemLater(seal)]).toEqual([
      undefined,
      'The log ends before row 4, which the seal is for.',
    ])
    await add('another')
    expect(await problemLater(seal)).toBe('Row 4 is not the one that the seal was made of.')
  })

  it('19.81 details that were removed are noticed, unless a later erasure names their row', async () => {
    await site.db.updateTable('audit').set({ details: null, details_salt: null }).where('subject', '=', 'b').execute()
    expect(await problem()).toMatch(/^The details of row \d+ were removed\.$/)
    const blanks = await site.db.selectFrom('audit').select('position').where('details', 'is', null).execute()
    const erase = (erased_rows: string) =>
      inTransaction(site.db, (db) =>
        recordAction(
          { ...site.world, db },
          {
            ...{ act: 'erase_person', actor: commandLine, subject_kind: 'member', subject: 'b', reason: 'asked' },
            after: { erased_rows },
          },
        ),
      )
    await erase('')
    expect(await problem()).toMatch(/^The details of row \d+ were removed\.$/)
    await erase(blanks.map(({ position }) => position).join(','))
    expect(await problem()).toBe(undefined)
  })

  it('19.80 is one chain however many actions are written at once, and an act that fails leaves no row', async () => {
    const many = Array.from({ length: isPostgres ? 60 : 10 }, (_, n) => `m${n}`)
    const failing = inTransaction(site.db, async (db) => {
      await recordAction(
        { ...site.world, db },
        { act: 'end_sessions', actor: commandLine, subject_kind: 'member', subject: 'z' },
      )
      throw new Error('the act failed')
    })
    await Promise.all([...many.map(add), expect(failing).rejects.toThrow('the act failed')])
    const { rows } = await verifyAudit(site.world)
    expect([rows, await problem()]).toEqual([4 + many.length, undefined])
    expect(await site.db.selectFrom('audit').select('position').where('subject', '=', 'z').execute()).toEqual([])
  })

  it('19.82 takes no act about money without a reason, and none outside a transaction', async () => {
    const entry = { act: 'refund_payment', actor: commandLine, subject_kind: 'member', subject: 'a' } as const
    await expect(inTransaction(site.db, (db) => recordAction({ ...site.world, db }, entry))).rejects.toThrow(
      'needs a reason',
    )
    await expect(recordAction(site.world, { ...entry, reason: 'why' })).rejects.toThrow('one transaction')
  })

  it('19.80 can be read and checked in the console', async () => {
    const owner = await staffMember(site, 'owner')
    const { rows } = (await owner.get('audit')).json()
    expect(rows[0]).toMatchObject({ act: 'accept_invitation', kind: 'security', who: owner.name, role: 'owner' })
    expect(rows.at(-1)).toMatchObject({ subject: 'a', reason: 'why', after: { state: 'x' }, who: 'Command line' })
    expect((await owner.post('audit/verify')).json()).toMatchObject({ rows: 6 })
    await site.db.updateTable('audit').set({ subject: 'x' }).where('position', '=', 3).execute()
    expect((await owner.post('audit/verify')).json().problem).toBe('Row 3 was changed.')
  })
})

it('19.86 the log is searched by colleague, action, member and day, and exported with a fresh proof', async () => {
  const own = await testSite({ TIME_ZONE: 'UTC' })
  const manager = await staffMember(own, 'manager')
  const { username } = await joinedMember(own)
  const { id } = await own.db.selectFrom('member').select('id').executeTakeFirstOrThrow()
  await manager.post('members/hold', { member_id: id, reason: 'asked by phone' })
  await manager.post('members/release', { member_id: id, reason: 'asked again' })
  await manager.post('abuse/pause', { message: 'Soon.', hours: '1' })
  const acts = async (filter: Record<string, string>) => {
    const { rows } = (await manager.get(`audit?${new URLSearchParams(filter)}`)).json()
    return rows.map(({ act }: { act: string }) => act)
  }
  expect(await acts({ action: 'hold_membership' })).toEqual(['hold_membership'])
  for (const member of [username, `/${username}`, `https://foyer.example/${username}`, id])
    expect(await acts({ member })).toEqual(['release_membership', 'hold_membership'])
  expect(await acts({ member: 'nobody' })).toEqual([])
  expect(await acts({ day: '2026-11-15', action: 'pause_joining' })).toEqual(['pause_joining'])
  expect(await acts({ day: '2026-11-14' })).toEqual([])
  const owner = await staffMember(own, 'owner')
  expect(await acts({ staff: owner.id })).toEqual(['accept_invitation'])
  const file = await manager.get(`audit.csv?${new URLSearchParams({ member: username })}`)
  expect(file.headers['content-disposition']).toContain('audit-2026-11-15.csv')
  expect(file.body.trim().split('\r\n')).toHaveLength(3)
  expect(file.body).toContain('asked by phone')
  expect((await acts({}))[0]).toBe('export_audit')
  await own.close()
})
