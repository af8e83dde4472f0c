import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { executeRefund, requestRefund, requestVoid } from './refunds.ts'

const DAY = 86_400
const request = { reason: 'A test', who: 'staff' }

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const jobs = async () => {
  while (await runJobs(site.world));
}

/** The references of new members' first charges, which have settled. */
async function settledCharges(count: number) {
  const members = []
  for (let n = 0; n < count; n++) members.push(await joinedMember(site, { cc_number: cards.good }))
  await jobs()
  site.advance(2 * DAY)
  return Promise.all(members.map(({ username }) => referenceOf(username)))
}
const referenceOf = async (username: string) => {
  const { reference } = await site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('reference')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  return reference
}
const refundsOf = (references: string[]) =>
  site.db
    .selectFrom('refund')
    .select(['id', 'state', 'credit_note', 'is_void', 'amount_cents'])
    .where('payment_reference', 'in', references)
    .orderBy('created_at')
    .orderBy('amount_cents')
    .execute()
const lastNumber = async () => {
  const { last } = await site.db
    .selectFrom('refund')
    .select(({ fn }) => fn.max('credit_note').as('last'))
    .executeTakeFirstOrThrow()
  return Number(last ?? 0)
}
const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

it('17.45 refunds that are confirmed at the same time get one number each, without a gap', async () => {
  const references = await settledCharges(4)
  const before = await lastNumber()
  const later = new Date(site.world.now().getTime() + DAY * 1000)
  const parts = references.flatMap((reference) => [1000, 2000].map((amount_cents) => ({ reference, amount_cents })))
  const refunds = await Promise.all(parts.map((part) => requestRefund(site.world, { ...part, ...request }, later)))
  const twice = [...refunds, ...refunds] // as if two processes had the same job
  await Promise.all(twice.map((refund) => executeRefund(site.world, refund)))
  const numbers = (await refundsOf(references)).map(({ credit_note }) => Number(credit_note))
  expect(numbers.sort((a, b) => a - b)).toEqual(numbersFrom(before + 1, 8))
})

it('17.45 a part and the rest have two credit notes; a refund that the gateway refuses has none', async () => {
  const [reference = ''] = await settledCharges(1)
  const before = await lastNumber()
  const { refund } = site.world.payment
  await requestRefund(site.world, { reference, amount_cents: 4000, ...request })
  await jobs()
  site.world.payment.refund = async () => 'refused'
  await requestRefund(site.world, { reference, amount_cents: 3000, ...request })
  await jobs()
  site.world.payment.refund = refund
  await requestRefund(site.world, { reference, ...request })
  await jobs()
  expect(await refundsOf([reference])).toMatchObject([
    { amount_cents: 3000, state: 'refused', credit_note: null },
    { amount_cents: 4000, state: 'done', credit_note: before + 1 },
    { amount_cents: 5900, state: 'done', credit_note: before + 2 },
  ])
})

it('17.45 a kill between the gateway’s answer and the commit uses up no number', async () => {
  const references = await settledCharges(2)
  const [killed = '', other = ''] = references
  const before = await lastNumber()
  await sql`create function fail_commit() returns trigger language plpgsql as 'begin raise exception ''killed''; end'`.execute(
    site.db,
  )
  await sql`create constraint trigger fail_commit after update on refund deferrable initially deferred
    for each row execute function fail_commit()`.execute(site.db)
  await requestRefund(site.world, { reference: killed, ...request })
  await jobs()
  await sql`drop trigger fail_commit on refund`.execute(site.db)
  expect(await refundsOf([killed])).toMatchObject([{ state: 'requested', credit_note: null }])
  await requestRefund(site.world, { reference: other, ...request })
  await jobs()
  site.advance(3600)
  await jobs()
  expect(await refundsOf([other])).toMatchObject([{ state: 'done', credit_note: before + 1 }])
  expect(await refundsOf([killed])).toMatchObject([{ state: 'done', credit_note: before + 2 }])
})

it('17.45 the database itself refuses a refund that is done without a number, and a number twice', async () => {
  const [reference = ''] = await settledCharges(1)
  await requestRefund(site.world, { reference, ...request })
  await jobs()
  const [refund] = await refundsOf([reference])
  const change = (credit_note: number | null) =>
    site.db
      .updateTable('refund')
      .set({ credit_note })
      .where('id', '=', refund?.id ?? '')
      .execute()
  await expect(change(null)).rejects.toThrow('refund_credit_note')
  await expect(change(1)).rejects.toThrow('refund_credit_note')
})

it('17.18 whether a charge was voided is what the gateway did, not what was asked for', async () => {
  const [settled = ''] = await settledCharges(1)
  const { username } = await joinedMember(site)
  await jobs()
  const sameDay = await referenceOf(username)
  await requestRefund(site.world, { reference: sameDay, ...request })
  await jobs()
  expect(await refundsOf([sameDay]), 'a full refund before the charge settled').toMatchObject([{ is_void: true }])
  await site.db.updateTable('payment').set({ updated_at: site.world.now() }).where('reference', '=', settled).execute()
  await requestVoid(site.world, { reference: settled, ...request })
  await jobs()
  expect(await refundsOf([settled]), 'a void that came too late').toMatchObject([{ is_void: false }])
})

it('17.17 the email about a refund or a void names its credit note and links to it', async () => {
  const { username, email } = await joinedMember(site)
  const canceled = await joinedMember(site)
  await jobs()
  await requestVoid(site.world, { reference: await referenceOf(canceled.username), ...request })
  const [about] = await emailsTo(site, canceled.email, 'Your charge of $99.00 was canceled')
  expect(about?.body).toContain('We canceled the charge of $99.00 from November')
  expect(about?.body).toContain('before it was collected')
  expect(about?.body).toMatch(/Credit note: CN-\d{4}/)
  site.advance(2 * DAY)
  await requestRefund(site.world, { reference: await referenceOf(username), amount_cents: 4000, ...request })
  const [part] = await emailsTo(site, email, 'Your refund of $40.00')
  const number = await lastNumber()
  expect(part?.body).toContain(`Credit note: CN-${String(number).padStart(4, '0')}`)
  expect(part?.body).toContain(`http://foyer.test/office/credit-notes/${number}`)
})
