import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandLine, recordAction, rememberedSeals, rememberSeal, verifyAudit } from '#server/audit/audit.ts'
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

const act = (subject: string, process = world) =>
  inTransaction(site.db, (db) =>
    recordAction({ ...process, db }, { act: 'end_sessions', actor: commandLine, subject_kind: 'member', subject }),
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
const warnings = () => emailsTo(site, owner.email, 'A log may have been changed in the database')
const reports = async () =>
  (await site.db.selectFrom('audit').select('position').where('act', '=', 'report_tampering').execute())
    .map(({ position }) => ({ position: Number(position) }))
    .sort((a, b) => a.position - b.position) as [{ position: number }, { position: number }]
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

  it('22.4 an event is sealed by the next run, a counted one two minutes later', async () => {
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
    expect(await problemFor(world)).toBe(`The log ends before row ${position}, which the seal is for.`)
    for (const subject of ['c', 'd']) await act(subject)
    await witnessLogs(world)
    const sentence = `Row ${position} of the audit log was removed or replaced.`
    expect(await problemFor(newProcess())).toContain(sentence)
    const [email] = await warnings()
    expect(email?.body).toContain(sentence)
  })

  it('19.83 a failover that loses rows is one email, however many processes notice', async () => {
    const processes = [world, newProcess(), newProcess()]
    for (const process of processes) await act(`lost ${processes.indexOf(process)}`, process)
    for (const process of processes) await recordEvent(process, { kind: 'sign_in' })
    for (const _ of processes) await cutEnd()
    await deleteEvent('sign_in')
    await act('written since', newProcess())
    await Promise.all(processes.map((process) => witnessLogs(process)))
    expect(await warnings()).toHaveLength(1)
    expect((await reports()).length).toBeGreaterThan(3)
    site.advance(601)
    await act('lost later')
    await cutEnd()
    await witnessLogs(world)
    expect(await warnings()).toHaveLength(2)
  })

  it('19.83 the email about a report is queued with it, so that a process killed right after has told the owners', async () => {
    await act('b')
    await cutEnd()
    const killed = () => {
      throw new Error('killed')
    }
    const log = Object.assign(Object.create(world.log), { error: killed })
    await expect(witnessLogs({ ...world, log })).rejects.toThrow('killed')
    expect([(await reports()).length, (await warnings()).length]).toEqual([1, 1])
  })

  it('19.83 compares as many rows as were written, and then forgets them', async () => {
    const COUNT = 70_000 // more than PostgreSQL has parameters for
    for (let position = 2; position <= COUNT; position++) rememberSeal(world.keys, { position, hash: 'lost' })
    await witnessLogs(world)
    expect(await problemFor(newProcess())).toContain('Row 2 of the audit log was removed or replaced.')
    expect(rememberedSeals(world.keys)).toHaveLength(1)
  })
})

describe('19.85 an owner acknowledges a report', () => {
  const cutOnce = async (process = newProcess()) => {
    await act('lost', process)
    const position = await cutEnd()
    await act('next', newProcess())
    await witnessLogs(process)
    return `Row ${position} of the audit log was removed or replaced.`
  }
  const acknowledge = (staff: TestStaff, position: unknown, reason = 'A failover lost the newest rows.') =>
    staff.post('audit/acknowledge', { position: String(position), reason })

  it('19.85 with a reason and a fresh proof; only what is reported later counts then', async () => {
    const verify = async () => (await owner.post('audit/verify')).json()
    const first = await cutOnce()
    await cutOnce()
    const found = await verify()
    const [{ position }, last] = await reports()
    expect(found).toMatchObject({
      problem: `${first} See row ${position}. There are 2 reports, the last one in row ${last.position}.`,
      open_report: last.position,
    })
    expect((await acknowledge(owner, found.open_report, '')).json().fields).toEqual({ reason: ['Please say why.'] })
    const reply = await acknowledge(owner, found.open_report)
    expect(reply.json().problem, reply.body).toBe(undefined)
    expect((await verify()).problem).toBe(undefined)
    const row = await site.db.selectFrom('audit').selectAll().where('act', '=', 'acknowledge_tampering').execute()
    expect(row).toMatchObject([{ staff_id: owner.id, subject: String(last.position) }])
    expect((await acknowledge(owner, found.open_report)).statusCode).toBe(409)

    const later = await cutOnce()
    const newest = (await reports()).slice(-1)[0]
    expect(await verify()).toMatchObject({ problem: `${later} See row ${newest?.position}.` })
    expect(await problemFor(newProcess())).toContain(later)
  })

  it('19.85 and no one else, no row that is not a report, and not without a fresh proof', async () => {
    await cutOnce()
    const [report] = await reports()
    const manager = await staffMember(site, 'manager')
    expect((await acknowledge(manager, report.position)).statusCode).toBe(403)
    const refusal = await acknowledge(owner, 1)
    expect([refusal.statusCode, refusal.json().message]).toEqual([409, 'Row 1 is not a report.'])
    site.advance(601)
    expect((await acknowledge(owner, report.position)).statusCode).toBe(428)
    expect(await problemFor(newProcess())).toContain(`See row ${report.position}.`)
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
    expect(await problemFor(newProcess(), seal)).toMatch(/^The log ends before row \d+, which the seal is for\.$/)
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
