import { afterAll, beforeAll, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { addDays, periodStart } from '#contract/renewal.ts'
import { emailsTo, memberInOffice } from '#server/test/member.ts'
import { daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { cancel, resume } from './cancellation.ts'
import { putOnHold } from './hold.ts'
import { dropPackage } from './lines.ts'
import { moveRenewalDay } from './renewal-day.ts'
import { changeRenewalEmails, writeRenewalEmails } from './renewal-emails.ts'
import { waivePeriod } from './waive.ts'

/** The email three days before a charge. */

let site: Site
beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'America/New_York', AUTOSHIP: 'on' })
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof newMember>>
const ask = ({ id }: Member, renewal_emails = true) => changeRenewalEmails(site.world, id, { renewal_emails })
const renewalOf = ({ joined_on }: Member, n = 1) => periodStart(joined_on, n)
const untilDaysBefore = (member: Member, days: number, n = 1) =>
  pass(site, daysUntil(site, addDays(renewalOf(member, n), -days)))
const noticesTo = async ({ email }: Member) =>
  (await emailsTo(site, email)).filter(({ subject }) => /^Your next charge/.test(subject))

it('17.13 a member who asks for it gets one email three days before each charge, with its day, amount and card', async () => {
  const [member, other] = [await newMember(site, { autoship_product_ids: '41' }), await newMember(site)]
  await ask(member)
  await untilDaysBefore(member, 4)
  expect(await noticesTo(member)).toEqual([])
  await untilDaysBefore(member, 3)
  const day = longDay(renewalOf(member))
  expect(await noticesTo(member)).toMatchObject([
    {
      subject: `Your next charge is on ${day}`,
      body: expect.stringContaining(`On ${day}, we’ll charge $123.00 to your Visa ending in 4242 for the next month.`),
    },
  ])
  await untilDaysBefore(member, 0)
  expect(await noticesTo(member)).toHaveLength(1)
  await untilDaysBefore(member, 3, 2)
  expect((await noticesTo(member)).map(({ subject }) => subject)).toEqual(
    [2, 1].map((n) => `Your next charge is on ${longDay(renewalOf(member, n))}`),
  )
  expect(await noticesTo(other), 'no one else').toEqual([])
  await ask(member, false)
  await untilDaysBefore(member, 0, 3)
  expect(await noticesTo(member), 'switched off').toHaveLength(2)
})

it('17.13 a member who asks the day before is told then, and one who resumes isn’t told twice', async () => {
  const member = await newMember(site)
  await untilDaysBefore(member, 1)
  await ask(member)
  await work(site.world)
  expect(await noticesTo(member)).toHaveLength(1)
  await cancel(site.world, member.id)
  await resume(site.world, member.id)
  await untilDaysBefore(member, 0)
  expect(await noticesTo(member)).toHaveLength(1)
})

it('17.13 a member whose renewal day moves after the email gets a new one three days before the new day', async () => {
  const member = await newMember(site)
  await ask(member)
  await untilDaysBefore(member, 2)
  const shown_on = addDays(renewalOf(member), 5)
  await moveRenewalDay(site.world, member.id, { day_of_month: Number(shown_on.slice(8)), shown_on })
  await pass(site, 5)
  expect((await noticesTo(member)).map(({ subject }) => subject)).toEqual(
    [shown_on, renewalOf(member)].map((day) => `Your next charge is on ${longDay(day)}`),
  )
})

it('17.13 a large batch of these emails lets other work run', async () => {
  let batches = 0
  const execute = async () => {
    batches += 1
    if (batches > 100) throw new Error('It never ends.')
    return 50
  }
  await writeRenewalEmails({ ...site.world, db: { transaction: () => ({ execute }) } as unknown as typeof site.db })
  expect(batches).toBe(20)
})

it.each([
  ['has canceled', ({ id }: Member) => cancel(site.world, id)],
  ['is on hold', ({ id }: Member) => putOnHold(site.world, id, 'dispute')],
  ['gets the next month free', ({ id }: Member) => waivePeriod(site.world, id)],
] as const)('17.13 no email tells a member who %s of a charge that doesn’t come', async (_name, change) => {
  const member = await newMember(site)
  await ask(member)
  await change(member)
  await untilDaysBefore(member, 0)
  expect(await noticesTo(member)).toEqual([])
})

it('17.13 a member who paid once gets it only for a package, until that is stopped', async () => {
  const setInterval = (billing_interval: 'once' | 'month', renewal_cents: number) =>
    site.db.updateTable('package').set({ billing_interval, renewal_cents }).where('product_id', '=', 34).execute()
  await setInterval('once', 0)
  const [once, parcel] = [await newMember(site), await newMember(site, { autoship_product_ids: '41' })]
  await setInterval('month', 9900)
  for (const member of [once, parcel]) await ask(member)
  await untilDaysBefore(once, 0)
  expect(await noticesTo(once)).toEqual([])
  expect(await noticesTo(parcel)).toMatchObject([{ body: expect.stringContaining('we’ll charge $24.00 to your') }])
  await dropPackage(site.world, parcel.id, { product_id: 41 })
  await untilDaysBefore(parcel, 0, 2)
  expect(await noticesTo(parcel)).toHaveLength(1)
})

it('17.13 an email that waited until the member canceled, or the charge was made, isn’t sent', async () => {
  const [canceled, paid] = [await newMember(site), await newMember(site)]
  await ask(canceled)
  await ask(paid)
  const { send } = site.world.mail
  site.world.mail.send = () => Promise.reject(new Error('The mail server is down.'))
  await untilDaysBefore(canceled, 3)
  await cancel(site.world, canceled.id)
  await untilDaysBefore(paid, 0)
  site.world.mail.send = send
  await pass(site, 1)
  expect([await noticesTo(canceled), await noticesTo(paid)]).toEqual([[], []])
})

it('17.13 the office switches it on and off', async () => {
  const { username, cookie } = await memberInOffice(site)
  const change = (renewal_emails: unknown) =>
    site.post('office/renewal-emails', { username, renewal_emails }, { cookie })
  expect((await change('yes')).statusCode).toBe(422)
  expect((await change(true)).json()).toMatchObject({ renewal_emails: true })
  expect((await change(false)).json()).toMatchObject({ renewal_emails: false })
})
