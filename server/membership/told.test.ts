import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { longDay } from '#contract/days.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { viewOffice } from '#server/office/view.ts'
import { emailsTo } from '#server/test/member.ts'
import { newMember, pass, work } from '#server/test/membership.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'
import { cancel, resume } from './cancellation.ts'
import { chargePastDue, replaceCard } from './card.ts'
import { liftHold, putOnHold } from './hold.ts'
import { changePrice } from './price-change.ts'

/** What members are told about payments, by email and in the office. */

let site: Site
beforeAll(async () => {
  site = await testSite({ AUTOSHIP: 'on', PAYMENT_IN_FLIGHT_SECONDS: '60' })
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.db.updateTable('membership').set({ due_at: null, notice_at: null, state: 'ended' }).execute() // other tests' members
  await site.db.deleteFrom('job').execute()
  beginMonthOf30Days()
})

/** Members join at noon on the first of a month with 30 days. */
function beginMonthOf30Days() {
  const now = site.world.now().getTime()
  const starts = [1, 2, 3, 4, 5].map((ahead) => new Date(now).setUTCMonth(new Date(now).getUTCMonth() + ahead, 1))
  const start = starts.find((time) => [3, 5, 8, 10].includes(new Date(time).getUTCMonth())) ?? 0
  site.advance((new Date(start).setUTCHours(12, 0, 0, 0) - now) / 1000)
}

const emailAbout = async ({ email }: { email: string }, subject: RegExp) =>
  (await emailsTo(site, email)).find((message) => subject.test(message.subject))?.body ?? ''

describe('a cancellation that is undone', () => {
  it('15.9 quotes the price of the next charge, not of the first order', async () => {
    const member = await newMember(site)
    const change = { product_id: 34, new_cents: 7900, notice_days: 30, reason: 'sale', who: 'test' }
    await changePrice(site.world, change)
    await pass(site, 1)
    await cancel(site.world, member.id)
    await resume(site.world, member.id)
    const email = await emailAbout(member, /^Your membership continues$/)
    await changePrice(site.world, { ...change, new_cents: 9900 })
    expect(email).toContain('Your membership costs $79.00 a month')
    expect(email).not.toContain('$99.00')
  })
})

const newCard = { cc_number: '5555555555554444', cc_month: '12', cc_year: '2034', cc_cvv: '123' }
const billing = {
  ...{ first_name: 'Zoë', last_name: 'Ruiz', address: '1 High St', address2: '', city: 'Austin' },
  ...{ state: 'TX', country: 'US', post_code: '78701' },
}

describe('a new card after the bank forbade the old one', () => {
  it('17.37 is tried again on the next scheduled day, not immediately, and the email names that day', async () => {
    const member = await newMember(site, { cc_number: cards.renewalStolen })
    await pass(site, 35) // on day 5 of the new month; the try on day 3 was passed over
    const card = { ...newCard, cc_number: cards.renewalNoFunds }
    await replaceCard(site.world, member.id, { card, billing, reference: 'told-no-funds' })
    await chargePastDue(site.world, member.id)
    await work(site.world)
    const attempts = await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select(['by_member', 'payment.state'])
      .where('member.id', '=', member.id)
      .where('period', '>', 0)
      .orderBy('attempt')
      .execute()
    expect(attempts).toEqual([
      { by_member: false, state: 'declined' },
      { by_member: true, state: 'declined' },
    ])
    const { due_at } = await site.db
      .selectFrom('membership')
      .select('due_at')
      .where('member_id', '=', member.id)
      .executeTakeFirstOrThrow()
    const next_on = due_at?.toISOString().slice(0, 10) ?? ''
    expect(due_at?.getTime()).toBeGreaterThan(site.world.now().getTime())
    expect(await emailAbout(member, /did not go through/)).toContain(`again on ${longDay(next_on)}`)
  })
})

describe('a new card on the day of a scheduled try', () => {
  it('17.37 is tried once that day, and again on the next scheduled one', async () => {
    const member = await newMember(site, { cc_number: cards.renewalStolen })
    await pass(site, 33) // day 3 of the new month
    const card = { ...newCard, cc_number: cards.renewalNoFunds }
    await replaceCard(site.world, member.id, { card, billing, reference: 'told-once-a-day' })
    await chargePastDue(site.world, member.id)
    await work(site.world)
    const tries = () =>
      site.db
        .selectFrom('payment')
        .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
        .select('attempt')
        .where('member.id', '=', member.id)
        .where('period', '>', 0)
        .execute()
    expect(await tries()).toHaveLength(2)
    await pass(site, 4)
    expect(await tries()).toHaveLength(3)
  })
})

describe('a new card whose charge never reached the gateway', () => {
  it('17.5 is charged again immediately, not on the next scheduled day', async () => {
    const member = await newMember(site, { cc_number: cards.renewalNoFunds })
    await pass(site, 31)
    await replaceCard(site.world, member.id, { card: newCard, billing, reference: 'told-lost' })
    const { charge } = site.world.payment
    site.world.payment.charge = async () => ({ outcome: 'unknown' })
    await chargePastDue(site.world, member.id)
    site.world.payment.charge = charge
    site.advance(3600)
    await settleAttempts(site.world)
    expect((await viewOffice(site.world, member.id)).membership.payment_problem).toBeUndefined()
    const { state } = await site.db
      .selectFrom('membership')
      .select('state')
      .where('member_id', '=', member.id)
      .executeTakeFirstOrThrow()
    expect(state).toBe('active')
  })
})

describe('a late answer about the old card', () => {
  it('17.39 never marks the new card, which is charged next; emails and receipts name the card that was charged', async () => {
    const member = await newMember(site)
    const { charge, lookup } = site.world.payment
    site.world.payment.charge = async () => ({ outcome: 'unknown' })
    await pass(site, 30)
    site.world.payment.charge = charge
    await replaceCard(site.world, member.id, { card: newCard, billing, reference: 'told-new-card' })
    site.world.payment.lookup = async () => ({
      ...{ outcome: 'declined', decline_class: 'card', never_retry: true, issuer_code: '43' },
    })
    site.advance(60)
    await settleAttempts(site.world)
    site.world.payment.lookup = lookup
    const { never_retry_since } = await site.db
      .selectFrom('membership')
      .select('never_retry_since')
      .where('member_id', '=', member.id)
      .executeTakeFirstOrThrow()
    expect(never_retry_since).toBe(null)
    const declined = await emailAbout(member, /did not go through/)
    expect(declined).toContain('Visa ending in 4242')
    expect(declined).toContain('Next, we’ll charge your new card, Mastercard ending in 4444.')
    await work(site.world)
    expect(await emailAbout(member, /^Your receipt/)).toContain('Mastercard ending in 4444')
    await replaceCard(site.world, member.id, {
      ...{ card: { ...newCard, cc_number: '378282246310005', cc_cvv: '1234' }, billing, reference: 'told-third-card' },
    })
    const { renewals, receipt } = await viewOffice(site.world, member.id)
    expect(renewals.map(({ card }) => card?.last_four)).toEqual(['4444'])
    expect(receipt?.card?.last_four).toBe('4242')
    const job = { kind: 'renewed', tries: 0, run_at: site.world.now(), done_at: null }
    await site.db.updateTable('job').set(job).where('kind', '=', 'renewed').execute()
    expect(await emailAbout(member, /^Your receipt/)).toContain('Mastercard ending in 4444')
  })
})

describe('a higher price whose notice was not sent', () => {
  const change = { product_id: 34, notice_days: 7, reason: 'costs', who: 'test' }
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

  it('17.42 is not charged while the mail server is down', async () => {
    const member = await newMember(site)
    await pass(site, 20)
    const { send } = site.world.mail
    site.world.mail.send = async () => {
      throw new Error('The mail server is down.')
    }
    await changePrice(site.world, { ...change, new_cents: 12_900 })
    await pass(site, 12)
    site.world.mail.send = send
    await changePrice(site.world, { ...change, new_cents: 9900 })
    expect(await amountsOf(member)).toEqual([9900])
  })

  it('17.42 gets no email anymore once the price has changed again', async () => {
    const [replaced, withdrawn] = [await newMember(site), await newMember(site)]
    const { send } = site.world.mail
    site.world.mail.send = async () => {
      throw new Error('The mail server is down.')
    }
    await changePrice(site.world, { ...change, new_cents: 12_900 })
    await pass(site, 1)
    await changePrice(site.world, { ...change, new_cents: 13_900 })
    await pass(site, 1)
    await putOnHold(site.world, replaced.id, 'staff')
    await changePrice(site.world, { ...change, new_cents: 9900 })
    await pass(site, 1)
    site.world.mail.send = send
    await site.db.updateTable('job').set({ run_at: site.world.now() }).where('done_at', 'is', null).execute()
    const pricesTold = async ({ email }: { email: string }) =>
      (await emailsTo(site, email)).filter(({ subject }) => / price |pay less/.test(subject)).map(({ body }) => body)
    expect(await pricesTold(replaced)).toEqual([expect.stringContaining('changes from $99.00 to $139.00')])
    expect(await pricesTold(withdrawn)).toEqual([])
  })

  it('17.42 that is withdrawn while its email is on its way is followed by one that says so', async () => {
    const member = await newMember(site)
    const { send } = site.world.mail
    site.world.mail.send = async (email) => {
      site.world.mail.send = send
      site.advance(1)
      await changePrice(site.world, { ...change, new_cents: 9900 })
      await runJobs(site.world, ['price_change'])
      return send(email)
    }
    await changePrice(site.world, { ...change, new_cents: 12_900 })
    await work(site.world)
    const subjects = (await emailsTo(site, member.email)).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.startsWith('Your price')).sort()).toEqual([
      expect.stringMatching(/^Your price changes on/),
      'Your price stays the same',
    ])
  })

  it('17.42 is not charged before the day that its email names, even if the renewal day moves', async () => {
    const member = await newMember(site)
    await pass(site, 5)
    await changePrice(site.world, { ...change, new_cents: 12_900, notice_days: 30 })
    await pass(site, 1)
    await putOnHold(site.world, member.id, 'staff')
    await pass(site, 31) // over the renewal, and over the notice
    await liftHold(site.world, member.id)
    await work(site.world)
    expect(await amountsOf(member)).toEqual([9900])
    await changePrice(site.world, { ...change, new_cents: 9900 })
  })

  it('17.42 a late notice moves the price to a period that begins at least 7 days later', async () => {
    const member = await newMember(site)
    await pass(site, 20)
    const { send } = site.world.mail
    site.world.mail.send = async () => {
      throw new Error('The mail server is down.')
    }
    await changePrice(site.world, { ...change, new_cents: 12_900 })
    await pass(site, 8) // two days before the renewal
    expect((await viewOffice(site.world, member.id)).membership.new_price).toBeUndefined()
    site.world.mail.send = send
    await site.db.updateTable('job').set({ run_at: site.world.now() }).where('done_at', 'is', null).execute()
    await pass(site, 4)
    const told = await emailAbout(member, /^Your price changes on/)
    expect(await amountsOf(member)).toEqual([9900])
    const { new_price } = (await viewOffice(site.world, member.id)).membership
    expect(new_price).toMatchObject({ now: '99.00', price: '129.00' })
    expect(told).toContain(`Your first charge at the new price is on ${longDay(new_price?.from_on ?? '')}`)
    await pass(site, 31)
    expect(await amountsOf(member)).toEqual([9900, 12_900])
    await changePrice(site.world, { ...change, new_cents: 9900 })
  })
})
