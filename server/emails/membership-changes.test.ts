import { afterAll, beforeAll, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { cancel } from '#server/membership/cancellation.ts'
import { replaceCard } from '#server/membership/card.ts'
import { liftHold, putOnHold } from '#server/membership/hold.ts'
import { dropPackage } from '#server/membership/lines.ts'
import { viewOffice } from '#server/office/view.ts'
import { reconcileHourly } from '#server/payments/books/hourly.ts'
import { emailsTo } from '#server/test/member.ts'
import { newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof newMember>>

const newCard = (cc_number: string) => ({
  card: { cc_number, cc_month: '12', cc_year: '2034', cc_cvv: '123' },
  billing: {
    ...{ first_name: 'Zoë', last_name: 'Ruiz', address: '1 High St', address2: '', city: 'Austin' },
    ...{ state: 'TX', country: 'US', post_code: '78701' },
  },
  reference: crypto.randomUUID(),
})
const officeOf = async ({ id }: Member) => (await viewOffice(site.world, id)).membership
const emailsAbout = async ({ email }: Member, subject: string) =>
  (await emailsTo(site, email, subject)).map(({ body }) => body)
const subjectsTo = async ({ email }: Member) => (await emailsTo(site, email)).map(({ subject }) => subject)

const CARD = 'Your card was changed'
const STOPPED = 'You stopped a package'
const HELD = 'Your membership is on hold'
const RELEASED = 'Your membership is no longer on hold'

it('17.48 a new card on file is an email with its brand and last four digits, and what to do if it wasn’t you', async () => {
  const member = await newMember(site)
  await replaceCard(site.world, member.id, newCard('4000000000000002')) // the bank refuses it
  expect(await emailsAbout(member, CARD)).toEqual([])
  await replaceCard(site.world, member.id, newCard('5555555555554444'))
  await replaceCard(site.world, member.id, newCard('378282246310005')) // before the first email is written
  const [second = '', first = ''] = (await emailsAbout(member, CARD)).sort()
  expect([first, second].map((body) => /(\w| )+ ending in \d{4}/.exec(body)?.[0]).sort()).toEqual([
    expect.stringContaining('American Express ending in 0005'),
    expect.stringContaining('Mastercard ending in 4444'),
  ])
  expect(first).toContain('If it wasn’t, open your office and change your password')
  expect(first).not.toMatch(/555555|378282|2034/)
})

it('17.48 a package that is stopped is an email with the next charge that the office shows', async () => {
  const member = await newMember(site, { autoship_product_ids: '41' })
  await dropPackage(site.world, member.id, { product_id: 41 })
  await dropPackage(site.world, member.id, { product_id: 41 })
  const { renews_on, price } = await officeOf(member)
  expect(price).toBe('99.00')
  expect(await emailsAbout(member, STOPPED)).toEqual([
    expect.stringContaining(`Your next charge is $99.00 on ${longDay(renews_on)}`),
  ])
})

it('17.48 a package that is stopped while past due names the next try and its lower amount', async () => {
  const member = await newMember(site, { autoship_product_ids: '41', cc_number: cards.renewalNoFunds })
  await pass(site, 32)
  await dropPackage(site.world, member.id, { product_id: 41 })
  const { retry_on = '', price } = (await officeOf(member)).payment_problem ?? {}
  expect(price).toBe('99.00')
  expect(await emailsAbout(member, STOPPED)).toEqual([
    expect.stringContaining(`try to charge $99.00 again on ${longDay(retry_on)}`),
  ])
})

it('17.48 a hold by staff is an email without the reason, and its end one with the next charge', async () => {
  const member = await newMember(site)
  await putOnHold(site.world, member.id, 'smells of fraud')
  await putOnHold(site.world, member.id, 'smells of fraud')
  const [held = '', ...more] = await emailsAbout(member, HELD)
  expect(more).toEqual([])
  expect(held).toContain('We put your membership on hold')
  expect(held).not.toMatch(/fraud|disput/)
  await liftHold(site.world, member.id)
  await liftHold(site.world, member.id)
  await work(site.world)
  const { renews_on } = await officeOf(member)
  expect(await emailsAbout(member, RELEASED)).toEqual([
    expect.stringContaining(`Your next charge is $99.00 on ${longDay(renews_on)}`),
  ])
})

it('17.48 a hold because of a dispute says that the bank told us, and accuses no one', async () => {
  const member = await newMember(site)
  const payment = site.world.payment as SandboxGateway
  const { transaction_id } = await site.db
    .selectFrom('payment')
    .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
    .select('transaction_id')
    .where('member.id', '=', member.id)
    .executeTakeFirstOrThrow()
  site.advance(86_400)
  expect(await payment.dispute(transaction_id ?? '', 'open')).toBe(true)
  await reconcileHourly(site.world)
  site.advance(7200)
  await reconcileHourly(site.world)
  expect(await emailsAbout(member, HELD)).toEqual([expect.stringContaining('Your bank told us')])
})

it('17.48 a hold that ends after a renewal was missed is told once, by the email about the new renewal date', async () => {
  const member = await newMember(site)
  await putOnHold(site.world, member.id, 'staff')
  await pass(site, 40)
  await liftHold(site.world, member.id)
  await work(site.world)
  const subjects = await subjectsTo(member)
  expect(subjects).toContain('Your renewal date has changed')
  expect(subjects).toContain('Your receipt: $99.00 for your membership')
  expect(subjects).not.toContain(RELEASED)
})

it('17.48 where renewals are charged elsewhere, every hold that ends is an email', async () => {
  const member = await newMember(site)
  const world = { ...site.world, config: { ...site.world.config, RENEWALS: 'off' as const } }
  await putOnHold(world, member.id, 'staff')
  await pass(site, 40)
  await liftHold(world, member.id)
  while (await runJobs(world));
  expect(await emailsAbout(member, RELEASED)).toHaveLength(1)
})

it('17.48 a member who has canceled is told that a hold doesn’t change the end, and the membership ends then', async () => {
  const member = await newMember(site)
  await cancel(site.world, member.id)
  await putOnHold(site.world, member.id, 'staff')
  const { renews_on } = await officeOf(member)
  expect(await emailsAbout(member, HELD)).toEqual([expect.stringContaining(`ends on ${longDay(renews_on)}`)])
  await pass(site, 40)
  expect((await officeOf(member)).state).toBe('ended')
})

it('17.48 an email that waits isn’t sent once the hold is over, the membership has ended or the member was erased', async () => {
  const [released, ended, erased] = [await newMember(site), await newMember(site), await newMember(site)]
  for (const { id } of [released, ended, erased]) await putOnHold(site.world, id, 'staff')
  await replaceCard(site.world, erased.id, newCard('5555555555554444'))
  await liftHold(site.world, released.id)
  await site.db.updateTable('membership').set({ state: 'ended' }).where('member_id', '=', ended.id).execute()
  await site.db.updateTable('member').set({ ends_at: site.world.now() }).where('id', '=', ended.id).execute()
  await liftHold(site.world, ended.id)
  await site.db.updateTable('member').set({ email: '' }).where('id', '=', erased.id).execute()
  site.advance(1)
  while (await runJobs(site.world));
  const told = await Promise.all([released, ended, erased].map(subjectsTo))
  const isNew = (subject: string) => [CARD, HELD, RELEASED].includes(subject)
  expect(told.map((subjects) => subjects.filter(isNew))).toEqual([[RELEASED], [], []])
  expect(await site.db.selectFrom('message').select('subject').where('recipient', '=', '').execute()).toEqual([])
})

it('17.48 each is sent under one Message-ID, even if the process is killed right after sending', async () => {
  const member = await newMember(site, { autoship_product_ids: '41' })
  await replaceCard(site.world, member.id, newCard('5555555555554444'))
  await dropPackage(site.world, member.id, { product_id: 41 })
  await putOnHold(site.world, member.id, 'staff')
  const { send } = site.world.mail
  const sent: string[] = []
  site.world.mail.send = async (email) => {
    await send(email)
    sent.push(`${email.subject} ${email.key}`)
    if (sent.length <= 3) throw new Error('killed')
  }
  while (await runJobs(site.world));
  site.advance(3600)
  while (await runJobs(site.world));
  site.world.mail.send = send
  const kinds = [...new Set(sent)].map((each) => each.replace(/ [\w-]+$/, '')).sort()
  expect([sent.length, kinds]).toEqual([6, [CARD, HELD, STOPPED].sort()])
})
