import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { periodStart } from '#contract/renewal.ts'
import { viewOffice } from '#server/office/view.ts'
import { emailsTo } from '#server/test/member.ts'
import { DAY, daysUntil, newMember, pass, work } from '#server/test/membership.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { todayOf } from '#server/world/time-zone.ts'
import { cancel, resume } from './cancellation.ts'
import { liftHold, putOnHold } from './hold.ts'
import { changePrice, countChanged } from './price-change.ts'

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on' })
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, notice_at: null, state: 'ended' }).execute() // other tests' members
  await setPrice(9900)
})

const setPrice = (renewal_cents: number) =>
  site.db.updateTable('package').set({ renewal_cents }).where('product_id', '=', 34).execute()

const amountsOf = async ({ username }: { username: string }) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select('amount_cents')
      .where('username', '=', username)
      .where('period', '>', 0)
      .orderBy('attempt')
      .execute()
  ).map(({ amount_cents }) => amount_cents)

const officeOf = async ({ id }: { id: string }) => (await viewOffice(site.world, id)).membership
const subjectsTo = async ({ email }: { email: string }) => (await emailsTo(site, email)).map(({ subject }) => subject)
const change = { product_id: 34, notice_days: 30, reason: 'costs', who: 'Rosa' }

describe('17.34 no one pays more without an email', () => {
  it('on hold: the price stays until the hold is lifted, and a notice comes first', async () => {
    const member = await newMember(site)
    await putOnHold(site.world, member.id, 'dispute')
    expect(await countChanged(site.db, change.product_id, 15_000)).toEqual({ more: 0, less: 0 })
    await changePrice(site.world, { ...change, new_cents: 15_000 })
    await pass(site, 70)
    expect(await subjectsTo(member)).not.toContainEqual(expect.stringMatching(/^Your price/))
    await liftHold(site.world, member.id)
    await work(site.world)
    const next = periodStart(todayOf(site.world), 1)
    await pass(site, daysUntil(site, next) - 7)
    expect((await subjectsTo(member)).filter((subject) => subject.startsWith('Your price'))).toEqual([
      `Your price changes on ${longDay(next)}`,
    ])
    await pass(site, 8)
    expect(await amountsOf(member)).toEqual([9900, 15_000])
  })

  it('canceled between the change and its email, and resumed later', async () => {
    const member = await newMember(site)
    await changePrice(site.world, { ...change, new_cents: 16_000 })
    await runJobs(site.world, ['price_change'])
    await cancel(site.world, member.id)
    while (await runJobs(site.world));
    await resume(site.world, member.id)
    await pass(site, 65)
    expect(await subjectsTo(member)).toContainEqual(expect.stringMatching(/^Your price changes on /))
    expect(await amountsOf(member)).toEqual([9900, 16_000])
  })
})

describe('17.46 a member who cancels before a price change and resumes after it', () => {
  it('is told, and pays the higher price like everyone else', async () => {
    const [member, other] = [await newMember(site), await newMember(site)]
    await cancel(site.world, member.id)
    await pass(site, 1)
    await changePrice(site.world, { ...change, new_cents: 12_900, notice_days: 7 })
    await pass(site, 1)
    await resume(site.world, member.id)
    while (await runJobs(site.world));
    expect((await officeOf(member)).price).toBe((await officeOf(other)).price)
    await pass(site, 65)
    expect(await subjectsTo(member)).toContainEqual(expect.stringMatching(/^Your price changes on /))
    expect(await amountsOf(member)).toEqual(await amountsOf(other))
    expect((await amountsOf(member)).at(-1)).toBe(12_900)
  })

  it('keeps the old price for a month that begins less than 7 days after resuming', async () => {
    const member = await newMember(site)
    await cancel(site.world, member.id)
    await changePrice(site.world, { ...change, new_cents: 12_900, notice_days: 7 })
    const { renews_on } = await officeOf(member)
    await pass(site, Math.floor((Date.parse(renews_on) - site.world.now().getTime()) / 1000 / DAY) - 3)
    await resume(site.world, member.id)
    await pass(site, 8)
    expect(await amountsOf(member)).toEqual([9900])
    await pass(site, 31)
    expect(await amountsOf(member)).toEqual([9900, 12_900])
  })

  it('pays a lower price from the next month on, and a withdrawn one never', async () => {
    const member = await newMember(site)
    await cancel(site.world, member.id)
    await changePrice(site.world, { ...change, new_cents: 12_900, notice_days: 7 })
    await pass(site, 1)
    await changePrice(site.world, { ...change, new_cents: 8_000 })
    await pass(site, 1)
    await resume(site.world, member.id)
    await pass(site, 35)
    expect(await amountsOf(member)).toEqual([8_000])
  })
})

describe('17.44 the email about a higher price', () => {
  const rise = { ...change, new_cents: 10_900 }
  const noticeTo = async ({ email }: { email: string }) =>
    (await emailsTo(site, email)).find(({ subject }) => subject.startsWith('Your price changes on '))
  const daysUntilRise = (subject: string) =>
    Math.ceil(
      (Date.parse(`${subject.replace('Your price changes on ', '')} UTC`) - site.world.now().getTime()) / 1000 / DAY,
    )

  it.each([
    [7, 20],
    [7, 1],
    [30, 20],
    [30, 1],
  ])('comes 7 to 30 days before, with %i days of notice and a change on day %i', async (notice_days, day) => {
    const member = await newMember(site)
    await pass(site, day)
    await changePrice(site.world, { ...rise, notice_days })
    while (await runJobs(site.world));
    let notice = await noticeTo(member)
    for (; !notice; notice = await noticeTo(member)) await pass(site, 1)
    const days = daysUntilRise(notice.subject)
    expect(days).toBeGreaterThanOrEqual(7)
    expect(days).toBeLessThanOrEqual(30)
    await pass(site, days - 1)
    const before = await amountsOf(member)
    expect(before).not.toContain(10_900)
    await pass(site, 1)
    expect(await amountsOf(member)).toEqual([...before, 10_900])
    expect((await subjectsTo(member)).filter((subject) => subject.startsWith('Your price'))).toHaveLength(1)
  })

  it('comes 30 days before a year that costs more', async () => {
    const member = await newMember(site)
    await site.db
      .updateTable('membership')
      .set({ billing_interval: 'year' })
      .where('member_id', '=', member.id)
      .execute()
    await changePrice(site.world, rise)
    await pass(site, 1)
    site.advance(330 * DAY)
    await pass(site, 1)
    expect(await noticeTo(member)).toBeUndefined()
    await pass(site, 5)
    expect(await noticeTo(member)).toBeDefined()
  })

  it('is never sent for a price that was withdrawn before', async () => {
    const member = await newMember(site)
    await pass(site, 5)
    await changePrice(site.world, rise)
    await pass(site, 1)
    await changePrice(site.world, { ...rise, new_cents: 9900 })
    await pass(site, 70)
    expect((await subjectsTo(member)).filter((subject) => subject.startsWith('Your price'))).toEqual([])
  })

  it('waits if it would come too late for the next month and too early for the one after it', async () => {
    const member = await newMember(site)
    await pass(site, 20)
    const { send } = site.world.mail
    site.world.mail.send = async () => {
      throw new Error('The mail server is down.')
    }
    await changePrice(site.world, { ...rise, notice_days: 7 })
    await pass(site, 5)
    site.world.mail.send = send
    await site.db.updateTable('job').set({ run_at: site.world.now() }).where('done_at', 'is', null).execute()
    expect(await noticeTo(member)).toBeUndefined()
    let notice = await noticeTo(member)
    for (; !notice; notice = await noticeTo(member)) await pass(site, 1)
    expect(daysUntilRise(notice.subject)).toBeLessThanOrEqual(30)
  })
})

describe('17.12 a price change', () => {
  it('is charged only after its notice, and the office and an email say so before', async () => {
    const [member, canceled] = [await newMember(site), await newMember(site)]
    await cancel(site.world, canceled.id)
    await emailsTo(site, canceled.email)
    await pass(site, 20)
    expect(await countChanged(site.db, change.product_id, 10_900)).toEqual({ more: 1, less: 0 })
    await changePrice(site.world, { ...change, new_cents: 10_900 })
    while (await runJobs(site.world));
    expect((await officeOf(member)).new_price, 'before the email').toBeUndefined()
    await pass(site, 12)
    expect(await amountsOf(member), 'twelve days of notice are not enough').toEqual([9900])
    const notice = (await emailsTo(site, member.email)).find(({ subject }) =>
      subject.startsWith('Your price changes on '),
    )
    expect(notice?.body).toContain('changes from $99.00 to $109.00 a month')
    const { price, new_price } = await officeOf(member)
    expect(price, 'the next charge').toBe('109.00')
    expect(new_price).toMatchObject({ now: '99.00', price: '109.00' })
    expect(notice?.body).toContain(
      new Date(new_price?.from_on ?? 0).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' }),
    )
    await pass(site, 62)
    expect(await amountsOf(member)).toEqual([9900, 10_900, 10_900])
    expect((await officeOf(member)).new_price).toBeUndefined()
    expect(
      (await subjectsTo(member)).filter((subject) => subject.startsWith('Your price')),
      'told once',
    ).toHaveLength(1)
    expect((await subjectsTo(canceled)).filter((subject) => subject.startsWith('Your price'))).toEqual([])
  })

  it('to less counts from the next month on, and one that is withdrawn never counts', async () => {
    const member = await newMember(site)
    await changePrice(site.world, { ...change, new_cents: 8000 })
    await pass(site, 32)
    expect(await amountsOf(member)).toEqual([8000])
    await changePrice(site.world, { ...change, new_cents: 20_000 })
    await pass(site, 30)
    await changePrice(site.world, { ...change, new_cents: 8000 })
    await pass(site, 34)
    expect(await amountsOf(member)).toEqual([8000, 8000, 8000])
    const subjects = (await subjectsTo(member)).filter((subject) => /price|pay less/.test(subject))
    expect(subjects).toEqual([
      'Your price stays the same',
      expect.stringMatching(/^Your price changes on/),
      'You pay less from now on',
    ])
  })

  it('reaches every member once, however often its job runs', async () => {
    const members = [await newMember(site), await newMember(site), await newMember(site)]
    await changePrice(site.world, { ...change, new_cents: 11_000 })
    const { id } = await site.db
      .selectFrom('price_change')
      .select('id')
      .where('new_cents', '=', 11_000)
      .executeTakeFirstOrThrow()
    const { announcePrices } = await import('./price-change.ts')
    await Promise.all([1, 2, 3].map(() => announcePrices(site.world, { price_change_id: id })))
    await pass(site, 32)
    for (const member of members)
      expect((await subjectsTo(member)).filter((subject) => subject.startsWith('Your price'))).toHaveLength(1)
    expect(await site.db.selectFrom('price_change').select('told').where('id', '=', id).executeTakeFirst()).toEqual({
      told: 3,
    })
  })

  it('is not told to anybody once a later change has replaced it', async () => {
    const member = await newMember(site)
    await changePrice(site.world, { ...change, new_cents: 13_000 })
    site.advance(1)
    await changePrice(site.world, { ...change, new_cents: 9900 })
    while (await runJobs(site.world));
    expect((await subjectsTo(member)).filter((subject) => subject.includes('price'))).toEqual([])
    await pass(site, 65)
    expect(await amountsOf(member)).toEqual([9900, 9900])
  })

  it('needs 7 to 30 days of notice, and a package that renews', () => {
    for (const notice_days of [6, 31])
      expect(() => changePrice(site.world, { ...change, new_cents: 1, notice_days })).toThrow('7 to 30 days')
    return expect(changePrice(site.world, { ...change, product_id: 999, new_cents: 1 })).rejects.toThrow(
      'no package 999',
    )
  })
})

describe('17.13 notices ahead of time', () => {
  it('a card that expires soon is named once, 30 days before', async () => {
    const member = await newMember(site)
    const day = new Date(site.world.now().getTime() + 45 * DAY * 1000)
    const card_expires = day.toISOString().slice(0, 7)
    await site.db
      .updateTable('membership')
      .set({ card_expires, notice_at: site.world.now() })
      .where('member_id', '=', member.id)
      .execute()
    await pass(site, 75)
    const emails = await emailsTo(site, member.email, 'Your card expires soon')
    expect(emails).toHaveLength(1)
    expect(emails[0]?.body).toContain('Visa ending in 4242')
    expect(emails[0]?.body).toContain('#card')
  })

  it('a reminder comes every year, but not to those who have canceled', async () => {
    const [member, canceled] = [await newMember(site), await newMember(site)]
    await cancel(site.world, canceled.id)
    site.advance(330 * DAY)
    await pass(site, 45) // the renewal day has moved, and the year with it by less than a month
    const [reminder, ...more] = await emailsTo(
      site,
      member.email,
      'Your yearly reminder: what you pay, and how to stop',
    )
    expect(more).toEqual([])
    expect(reminder?.body).toContain('$99.00 a month')
    expect(await emailsTo(site, canceled.email, 'Your yearly reminder: what you pay, and how to stop')).toEqual([])
  })
})

describe('17.14 a membership that renews every year', () => {
  const setInterval = (billing_interval: 'month' | 'year') =>
    site.db.updateTable('package').set({ billing_interval }).where('product_id', '=', 34).execute()

  it('is charged once a year, and everything says so', async () => {
    await setInterval('year')
    const member = await newMember(site)
    await setInterval('month')
    const consents = await site.db
      .selectFrom('acceptance')
      .innerJoin('legal_text', 'legal_text.sha256', 'acceptance.sha256')
      .select('content')
      .where('member_id', '=', member.id)
      .where('agreement', '=', 'agreement_2')
      .execute()
    expect(consents).toEqual([
      { content: 'I agree that my card is charged $99.00 today and $99.00 every year until I cancel.' },
    ])
    const { renews_on, billing_interval } = await officeOf(member)
    expect([billing_interval, Number(renews_on.slice(0, 4))]).toEqual(['year', site.world.now().getUTCFullYear() + 1])
    site.advance(363 * DAY)
    await pass(site, 4)
    expect(await amountsOf(member)).toEqual([9900])
    const [receipt] = await emailsTo(site, member.email, 'Your receipt: $99.00 for your membership')
    expect(receipt?.body).toContain('for the year from')
    expect(receipt?.body).toContain('every year until you cancel')
  })

  it('takes no package that renews every month', async () => {
    await setInterval('year')
    const form = await filledForm(site, {
      username: 'mixing',
      email: 'mixing@example.com',
      cc_year: '2035',
      autoship_product_ids: '41',
    })
    const reply = await site.post('enrollment/add-enrollment', form)
    await setInterval('month')
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields.autoship_product_ids[0]).toMatch(/does not renew as often/)
  })
})

it('17.15 nothing is charged on hold, and after it the missed months are waived', async () => {
  const member = await newMember(site)
  expect(await putOnHold(site.world, member.id, 'dispute')).toBe(true)
  expect(await putOnHold(site.world, member.id, 'again')).toBe(false)
  await pass(site, 70)
  expect(await amountsOf(member)).toEqual([])
  expect(await liftHold(site.world, member.id)).toBe(true)
  await pass(site, 1)
  expect(await amountsOf(member)).toEqual([9900])
  const states = await site.db
    .selectFrom('period')
    .select('state')
    .where('member_id', '=', member.id)
    .orderBy('n')
    .execute()
  expect(states.map(({ state }) => state)).toEqual(['paid', 'waived', 'waived', 'paid'])
})
