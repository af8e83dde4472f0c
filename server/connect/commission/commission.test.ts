import { execFile } from 'node:child_process'
import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rekey } from '#server/secrets/key-rows.ts'
import { newMember, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember } from '#server/test/staff.ts'
import { writeMonth } from './commission.ts'
import { dryRun } from './dry-run.ts'

let site: Site
let folder: string
type Member = Awaited<ReturnType<typeof newMember>>
const people = {} as Record<'ann' | 'bob' | 'cat' | 'dan', Member>

beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'America/New_York' })
  folder = await mkdtemp(join(tmpdir(), 'foyer-commission-'))
  const under = { ann: 'bluepier', bob: 'ann', cat: 'ann', dan: 'bob' } as const
  for (const [username, sponsor_site_name] of Object.entries(under)) {
    people[username as keyof typeof people] = await newMember(site, { username, sponsor_site_name })
    site.advance(60)
  }
  await work(site.world)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await site.close()
})

let count = 0
/** All files of a month, by name. */
async function make(month: string): Promise<Record<string, Buffer>> {
  const out = join(folder, String(++count))
  await writeMonth(site.world, month, out)
  const names = await readdir(out)
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(out, name))])))
}
const rowsOf = (text: Buffer | undefined) =>
  String(text)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const at = (time: string) => site.advance((Date.parse(time) - site.world.now().getTime()) / 1000)

/** By a colleague who has just signed in. */
async function act(path: string, body: object) {
  const reply = await (await staffMember(site, 'owner')).post(path, { reason: 'agreed', ...body })
  expect(reply.statusCode, reply.body).toBe(200)
}
const setVolumes = (occasion: string, business_volume: string, commissionable_volume = '50.00') =>
  act('packages/volumes', { product_id: 34, occasion, price: '99.00', business_volume, commissionable_volume })

const referenceOf = async ({ id }: Member) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('reference')
      .where('member.id', '=', id)
      .orderBy('attempt')
      .executeTakeFirstOrThrow()
  ).reference
const refund = async (member: Member, amount: string) =>
  act('payments/refund', { member_id: member.id, reference: await referenceOf(member), amount })

type Line = Record<'member_id' | 'kind' | 'amount' | 'business_volume' | 'commissionable_volume', string>
const linesOf = (files: Record<string, Buffer>, { id }: Member) =>
  rowsOf(files['orders.jsonl'])
    .filter(({ member_id }: Line) => member_id === id)
    .map((line: Line) => [line.kind, line.amount, line.business_volume, line.commissionable_volume])

describe('the input of a month’s commissions', () => {
  it('31.10 is refused until the month has ended in the operator’s time zone, and for 15 minutes more', async () => {
    await expect(make('2026-11')).rejects.toThrow('2026-11 hasn’t ended yet. It ends on 2026-12-01T05:00:00.000Z')
    at('2026-12-01T05:14:59Z')
    await expect(make('2026-11')).rejects.toThrow('2026-11 has only just ended')
    at('2026-12-01T05:15:00Z')
    await expect(make('2026-13')).rejects.toThrow('is not a month')
  })

  it('31.10 is refused while a price that was paid has no volumes, and leaves nothing behind', async () => {
    await expect(make('2026-11')).rejects.toThrow(/have no volumes yet.*\n {2}package 34, joining, \$99\.00$/)
    expect(await readdir(folder)).toEqual([])
    expect(await site.db.selectFrom('commission_month').selectAll().execute()).toEqual([])
  })

  it('31.6 has members, orders and the tree, as CSV and as JSON lines, with ids and without names', async () => {
    await setVolumes('joining', '60.00')
    const files = await make('2026-11')
    const tables = ['members', 'orders', 'tree'].flatMap((name) => [`${name}.csv`, `${name}.jsonl`])
    expect(Object.keys(files).sort()).toEqual(['manifest.json', 'manifest.sig', ...tables].sort())
    const page = await site.db.selectFrom('sponsor').select('id').where('site', '=', 'bluepier').executeTakeFirst()
    const tree = new Map(rowsOf(files['tree.jsonl']).map((row) => [row.member_id, row]))
    const placed = { placement: 'automatic', placement_parent_id: '' }
    expect(tree.get(people.ann.id)).toMatchObject({ sponsor_kind: 'page', sponsor_id: page?.id, ...placed })
    expect(tree.get(people.dan.id)).toMatchObject({ sponsor_kind: 'member', sponsor_id: people.bob.id, ...placed })
    expect([...tree.keys()]).toEqual([...tree.keys()].sort())
    const orders = rowsOf(files['orders.jsonl'])
    expect(orders.map(({ member_id }) => member_id).sort()).toEqual([...tree.keys()])
    expect(orders[0]).toMatchObject({ day: '2026-11-15', kind: 'sale', occasion: 'joining', product_id: '34' })
    expect(linesOf(files, people.ann)).toEqual([['sale', '99.00', '60.00', '50.00']])
    expect(String(files['members.csv']).split('\n')[0]).toBe('member_id,joined_on,joined_at')
    const text = Buffer.concat(Object.values(files)).toString()
    for (const { username, email } of Object.values(people))
      expect(text).not.toMatch(new RegExp(`\\b(${username}|${email})\\b`))
  })

  it('31.8 has payments that an earlier version collected without writing down when', async () => {
    const before = await make('2026-11')
    const payments = site.db.updateTable('payment').where('state', '=', 'captured')
    await payments.set({ captured_at: null }).execute()
    expect(await make('2026-11')).toEqual(before)
    expect(rowsOf(before['orders.jsonl']).length).toBeGreaterThan(0)
  })

  it('31.11 has a manifest with the hash of each file, whose signature the public key set verifies', async () => {
    const files = await make('2026-11')
    const manifest = JSON.parse(String(files['manifest.json']))
    for (const { name, sha256, bytes } of manifest.files) {
      const content = files[name] as Buffer
      expect([createHash('sha256').update(content).digest('hex'), content.length]).toEqual([sha256, bytes])
    }
    expect(await isSigned(files)).toBe(true)
    const forged = Buffer.from(String(files['manifest.json']).replace('2026-11', '2026-12'))
    expect(await isSigned({ ...files, 'manifest.json': forged })).toBe(false)
  })

  it('31.11 the guide’s sample verifies a month, and refuses a changed file or manifest', async () => {
    await make('2026-11')
    const month = join(folder, String(count))
    await writeFile(join(month, 'jwks.json'), (await site.get('/.well-known/jwks.json')).body)
    const sample = resolve('docs/samples/verify-month.mjs')
    const verifying = () => promisify(execFile)(process.execPath, [sample], { cwd: month })
    expect((await verifying()).stdout).toBe('The signature and all files match.\n')
    const change = async (name: string, from: string, to: string) => {
      const text = await readFile(join(month, name), 'utf8')
      expect(text).toContain(from)
      await writeFile(join(month, name), text.replace(from, to))
    }
    await change('orders.csv', ',99.00,', ',98.00,')
    await expect(verifying()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('orders.csv was changed.'),
    })
    await change('manifest.json', '2026-11', '2026-10')
    await expect(verifying()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The signature is wrong.'),
    })
  })

  it('31.7 is the same to the byte whatever happens later: moves, placements, refunds, prices, volumes, renames, erasures, new keys', async () => {
    const before = await make('2026-11')
    at('2026-12-02T12:00:00Z')
    await act('members/sponsor', { member_id: people.dan.id, sponsor_site: 'cat' })
    await act('members/placement', { member_id: people.cat.id, side: 'left', parent_site: 'bob' })
    await setVolumes('joining', '10.00')
    await refund(people.bob, '33.00')
    await work(site.world)
    await act('members/erase', { member_id: people.dan.id, username: 'dan' })
    await newMember(site, { username: 'eve', sponsor_site_name: 'bob' })
    await rekey(site.db, site.world.config, site.world.now())
    at('2026-12-02T13:00:00Z')
    await site.world.keys.refresh()
    expect(await make('2026-11')).toEqual(before)
  })

  it('31.8 takes a refund or a dispute back in its own month, an open dispute everything, and nothing twice', async () => {
    const reference = await referenceOf(people.ann)
    const day = (n: number) => new Date(`2026-12-0${n}T12:00:00Z`)
    await site.db
      .insertInto('refund')
      .values({
        ...{ id: randomUUID(), payment_reference: reference, amount_cents: 3300, reason: 'asked', is_void: false },
        ...{ state: 'done', credit_note: 900, refund_reference: randomUUID(), who: 'x' },
        ...{ created_at: day(3), ended_at: day(5) }, // requested before the dispute, made during it
      })
      .execute()
    await site.db
      .insertInto('dispute_change')
      .values([
        { payment_reference: reference, changed_at: day(4), is_open: true },
        { payment_reference: reference, changed_at: day(6), is_open: false },
      ])
      .execute()
    at('2026-12-15T14:00:00Z')
    await setVolumes('renewal', '30.00')
    await work(site.world)
    at('2026-12-20T14:00:00Z')
    await setVolumes('renewal', '5.00')
    at('2027-01-01T06:00:00Z')
    const files = await make('2026-12')
    expect(linesOf(files, people.ann)).toEqual([
      ['dispute', '-99.00', '-60.00', '-50.00'],
      ['dispute_won', '66.00', '40.00', '33.34'],
      ['sale', '99.00', '30.00', '50.00'],
    ])
    expect(linesOf(files, people.bob).slice(0, 1)).toEqual([['refund', '-33.00', '-20.00', '-16.66']])
  })

  it('31.9 a line has the volumes that were set last before it was paid', async () => {
    const files = await make('2026-12')
    expect(linesOf(files, people.cat)).toEqual([['sale', '99.00', '30.00', '50.00']])
    const joined = rowsOf(files['orders.jsonl']).filter(({ occasion }) => occasion === 'joining')
    expect(joined.filter(({ kind }) => kind === 'sale').map((line) => line.business_volume)).toEqual(['10.00'])
  })

  it('31.8 parts that are refunded one by one add up to the whole', async () => {
    await refund(people.bob, '66.00')
    await work(site.world)
    at('2027-02-01T06:00:00Z')
    await site.db.updateTable('price_volume').set({ set_by: 'x' }).execute()
    expect(linesOf(await make('2027-01'), people.bob).slice(0, 1)).toEqual([['refund', '-66.00', '-40.00', '-33.34']])
  })

  it('31.11 is signed again only after its key was revoked, and says so if history was changed by other means', async () => {
    const before = await make('2026-11')
    await rekey(site.db, site.world.config, site.world.now(), { revoke: true })
    site.advance(60)
    await site.world.keys.refresh()
    const after = await make('2026-11')
    expect(after['manifest.sig']).not.toEqual(before['manifest.sig'])
    expect(after['tree.csv']).toEqual(before['tree.csv'])
    expect([await isSigned(after), await make('2026-11')]).toEqual([true, after])
    await site.db
      .updateTable('sponsor_move')
      .set({ moved_at: new Date('2026-11-20T12:00:00Z') })
      .execute()
    await expect(make('2026-11')).rejects.toThrow('they differ from the first ones')
  })

  it('31.12 the requests for Exigo and ByDesign are printed, with the ids that members have there', async () => {
    const { id } = people.ann
    await site.db.insertInto('external_id').values({ connection: 'exigo', value: '7001', member_id: id }).execute()
    const requests = await all(dryRun(site.world, '2026-12', 'exigo'))
    expect(requests[0]).toMatchObject({ call: 'CreateCustomer', body: { EnrollerID: `<id of ${people.bob.id}>` } })
    expect(requests.find(({ body }) => body.CustomerID === '7001')).toMatchObject({
      call: 'CreateOrder',
      body: {
        Details: [{ ItemCode: '34', Quantity: -1, PriceEachOverride: '99.00', BusinessVolumeEachOverride: '60.00' }],
      },
    })
    const steps = await all(dryRun(site.world, '2026-12', 'bydesign'))
    expect(steps.slice(0, 4).map(({ call }) => call)).toEqual(['CreateRep', 'CreateOrder', 'AddPayment', 'PostOrder'])
    await expect(all(dryRun(site.world, '2026-12', 'other'))).rejects.toThrow('There is no engine')
  })
})

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** As the guide says. */
async function isSigned(files: Record<string, Buffer>) {
  const manifest = files['manifest.json'] as Buffer
  const { keys } = (await site.get('/.well-known/jwks.json')).json()
  const jwk = keys.find(({ kid }: { kid: string }) => kid === JSON.parse(String(manifest)).key_id)
  return verify('sha256', manifest, createPublicKey({ key: jwk, format: 'jwk' }), files['manifest.sig'] as Buffer)
}
