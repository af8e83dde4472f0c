import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importColumns } from '#contract/console/import.ts'
import { commandLine } from '#server/audit/audit.ts'
import { readText } from '#server/connect/import/csv.ts'
import {
  addLines,
  beginImport,
  continueImport,
  lineContext,
  listProblems,
  startChecking,
  startWriting,
} from '#server/connect/import/import.ts'
import { lockImport } from '#server/connect/import/write.ts'
import { inTransaction } from '#server/db/db.ts'
import { claimName } from '#server/members/claims.ts'
import { setEmail } from '#server/members/details.ts'
import { cancel } from '#server/membership/cancellation.ts'
import { viewOffice } from '#server/office/view.ts'
import { isPostgres } from '#server/test/database.ts'
import { allRows } from '#server/test/database-rows.ts'
import { cookieOf, emailsTo, joinedMember, linkTokenIn } from '#server/test/member.ts'
import { pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { importMembers } from './import.ts'
import { creditRecord } from './listings.ts'

let site: Site
let owner: TestStaff
let vault_reference: string
const file = join(tmpdir(), `foyer-import-${process.pid}.csv`)
beforeAll(async () => {
  site = await testSite()
  owner = await staffMember(site, 'owner')
  await joinedMember(site, { username: 'first', email: 'first@example.com', cc_year: '2035' })
  const membership = await site.db.selectFrom('membership').select('vault_reference').executeTakeFirstOrThrow()
  vault_reference = membership.vault_reference
})
afterAll(async () => {
  await site.close()
  await rm(file, { force: true })
})

type Row = Record<string, string>
const columns = [
  ...['username', 'first_name', 'last_name', 'email', 'sponsor', 'joined_on', 'membership', 'renews_on', 'price'],
  ...['vault_reference', 'card_brand', 'card_last_four', 'card_expires', 'external_id', 'address'],
]
const row = (username: string, changes: Row = {}): Row => ({
  username,
  first_name: 'Mara',
  last_name: 'Berg',
  email: `${username}@example.com`,
  joined_on: '2024-01-31',
  renews_on: '2026-11-20',
  price: '79.00',
  vault_reference,
  card_brand: 'visa',
  card_last_four: '4242',
  card_expires: '2035-07',
  ...changes,
})
const quoted = (text = '') => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const csv = (rows: Row[]) =>
  [columns, ...rows.map((each) => columns.map((name) => each[name]))]
    .map((line) => line.map(quoted).join(','))
    .join('\n')

const importing = async (text: string, options: Partial<Parameters<typeof importMembers>[2]> = {}) => {
  await writeFile(file, text)
  return importMembers(site.world, file, { isDryRun: false, isInviting: false, connection: 'old', ...options })
}
const failure = (text: string, options = {}) =>
  importing(text, options).then(
    (message) => `no error: ${message}`,
    (error: Error) => error.message,
  )
/** Reads a file and doesn't check it yet. Returns its id. */
async function stage(rows: Row[]) {
  const id = await beginImport(site.world, 'old')
  const [header, ...records] = readText(csv(rows))
  const piece = { header: header?.cells ?? [], records, piece: 0 }
  for (let sent = 0; sent < 2; sent++) await addLines(site.world, id, piece, await lineContext(site.world)) // the browser repeats it
  return id
}
/** Checks a file and begins to write it. */
async function beginWriting(rows: Row[]) {
  const id = await stage(rows)
  await startChecking(site.world, id, commandLine)
  while (await continueImport(site.world, id));
  await startWriting(site.world, id, { is_inviting: false, actor: commandLine })
  return id
}
const memberNamed = (username: string) =>
  site.db
    .selectFrom('member')
    .innerJoin('membership', 'membership.member_id', 'member.id')
    .selectAll('membership')
    .select(['member.id', 'sponsor_id', 'ends_at', 'cancelled_at', 'enrollment_id'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
const chargesOf = async (username: string) =>
  site.db
    .selectFrom('payment')
    .select(['amount_cents', 'state', 'period', 'attempt'])
    .where('enrollment_id', '=', (await memberNamed(username)).enrollment_id)
    .orderBy('attempt')
    .execute()

describe('a file', () => {
  it('30.1 30.3 with a bad line is not imported: each is named, over the whole file and against the members here', async () => {
    const before = await allRows(site.db)
    const message = await failure(
      csv([
        row('below', { sponsor: 'above' }),
        row('above', { email: 'Below@example.com' }),
        row('first', { email: 'other@example.com' }),
        row('ana', { email: 'other2@example.com' }),
        row('twin', { email: 'FIRST@example.com' }),
        row('below', { email: 'b2@example.com', external_id: '7' }),
        row('lost', { sponsor: 'nobody', external_id: '7' }),
        row('ring1', { sponsor: 'ring2' }),
        row('ring2', { sponsor: 'ring3' }),
        row('ring3', { sponsor: 'ring1' }),
        row('bad', { joined_on: 'yesterday', price: 'free', address: 'Secret Lane 1' }),
      ]),
    )
    expect(message.split('\n')).toEqual([
      '12 problems. These lines were not imported:',
      '  line 3, email: is the same as on line 2.',
      '  line 4, username: is taken by another member or site.',
      '  line 5, username: is taken by another member or site.',
      '  line 6, email: belongs to another member.',
      '  line 7, username: is the same as on line 2.',
      '  line 8, external_id: is the same as on line 7.',
      '  line 8, sponsor: is not in the file, and no member or site here has this name.',
      '  line 9, sponsor: leads in a circle: the chain of sponsors above never ends.',
      '  line 10, sponsor: leads in a circle: the chain of sponsors above never ends.',
      '  line 11, sponsor: leads in a circle: the chain of sponsors above never ends.',
      '  line 12, joined_on: must be a day such as 2024-01-31.',
      '  line 12, price: must have two decimals, such as 99.00.',
    ])
    expect(await allRows(site.db)).toEqual(before)
  })

  it('30.2 with a card number anywhere is refused, and the number is nowhere: not in the rows being checked, not in the log', async () => {
    const number = '4111111111111111'
    const lines = [
      row('pan', { address: `my card ${number}` }),
      row('pan2', { vault_reference: '4111 1111 1111 1111' }),
    ]
    await stage(lines)
    const rows = JSON.stringify(await allRows(site.db))
    expect(rows).toContain('looks like a card number')
    expect(rows.replaceAll(' ', '')).not.toContain(number)
    const message = await failure(csv(lines))
    expect(message).toContain('line 2, address: looks like a card number')
    expect(message).toContain('line 3, vault_reference: looks like a card number')
    expect((message + site.log()).replaceAll(' ', '')).not.toContain(number)
  })

  it('30.4 that isn’t CSV gets its own message', async () => {
    expect(await failure('PK\u0003\u0004')).toMatch(/^This is a spreadsheet/)
    await writeFile(file, Buffer.from('\uFEFFusername', 'utf16le'))
    expect(
      await importMembers(site.world, file, { isDryRun: true, isInviting: false, connection: 'old' }).catch(String),
    ).toMatch(/UTF-16/)
    expect(await failure('')).toMatch(/is empty/)
  })

  it('30.1 a dry run says what would happen, and writes nothing', async () => {
    const before = await allRows(site.db)
    expect(await importing(csv([row('dry')]), { isDryRun: true })).toBe(
      'No problems found. 1 member to import. Nothing was written.',
    )
    expect(await allRows(site.db)).toEqual(before)
  })
})

it('30.1 the sample of the guide is fine, and the guide has every column', async () => {
  const sample = await readFile('docs/samples/members.csv', 'utf8')
  expect(await importing(sample, { isDryRun: true })).toBe(
    'No problems found. 4 members to import. Nothing was written.',
  )
  const guide = await readFile('docs/guides/import.md', 'utf8')
  for (const column of Object.keys(importColumns)) expect(guide).toContain(`\`${column}\``)
})

it('30.14 the name of the other system has the form that the API and engines ask for', async () => {
  const text = csv([row('misnamed')])
  for (const connection of ['', 'Exigo', 'exigo:us'])
    await expect(importing(text, { connection })).rejects.toThrow('Please use up to 30 lowercase letters')
})

describe('imported members', () => {
  const everyone = () =>
    csv([
      row('leaf', { sponsor: 'branch', external_id: 'x-1' }),
      row('branch', { sponsor: 'Ana', renews_on: '2026-11-17' }),
      row('monthend', { renews_on: '2026-11-30' }),
      row('missed', { renews_on: '2026-08-20' }),
      row('leaving', { membership: 'canceled', renews_on: '2026-11-18' }),
      row('left', { membership: 'ended', renews_on: '2026-02-01' }),
      row('late', { membership: 'past_due', renews_on: '2026-11-18' }),
      row('free', {
        price: '0.00',
        renews_on: '',
        vault_reference: '',
        card_brand: '',
        card_last_four: '',
        card_expires: '',
      }),
    ])

  it('30.5 a second run of the same file changes no row', async () => {
    expect(await importing(everyone())).toBe('Imported 8 members.')
    const before = await allRows(site.db)
    site.advance(60)
    expect(await importing(everyone(), { isInviting: true })).toBe(
      'There is nothing to import. 8 members in the file are already here.',
    )
    expect(await allRows(site.db)).toEqual(before)
    expect(await emailsTo(site, 'leaf@example.com')).toEqual([]) // 30.8
  })

  it('30.11 have a sponsor, a link and a record of both, and office and console show them', async () => {
    const leaf = await memberNamed('leaf')
    expect((await site.get('/api/enrollment/get-enrollment-sponsor?site=leaf')).statusCode).toBeLessThan(500)
    expect((await creditRecord(site.db, 'leaf'))?.isIntact).toBe(true)
    const page = (await owner.get(`members/${leaf.id}`)).json()
    expect(page.sponsor.site).toBe('branch')
    expect(page.credit.problem).toBeUndefined()
    expect(page.membership).toMatchObject({ state: 'active', price: '79.00', next_charge_on: '2026-11-20' })
    const view = await viewOffice(site.world, leaf.id)
    expect(view.receipt).toBeUndefined()
    expect(view.membership).toMatchObject({ price: '79.00', renews_on: '2026-11-20', card: { last_four: '4242' } })
    expect((await owner.get('members?search=leaf')).json().members).toHaveLength(1)
    const signIn = await site.post('office/sign-in', { name: 'leaf', password: 'Whatever1!' })
    expect(signIn.statusCode).toBe(401)
  })

  it('30.10 are told to other systems', async () => {
    const { id } = await memberNamed('left')
    const events = await site.db
      .selectFrom('new_event')
      .select(['type', 'payload'])
      .where('member_id', '=', id)
      .orderBy('written')
      .execute()
    expect(events.map(({ type }) => type)).toEqual(['member.joined', 'membership.ended'])
    expect(events[0]?.payload).toMatchObject({ imported: true, amount: '0.00', product_ids: [34] })
    const waived = await site.db
      .selectFrom('new_event')
      .select('payload')
      .where('member_id', '=', (await memberNamed('late')).id)
      .where('type', '=', 'renewal.waived')
      .execute()
    const period = { period: 0, starts_on: '2026-10-18', ends_on: '2026-11-18', state: 'active' }
    expect(waived).toEqual([{ payload: period }])
  })

  it('30.6 30.7 renew on their day at their price, once: not early, and not for months that were missed', async () => {
    await work(site.world)
    expect(await chargesOf('missed')).toEqual([])
    await pass(site, 2)
    expect(await chargesOf('branch')).toEqual([{ amount_cents: 7900, state: 'captured', period: 1, attempt: 1 }])
    expect(await chargesOf('leaf')).toEqual([])
    await pass(site, 3)
    for (const username of ['leaf', 'missed'])
      expect(await chargesOf(username)).toMatchObject([{ amount_cents: 7900, state: 'captured', period: 1 }])
    expect(await chargesOf('late')).toMatchObject([{ state: 'captured', period: 1 }])
    for (const username of ['leaving', 'left', 'free', 'monthend']) expect(await chargesOf(username)).toEqual([])
    expect((await memberNamed('leaving')).state).toBe('ended')
    expect((await memberNamed('left')).state).toBe('ended')
    await pass(site, 10)
    expect(await chargesOf('monthend')).toHaveLength(1)
    expect(await chargesOf('leaf')).toHaveLength(1)
    await pass(site, 31)
    expect(await chargesOf('monthend')).toHaveLength(2) // on December 31, not 30
    expect(await chargesOf('leaf')).toHaveLength(2)
    await cancel(site.world, (await memberNamed('leaf')).id)
  })
})

describe('an import that is interrupted', () => {
  it('30.5 is finished by the next run, without duplicates', async () => {
    const rows = Array.from({ length: 12 }, (_, n) =>
      row(`kin${n}`, { sponsor: n ? `kin${n - 1}` : '', renews_on: '2027-06-01' }),
    )
    await beginWriting(rows)
    expect(await importing(csv(rows))).toBe('There is nothing to import. 12 members in the file are already here.')
    const { count } = await site.db
      .selectFrom('member')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('username', 'like', 'kin%')
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(12)
    expect(await site.db.selectFrom('member_import').select('id').execute()).toEqual([])
  })
})

describe('a name that someone takes while the file is written', () => {
  const taken = { problem: 'was taken while we imported the file.' }

  it('30.3 is named with its line, and what that line did get is free again', async () => {
    const rows = ['harry', 'sally', 'untaken'].map((username) => row(username, { renews_on: '2027-06-01' }))
    const id = await beginWriting(rows)
    await joinedMember(site, { username: 'harry', email: 'harry@example.net' })
    await joinedMember(site, { username: 'sally2', email: 'Sally@example.com' })
    while (await continueImport(site.world, id));
    expect((await listProblems(site.db, id)).problems).toEqual([
      { line: 2, column_name: 'username', ...taken },
      { line: 3, column_name: 'email', ...taken },
    ])
    await memberNamed('untaken')
    await joinedMember(site, { username: 'sally', email: 'harry@example.com' })
  })

  it('30.3 sponsors nobody: those below the line are not imported either', async () => {
    const rows = [row('lamp'), row('shade', { sponsor: 'lamp' })]
    const id = await beginWriting(rows.map((each) => ({ ...each, renews_on: '2027-06-01' })))
    await joinedMember(site, { username: 'lamp', email: 'lamp@example.net' })
    while (await continueImport(site.world, id));
    expect((await listProblems(site.db, id)).problems).toEqual([
      { line: 2, column_name: 'username', ...taken },
      { line: 3, column_name: 'sponsor', problem: 'was not imported.' },
    ])
  })

  it('30.3 is waited for until that is sure', async () => {
    if (!isPostgres) return // one connection: nobody else takes a name meanwhile
    const id = await beginWriting(['hers', 'his'].map((username) => row(username, { renews_on: '2027-06-01' })))
    const { writing } = await inTransaction(site.db, async (db) => {
      for (const value of ['hers', 'his']) await claimName(db, { kind: 'username', value, enrollment_id: null })
      const writing = continueImport(site.world, id)
      await expect.poll(isSomeoneWaiting).toBe(true)
      await db.deleteFrom('claim').where('value', '=', 'his').execute()
      return { writing }
    })
    while ((await writing) && (await continueImport(site.world, id)));
    expect((await listProblems(site.db, id)).problems).toEqual([{ line: 2, column_name: 'username', ...taken }])
    await memberNamed('his')
  })
})

it('30.13 a new file waits for the part of the last one that is being checked, and that check continues', async () => {
  const id = await beginImport(site.world, 'old')
  const replaced = await inTransaction(site.db, async (db) => {
    await sql`set local lock_timeout = '500ms'`.execute(db)
    await lockImport(db, id)
    const replacing = beginImport(site.world, 'new')
    if (isPostgres) await expect.poll(isSomeoneWaiting).toBe(true)
    await db.updateTable('member_import').set({ reached: 1 }).where('id', '=', id).execute()
    return { replacing }
  })
  const current = { id: await replaced.replacing, connection: 'new' }
  expect(await site.db.selectFrom('member_import').select(['id', 'connection']).execute()).toEqual([current])
})
const isSomeoneWaiting = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(site.db)
  return rows.length > 0
}

describe('an erased person', () => {
  const line = () => csv([row('gone', { external_id: 'g-1', renews_on: '2027-06-01' })])
  it('30.9 isn’t imported again, by the same file or by one checked before', async () => {
    await importing(line())
    const { id: member_id } = await memberNamed('gone')
    await stage([row('gone2', { email: 'gone@example.com', renews_on: '2027-06-01' })])
    owner = await staffMember(site, 'owner') // weeks have passed
    const reply = await owner.post('members/erase', { member_id, username: 'gone', reason: 'Asked for it.' })
    expect(reply.statusCode).toBe(200)
    expect(await site.db.selectFrom('import_line').select('line').execute()).toEqual([])
    expect(await importing(line())).toMatch(/^There is nothing to import/)
    expect(await importing(csv([row('gone3', { external_id: 'g-1', renews_on: '2027-06-01' })]))).toMatch(
      /^There is nothing to import/,
    )
    expect(JSON.stringify(await allRows(site.db))).not.toContain('gone@example.com')
  })

  it('30.9 leaves no line that waits under any of their usernames', async () => {
    const usernames = ['once', 'twice', 'thrice']
    const { password, email } = await joinedMember(site, { username: 'once', email: 'once@example.net' })
    await emailsTo(site, email)
    const { id: member_id } = await memberNamed('once')
    for (const username of usernames.slice(1)) {
      const cookie = cookieOf(await site.post('office/sign-in', { name: email, password }))
      const reply = await site.post('office/username', { username, current_password: password }, { cookie })
      expect(reply.statusCode, reply.body).toBe(200)
      site.advance(30 * 86_400)
    }
    await stage([...usernames, 'someone'].map((username) => row(username, { renews_on: '2027-06-01' })))
    owner = await staffMember(site, 'owner')
    const reply = await owner.post('members/erase', { member_id, username: 'thrice', reason: 'Asked for it.' })
    expect(reply.statusCode, reply.body).toBe(200)
    expect(await site.db.selectFrom('import_line').select('username').execute()).toEqual([{ username: 'someone' }])
  })
})

describe('an invitation', () => {
  it('30.8 is emailed only if asked for; its link sets the first password, with the digits of the card', async () => {
    await importing(csv([row('guest', { renews_on: '2027-06-01' })]), { isInviting: true })
    const emails = await emailsTo(site, 'guest@example.com')
    expect(emails.map(({ subject }) => subject)).toEqual(['Set your password for Foyer'])
    expect(emails[0]?.body).toContain('Your username is guest.')
    expect(emails[0]?.body).toContain('/office/new-password-with-card#')
    const token = linkTokenIn(emails[0])
    const password = 'A quiet Lantern 9!'
    const wrong = await site.post('office/new-password', { token, password, card_last_four: '1111' })
    expect(wrong.statusCode).toBe(422)
    expect((await site.post('office/new-password', { token, password, card_last_four: '4242' })).statusCode).toBe(200)
    expect((await site.post('office/sign-in', { name: 'guest', password })).statusCode).toBe(200)
    expect((await site.post('office/new-password', { token, password, card_last_four: '4242' })).statusCode).toBe(401)
  })

  it('30.8 ends with the address that it was sent to', async () => {
    await importing(csv([row('moved', { renews_on: '2027-06-01' })]), { isInviting: true })
    const token = linkTokenIn((await emailsTo(site, 'moved@example.com'))[0])
    const { id } = await site.db
      .selectFrom('member')
      .select('id')
      .where('username', '=', 'moved')
      .executeTakeFirstOrThrow()
    await inTransaction(site.db, (db) =>
      setEmail({ ...site.world, db }, id, 'right@example.com', { email_confirmed_at: null, who: 'team' }),
    )
    const answers = { token, password: 'A quiet Lantern 9!', card_last_four: '4242' }
    expect((await site.post('office/new-password', answers)).statusCode).toBe(401)
  })
})
