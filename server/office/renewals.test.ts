import { afterAll, beforeAll, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { changePrice } from '#server/membership/price-change.ts'
import { cookieOf, emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { solve } from '#server/test/solve-captcha.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'

const DAY = 86_400

let site: Site
beforeAll(async () => {
  site = await testSite({ LIMIT_GRANTS: '100000/3600', LIMIT_SIGN_INS: '1000/900', AUTOSHIP: 'on' })
})
afterAll(() => site.close())

type Member = Awaited<ReturnType<typeof joinedMember>>

async function pass(days: number) {
  for (let day = 0; day < days; day++) {
    site.advance(DAY)
    while (await renewMemberships(site.world));
    await settleAttempts(site.world)
  }
}

/** Sends a call of the office, signed in again, because a session is shorter than a month. */
async function call(member: Member, path: string, input: object = {}) {
  const { username, password } = member
  const cookie = cookieOf(await site.post('office/sign-in', { name: username, password }))
  return site.post(`office/${path}`, { username, ...input }, { cookie })
}

async function newCard(cc_number: string) {
  const challenge = (await site.get('/api/captcha/challenge')).json()
  return { cc_number, cc_month: '12', cc_year: '2030', cc_cvv: '123', captcha: await solve(challenge) }
}

const capturesOf = async ({ username }: Member) =>
  (
    await site.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select(['period', 'amount_cents'])
      .where('username', '=', username)
      .where('period', '>', 0)
      .where('payment.state', '=', 'captured')
      .orderBy('attempt')
      .execute()
  ).map(({ period, amount_cents }) => [period, amount_cents])

it('17.8 a new card is charged immediately for what is past due, and the office shows it', async () => {
  const member = await joinedMember(site, { cc_number: cards.renewalStolen })
  await pass(31)
  const reply = await call(member, 'card', { ...(await newCard('5555555555554444')), shown_price: '99.00' })
  expect([reply.statusCode, reply.json().membership]).toEqual([
    200,
    expect.objectContaining({
      state: 'active',
      card: { brand: 'Mastercard', last_four: '4444', expires: '2030-12' },
    }),
  ])
  expect(reply.json().membership.payment_problem).toBeUndefined()
  expect(reply.json().renewals).toEqual([expect.objectContaining({ total: '99.00' })])
  expect(await capturesOf(member)).toEqual([[1, 9_900]])
})

/** A refusal that names the new amount. */
const changed = (amount: string) => {
  const message = `The amount is now ${amount}. Please check it and try again.`
  return [422, { message, fields: { shown_price: [message] } }]
}

it('17.49 a new card is charged what the button named, or refused with the new amount', async () => {
  const member = await joinedMember(site, { cc_number: cards.renewalNoFunds, autoship_product_ids: '41' })
  const { membership: paid } = (await call(member, 'keep')).json()
  expect(paid.card_charge).toBeUndefined()
  await pass(31)
  const { membership: due } = (await call(member, 'keep')).json()
  expect(due.card_charge).toBe('123.00')
  const save = async (shown: object) => {
    const reply = await call(member, 'card', { ...(await newCard('5555555555554444')), ...shown })
    return [reply.statusCode, reply.json()] as const
  }
  expect(await save({})).toEqual(changed('$123.00')) // the form said "without a charge"
  await call(member, 'drop-package', { product_id: 41 })
  expect(await save({ shown_price: '123.00' })).toEqual(changed('$99.00'))
  expect([await capturesOf(member), (await call(member, 'keep')).json().membership.card.last_four]).toEqual([
    [],
    '2511',
  ])
  const [status, { membership }] = await save({ shown_price: '99.00' })
  expect([status, membership.card_charge, await capturesOf(member)]).toEqual([200, undefined, [[1, 9_900]]])
  const [nothingDue, { message }] = await save({ shown_price: '99.00' })
  expect([nothingDue, message]).toEqual([422, 'There’s nothing left to pay. Please check the page and try again.'])
})

it('17.49 resuming on the renewal day charges the new month, but only what the button named', async () => {
  const member = await joinedMember(site)
  const { renews_on, resume_charge } = (await call(member, 'cancel')).json().membership
  expect(resume_charge, 'while the month lasts, resuming is free').toBeUndefined()
  while (site.world.now().toISOString().slice(0, 10) < renews_on) await pass(1)
  expect((await call(member, 'cancel')).json().membership).toMatchObject({ is_over: false, resume_charge: '99.00' })
  for (const shown of [{}, { shown_price: '80.00' }]) {
    const reply = await call(member, 'keep', shown)
    expect([reply.statusCode, reply.json()]).toEqual(changed('$99.00'))
  }
  while (await renewMemberships(site.world));
  expect(await capturesOf(member), 'still canceled').toEqual([])
  const kept = await call(member, 'keep', { shown_price: '99.00' })
  expect([kept.statusCode, kept.json().membership.cancelled_on]).toEqual([200, undefined])
  while (await renewMemberships(site.world));
  expect(await capturesOf(member)).toEqual([[1, 9_900]])
})

it('17.8 a card that the bank declines, or without the captcha, leaves the old one on file', async () => {
  const member = await joinedMember(site)
  const declined = await call(member, 'card', await newCard(cards.declined))
  expect([declined.statusCode, declined.json()]).toEqual([
    402,
    { message: expect.stringMatching(/^Your bank declined this card, and nothing was charged\./) },
  ])
  const robot = await call(member, 'card', { ...(await newCard('5555555555554444')), captcha: 'x' })
  expect(robot.json().fields).toEqual({ captcha: ['Please confirm the captcha.'] })
  await pass(31)
  expect(await capturesOf(member)).toEqual([[1, 9_900]])
})

it('17.37 trying other cards uses up no scheduled try: the membership ends on day 14, and until then a card can save it', async () => {
  const [tries, saved] = [
    await joinedMember(site, { cc_number: cards.renewalNoFunds, username: 'triescards' }),
    await joinedMember(site, { cc_number: cards.renewalNoFunds, username: 'savedbycard' }),
  ]
  await pass(31)
  for (const member of [tries, saved])
    for (let time = 1; time <= 4; time++) {
      const card = { ...(await newCard(cards.renewalNoFunds)), shown_price: '99.00' }
      const { membership } = (await call(member, 'card', card)).json()
      expect(membership, `after ${time} more cards`).toMatchObject({ state: 'past_due', is_over: false })
    }
  const { retry_on, ends_on } = (await call(tries, 'keep')).json().membership.payment_problem
  const [email] = (await emailsTo(site, tries.email)).filter(({ subject }) => subject.includes('did not go through'))
  expect(email?.subject).toBe('Your payment did not go through')
  expect(email?.body).toContain(`try again on ${longDay(retry_on)}`)
  await pass(12)
  const [last] = await emailsTo(site, tries.email)
  expect(last?.subject).toBe('Last try: your payment did not go through')
  expect(last?.body).toContain(`once more on ${longDay(ends_on)}`)
  const good = { ...(await newCard(cards.good)), shown_price: '99.00' }
  expect((await call(saved, 'card', good)).json().membership.state).toBe('active')
  await pass(3)
  expect((await call(tries, 'keep')).statusCode).toBe(409)
  expect([await capturesOf(tries), await capturesOf(saved)]).toEqual([[], [[1, 9_900]]])
})

it('17.40 a retry charges the current amount: dropped packages are gone, a lower price applies, a higher one never does', async () => {
  const member = await joinedMember(site, {
    username: 'retriesless',
    cc_number: cards.renewalDeclinedOnce,
    autoship_product_ids: '41',
  })
  const due = async () => (await call(member, 'keep')).json().membership.payment_problem?.price
  while (!(await due())) await pass(1)
  expect(await due()).toBe('123.00')
  await call(member, 'drop-package', { product_id: 41 })
  expect(await due()).toBe('99.00')
  const change = { product_id: 34, notice_days: 30, reason: 'costs', who: 'Rosa' }
  for (const [new_cents, price] of [
    [8_000, '80.00'],
    [15_000, '80.00'],
  ] as const) {
    await changePrice(site.world, { ...change, new_cents })
    while (await runJobs(site.world));
    expect(await due()).toBe(price)
  }
  await site.db
    .updateTable('membership')
    .set({ lines: JSON.stringify([{ product_id: 34, name: 'Founding', renewal_cents: 15_000 }]) })
    .where('member_id', 'in', (db) => db.selectFrom('member').select('id').where('username', '=', member.username))
    .execute()
  expect(await due()).toBe('99.00')
  await site.db.updateTable('package').set({ renewal_cents: 9_900 }).where('product_id', '=', 34).execute()
  await pass(4)
  expect(await capturesOf(member)).toEqual([[1, 9_900]])
  expect((await call(member, 'keep')).json().renewals[0]).toMatchObject({ total: '99.00', lines: [{ price: '99.00' }] })
})

const longDay = (day: string) => new Date(day).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

it('17.8 card testers are stopped by the limits of the payment form', async () => {
  const strict = await testSite({ LIMIT_DECLINES_BY_ENROLLMENT: '1/3600' })
  strict.world.payment.isTestCard = () => false
  const member = await joinedMember(strict)
  const cookie = cookieOf(await strict.post('office/sign-in', { name: member.username, password: member.password }))
  const statuses: number[] = []
  for (const cc_number of [cards.declined, cards.noFunds, cards.good]) {
    const captcha = await solve((await strict.get('/api/captcha/challenge')).json())
    const card = { cc_number, cc_month: '12', cc_year: '2030', cc_cvv: '123', captcha }
    statuses.push((await strict.post('office/card', { username: member.username, ...card }, { cookie })).statusCode)
  }
  expect(statuses).toEqual([402, 429, 429])
  await strict.close()
})

it('17.9 a member who has not paid ends immediately by canceling, and is not charged again', async () => {
  const member = await joinedMember(site, { cc_number: cards.renewalNoFunds })
  await pass(31)
  const { membership } = (await call(member, 'cancel')).json()
  expect(membership).toMatchObject({ state: 'ended', is_over: true })
  await pass(40)
  expect(await capturesOf(member)).toEqual([])
  const tries = await site.db.selectFrom('payment').select('attempt').where('state', '=', 'declined').execute()
  expect(tries.length).toBeGreaterThan(0)
  const subjects = (await emailsTo(site, member.email)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'Your membership has ended')).toHaveLength(1)
})

it('17.10 a member comes back with one payment, under the same name and link, at today’s price', async () => {
  const member = await joinedMember(site)
  await call(member, 'cancel')
  await pass(40)
  const isActive = async () =>
    (await site.get(`/api/enrollment/get_enrollment_sponsor?sponsor_site=${member.username}`)).json().active
  expect([await isActive(), await capturesOf(member)]).toEqual(['No', []])
  await site.db.updateTable('package').set({ renewal_cents: 10_900 }).where('product_id', '=', 34).execute()
  const stale = await call(member, 'come-back', { shown_price: '99.00' })
  expect([stale.statusCode, stale.json()]).toEqual(changed('$109.00'))
  const replies = await Promise.all([1, 2, 3].map(() => call(member, 'come-back', { shown_price: '109.00' })))
  for (const reply of replies) expect(reply.statusCode).toBe(200)
  await site.db.updateTable('package').set({ renewal_cents: 9_900 }).where('product_id', '=', 34).execute()
  expect([await isActive(), await capturesOf(member)]).toEqual(['Yes', [[1, 10_900]]])
  await pass(31)
  expect(await capturesOf(member)).toEqual([
    [1, 10_900],
    [2, 10_900],
  ])
})

it('17.10 a card that is declined when coming back changes nothing', async () => {
  const member = await joinedMember(site, { cc_number: cards.renewalNoFunds })
  await call(member, 'cancel')
  await pass(40)
  const reply = await call(member, 'come-back', { shown_price: '99.00' })
  expect([reply.statusCode, reply.json().message]).toEqual([402, expect.stringContaining('declined')])
  expect((await call(member, 'cancel')).json().membership).toMatchObject({ is_over: true, state: 'ended' })
})

it('17.11 a recurring package can be dropped, and the membership goes on', async () => {
  const member = await joinedMember(site, { autoship_product_ids: '41' })
  const before = (await call(member, 'keep')).json().membership
  expect([before.price, before.lines.length]).toEqual(['123.00', 2])
  const reply = await call(member, 'drop-package', { product_id: 41 })
  expect(reply.json().membership).toMatchObject({ price: '99.00', lines: [{ product_id: 34, price: '99.00' }] })
  const refused = await call(member, 'drop-package', { product_id: 34 })
  expect(refused.statusCode).toBe(409)
  await pass(31)
  expect(await capturesOf(member)).toEqual([[1, 9_900]])
})
