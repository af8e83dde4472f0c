import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandLine, recordAction, verifyAudit } from '#server/audit/audit.ts'
import { keepSecurityLog } from '#server/audit/security-seals.ts'
import { inTransaction } from '#server/db/db.ts'
import { recordEvent } from '#server/security/security-log.ts'
import { emptyLogs } from '#server/test/logs.ts'
import { emailsTo } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { witnessLogs } from './witness.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

/** Processes share the database, but not what they remember. */
const newProcess = () => ({ ...site.world, keys: { ...site.world.keys } })
let world: ReturnType<typeof newProcess>
beforeEach(async () => {
  await emptyLogs(site)
  await site.db.updateTable('staff').set({ removed_at: site.world.now() }).execute()
  owner = await staffMember(site, 'owner')
  world = newProcess()
  await act('a')
})

const act = (subject: string) =>
  inTransaction(site.db, (db) =>
    recordAction({ ...world, db }, { act: 'end_sessions', actor: commandLine, subject_kind: 'member', subject }),
  )
const record = (kind: 'sign_in' | 'password_changed' | 'sign_in_failed') => recordEvent(world, { kind })
const problemFor = async (process: typeof world, seal?: string) => (await verifyAudit(process, seal)).problem

/** As someone would who can write to the database, and knows the source but no key. */
async function cutEnd() {
  const last = await site.db
    .selectFrom('audit')
    .select('position')
    .orderBy('position', 'desc')
    .executeTakeFirstOrThrow()
  await site.db.deleteFrom('audit').where('position', '=', last.position).execute()
  const end = await site.db.selectFrom('audit').selectAll().orderBy('position', 'desc').executeTakeFirstOrThrow()
  await site.db.updateTable('audit_head').set({ position: end.position, hash: end.hash }).execute()
  return Number(last.position)
}
const deleteEvent = (kind: string) => site.db.deleteFrom('security_event').where('kind', '=', kind).execute()

describe('22.8 a process remembers what it wrote', () => {
  it.each([['deleted'], ['changed']])('22.8 an event that was %s before its seal is named', async (how) => {
    await record('sign_in')
    await record('password_changed')
    const at = world.now().toISOString()
    if (how === 'deleted') await deleteEvent('sign_in')
    else
      await site.db.updateTable('security_event').set({ member_id: owner.id }).where('kind', '=', 'sign_in').execute()
    const sentence = `The event sign_in of ${at} was ${how} before it was sealed.`
    expect(await problemFor(world)).toBe(sentence)
    expect(await problemFor(newProcess())).toBe(undefined)
    await witnessLogs(world)
    expect(await problemFor(newProcess())).toMatch(sentence) // now every process knows, and the command line
    expect(site.log()).toContain(sentence)
    await witnessLogs(world)
    expect(await site.db.selectFrom('audit').where('act', '=', 'report_tampering').selectAll().execute()).toHaveLength(
      1,
    )
  })

  it('22.8 a lower count of failures is noticed, a higher one is ordinary', async () => {
    await record('sign_in_failed')
    await record('sign_in_failed')
    await recordEvent(newProcess(), { kind: 'sign_in_failed' })
    expect(await problemFor(world)).toBe(undefined)
    await site.db.updateTable('security_event').set({ count: 1 }).execute()
    expect(await problemFor(world)).toContain('The event sign_in_failed of')
  })

  it('22.8 an event that was rolled back is not missed, and a sealed one is left to its seal', async () => {
    const failing = inTransaction(site.db, async (db) => {
      await recordEvent({ ...world, db }, { kind: 'password_changed' })
      throw new Error('it failed')
    })
    await expect(failing).rejects.toThrow('it failed')
    await inTransaction(site.db, (db) => recordEvent({ ...world, db }, { kind: 'sign_in' }))
    expect(await problemFor(world)).toBe(undefined)
    await keepSecurityLog(world)
    await witnessLogs(world)
    await deleteEvent('sign_in')
    expect(await problemFor(world)).toBe('Events 1 to 1 are missing.')
  })

  it('22.8 an event is sealed by the next run, a counted one two minutes later', async () => {
    await record('sign_in')
    await record('sign_in_failed')
    await keepSecurityLog(world)
    expect(await verifyAudit(world)).toMatchObject({ security: { events: 1, unsealed: 1 } })
    site.advance(121)
    await keepSecurityLog(world)
    expect(await verifyAudit(world)).toMatchObject({ security: { events: 2, unsealed: 0 } })
  })

  it('19.83 an end that was cut off is found without a seal, even if others have written since', async () => {
    await act('b')
    const position = await cutEnd()
    expect(await problemFor(world)).toBe(`The log ends before row ${position}, which the seal was made of.`)
    for (const subject of ['c', 'd']) await act(subject)
    await witnessLogs(world)
    const sentence = `Row ${position} of the audit log was removed or replaced.`
    expect(await problemFor(newProcess())).toContain(sentence)
    const [email] = await emailsTo(site, owner.email, 'A log was changed in the database')
    expect(email?.body).toContain(sentence)
  })
})

describe('19.83 the seal goes out', () => {
  const sealIn = (text = '') => /audit (\d+\.[\w-]+)/.exec(text)?.[1]
  const seals = () => emailsTo(site, owner.email, 'Seal of the audit log')

  it('19.83 by email after a day with actions, once, and a cut end shows with it', async () => {
    await witnessLogs(world)
    expect(await seals()).toEqual([])
    site.advance(86_400)
    await Promise.all([world, newProcess(), newProcess()].map((process) => witnessLogs(process)))
    const [email, ...more] = await seals()
    expect(more).toEqual([])
    const seal = sealIn(email?.body)
    expect(await problemFor(newProcess(), seal)).toBe(undefined)
    await cutEnd()
    expect(await problemFor(newProcess())).toBe(undefined) // nothing in the database tells
    expect(await problemFor(newProcess(), seal)).toMatch(/^The log ends before row \d+, which the seal was made of\.$/)
  })

  it('19.83 on days without actions only on Monday, and only if something was sealed', async () => {
    const noon = site.world.now().getTime()
    const days: string[] = []
    for (let day = 0; day < 16; day++) {
      site.advance(86_400)
      if (day === 3) await record('sign_in')
      await keepSecurityLog(world)
      const before = (await seals()).length
      await witnessLogs(world)
      if ((await seals()).length > before) days.push(site.world.now().toUTCString().slice(0, 3))
    }
    expect(noon).toBeLessThan(site.world.now().getTime())
    expect(days).toEqual(['Tue', 'Mon'])
  })

  it('19.83 to the log of the process with every row and once a day', async () => {
    await act('logged')
    const { seal } = await verifyAudit(world)
    expect(site.log().match(new RegExp(seal, 'g'))).toHaveLength(1)
    await witnessLogs(world)
    await witnessLogs(world)
    expect(site.log().match(new RegExp(seal, 'g'))).toHaveLength(2)
    site.advance(86_400)
    await witnessLogs(world)
    expect(site.log().match(new RegExp(seal, 'g'))).toHaveLength(3)
  })

  it('19.83 not for a row that was rolled back', async () => {
    const before = site.log().length
    const failing = inTransaction(site.db, async (db) => {
      await recordAction(
        { ...world, db },
        { act: 'end_sessions', actor: commandLine, subject_kind: 'member', subject: 'x' },
      )
      throw new Error('it failed')
    })
    await expect(failing).rejects.toThrow('it failed')
    expect(site.log().slice(before)).not.toContain('seal')
    expect(await problemFor(world)).toBe(undefined)
  })
})
