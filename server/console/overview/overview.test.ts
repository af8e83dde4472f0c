import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProblemList, Today } from '#contract/console/overview.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import type { SandboxGateway } from '#server/gateways/payment/sandbox/sandbox.ts'
import { cancel } from '#server/membership/cancellation.ts'
import { reconcile } from '#server/payments/books/reconciliation.ts'
import { requestRefund, requestVoid } from '#server/payments/refunds.ts'
import { joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { doEverythingDue } from '#server/worker/worker.ts'

const DAY = 86_400

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite({ TIME_ZONE: 'UTC' })
})
afterAll(() => site.close())

const today = async (): Promise<Today> => (await owner.get('today')).json()
const problems = async (): Promise<ProblemList> => (await owner.get('problems')).json()

describe('today', () => {
  it('19.17 shows who joined, what was collected, and how both were a week ago', async () => {
    await joinedMember(site)
    await joinedMember(site)
    await doEverythingDue(site.world)
    site.advance(7 * DAY)
    await joinedMember(site, { cc_number: cards.renewalDeclinedOnce })
    await doEverythingDue(site.world)
    owner = await staffMember(site, 'owner')
    const view = await today()
    const none = { renewals: 0, refunded: '0.00', disputed: '0.00' }
    expect(view.today).toEqual({ joined: 1, collected: '99.00', first_payments: 1, ...none })
    expect(view.week_ago).toEqual({ joined: 2, collected: '198.00', first_payments: 2, ...none })
    expect(view.newest).toHaveLength(3)
  })

  it('19.17 counts renewals that are declined, and those that are saved by a later try', async () => {
    for (let day = 0; day < 30; day++) {
      site.advance(DAY)
      await doEverythingDue(site.world)
    } // the third member's month has ended too
    owner = await staffMember(site, 'owner')
    expect(await today()).toMatchObject({ declined: 1, saved: 0, past_due: 1 })
    site.advance(3 * DAY)
    await doEverythingDue(site.world)
    owner = await staffMember(site, 'owner')
    expect(await today()).toMatchObject({ declined: 0, saved: 1, past_due: 0, today: { renewals: 1 } })
  })

  it('19.17 counts cancellations, and shows the state of each part', async () => {
    const { username } = await joinedMember(site)
    const { id } = await site.db
      .selectFrom('member')
      .select('id')
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    await doEverythingDue(site.world)
    const shown = async () => {
      const { canceled, parts } = await today()
      return [canceled, Object.fromEntries(parts.map(({ name, state }) => [name, state]))]
    }
    const good = {
      ...{ 'Payment gateway': 'answering', Emails: 'all sent', 'Gateway’s books': 'compared' },
      ...{ 'Declined cards': 'normal', 'Phone codes': 'normal' },
    }
    expect(await shown()).toEqual([0, good])
    await cancel(site.world, id) // which leaves an email to send
    site.world.paymentCalls.unanswered = 2
    const open_until = new Date(site.world.now().getTime() + DAY * 1000)
    await site.db
      .insertInto('breaker')
      .values([
        { name: 'declines', open_until },
        { name: 'codes', open_until },
      ])
      .execute()
    expect(await shown()).toEqual([
      1,
      {
        ...{ 'Payment gateway': 'not answering', Emails: '1 waiting', 'Gateway’s books': 'compared' },
        ...{ 'Declined cards': 'phone codes required', 'Phone codes': 'limited' },
      },
    ])
    site.world.paymentCalls.unanswered = 0
    await site.db.deleteFrom('breaker').execute()
    await doEverythingDue(site.world)
  })
})

describe('collected', () => {
  let figures: Site
  beforeAll(async () => {
    figures = await testSite({ TIME_ZONE: 'UTC' })
  })
  afterAll(() => figures.close())

  const dayFigures = async () => {
    await doEverythingDue(figures.world)
    const reply = await (await staffMember(figures, 'owner')).get('today')
    return (reply.json() as Today).today
  }
  const newCharge = async (cc_number: string = cards.good) => {
    const { username } = await joinedMember(figures, { cc_number })
    await doEverythingDue(figures.world)
    return figures.db
      .selectFrom('payment')
      .innerJoin('member', 'member.enrollment_id', 'payment.enrollment_id')
      .select(['reference', 'transaction_id'])
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
  }
  const request = { reason: 'A test', who: 'staff' }

  it('19.17 leaves out voided charges, and shows refunds and disputes on the day they happen', async () => {
    const [voided, refundedToday] = [await newCharge(), await newCharge()]
    const [refundedLater, disputed] = [await newCharge(), await newCharge()]
    await requestVoid(figures.world, { reference: voided.reference, ...request })
    await requestRefund(figures.world, { reference: refundedToday.reference, ...request }) // before it settled: a void
    expect(await dayFigures()).toEqual({
      ...{ joined: 4, collected: '198.00', first_payments: 2, renewals: 0 },
      ...{ refunded: '0.00', disputed: '0.00' },
    })
    figures.advance(2 * DAY)
    await requestRefund(figures.world, { reference: refundedLater.reference, amount_cents: 4000, ...request })
    await (figures.world.payment as SandboxGateway).dispute(disputed.transaction_id ?? '', 'open')
    await reconcile(figures.world, new Date(0))
    expect(await dayFigures()).toMatchObject({ collected: '0.00', refunded: '40.00', disputed: '99.00' })
    figures.advance(5 * DAY)
    const reply = await (await staffMember(figures, 'owner')).get('today')
    expect((reply.json() as Today).week_ago, 'the day of the charges stays as it was').toMatchObject({
      collected: '198.00',
      first_payments: 2,
    })
  })
})

describe('what needs attention', () => {
  it('19.18 is empty while everything goes its way', async () => {
    expect(await problems()).toEqual({ problems: [], is_capped: false })
  })

  it('19.18 lists payments that nobody answers, and those in review, after an hour', async () => {
    const form = { cc_number: cards.review }
    await joinedMember(site, form).catch(() => undefined)
    expect((await problems()).problems).toEqual([])
    site.advance(3601)
    owner = await staffMember(site, 'owner')
    expect((await problems()).problems).toMatchObject([
      { kind: 'review', title: 'Payment held for review', amount: '99.00' },
    ])
    expect(await today()).toMatchObject({ problems: 1 })
  })

  it('19.18 lists a payment that has waited for its own process for hours', async () => {
    const member = await joinedMember(site)
    const stuck = { state: 'authorizing' as const, created_at: new Date(site.world.now().getTime() - 3 * 3_600_000) }
    const { reference } = await site.db
      .updateTable('payment')
      .set(stuck)
      .where('enrollment_id', 'in', ({ selectFrom }) =>
        selectFrom('member').select('enrollment_id').where('username', '=', member.username),
      )
      .returning('reference')
      .executeTakeFirstOrThrow()
    const listed = (await problems()).problems.filter(({ detail }) => detail === reference)
    expect(listed).toMatchObject([{ kind: 'unanswered', title: 'Payment without an answer' }])
    await site.db.updateTable('payment').set({ state: 'captured' }).where('reference', '=', reference).execute()
  })

  it('19.18 lists an email that was given up', async () => {
    const now = site.world.now()
    await site.db
      .insertInto('job')
      .values({
        id: crypto.randomUUID(),
        kind: 'welcome',
        payload: '{}',
        run_at: now,
        tries: 9,
        last_error: 'no such mailbox',
        done_at: now,
      })
      .execute()
    expect((await problems()).problems).toContainEqual(
      expect.objectContaining({
        kind: 'email',
        title: 'Welcome email couldn’t be sent',
        detail: 'no such mailbox',
      }),
    )
  })

  it('19.18 19.21 leads to exactly the members that weren’t charged on time, however they are ordered', async () => {
    const told = [await joinedMember(site), await joinedMember(site)]
    const other = await joinedMember(site)
    owner = await staffMember(site, 'owner')
    const tell = async (usernames: string[], days: number) =>
      site.db
        .insertInto('member_event')
        .columns(['member_id', 'at', 'kind', 'what'])
        .expression(({ selectFrom, val }) =>
          selectFrom('member')
            .select(['id', val(new Date(site.world.now().getTime() - days * DAY * 1000)).as('at')])
            .select([sql.lit('email').as('kind'), sql.lit('charging_resumed').as('what')])
            .where('username', 'in', usernames),
        )
        .execute()
    await tell(
      told.map(({ username }) => username),
      0,
    )
    await tell([other.username], 1)
    const listed = (await problems()).problems.filter(({ kind }) => kind === 'resumed')
    expect(listed.map(({ title, member }) => [title, Boolean(member)])).toEqual([
      ['A member wasn’t charged on time', true],
      ['2 members weren’t charged on time', false],
    ])
    for (const more of ['', '&sort=name', '&sponsor=ana']) {
      const { members, total } = (await owner.get(`members?resumed_on=${listed[1]?.resumed_on}${more}`)).json()
      const found = members.map(({ username }: { username: string }) => username)
      expect(found.sort()).toEqual(told.map(({ username }) => username).sort())
      if (!more.includes('sponsor')) expect(total).toEqual({ count: 2, is_more: false })
    }
  })

  it('19.18 19.82 lists a discrepancy with the gateway until it is resolved with a reason', async () => {
    const discrepancy = { reference: 'a'.repeat(20), kind: 'missing here' }
    await site.db
      .insertInto('difference')
      .values({ ...discrepancy, ours: 'nothing', theirs: 'captured', found_at: site.world.now() })
      .execute()
    expect((await problems()).problems).toContainEqual(expect.objectContaining({ kind: 'discrepancy', discrepancy }))
    const refused = await owner.post('problems/resolve', { ...discrepancy, reason: ' ' })
    expect(refused.statusCode).toBe(422)
    const reply = await owner.post('problems/resolve', { ...discrepancy, reason: 'a test charge' })
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json().problems.map(({ kind }: { kind: string }) => kind)).not.toContain('discrepancy')
    expect((await owner.post('problems/resolve', { ...discrepancy, reason: 'again' })).statusCode).toBe(409)
  })

  it('19.18 resolving a dispute records how it ended', async () => {
    const dispute = { reference: 'd'.repeat(20), kind: 'dispute', reason: 'closed by the bank' }
    const { reason: _reason, ...key } = dispute
    await site.db
      .insertInto('difference')
      .values({ ...key, ours: 'captured', theirs: 'disputed', found_at: site.world.now() })
      .execute()
    const refused = await owner.post('problems/resolve', dispute)
    expect(refused.json().fields).toEqual({ outcome: ['Please choose how the dispute ended.'] })
    expect((await owner.post('problems/resolve', { ...dispute, outcome: 'lost' })).statusCode).toBe(200)
    const row = site.db.selectFrom('difference').select('is_lost').where('reference', '=', dispute.reference)
    expect(await row.executeTakeFirst()).toEqual({ is_lost: true })
  })

  it('19.18 lists a renewal that was declined three times, and says when the last try is', async () => {
    const { username } = await joinedMember(site, { first_name: 'Nia', cc_number: cards.renewalNoFunds })
    for (const days of [31, 3, 4]) {
      site.advance(days * DAY)
      await doEverythingDue(site.world)
    }
    owner = await staffMember(site, 'owner')
    const renewals = (await problems()).problems.filter(({ kind }) => kind === 'renewal')
    expect(renewals).toMatchObject([{ title: 'A renewal failed: one try left', amount: '99.00' }])
    expect(renewals[0]?.member?.name, username).toContain('Nia')
    site.advance(7 * DAY)
    await doEverythingDue(site.world) // the last try: the membership ends
    owner = await staffMember(site, 'owner')
    expect((await problems()).problems.filter(({ kind }) => kind === 'renewal')).toEqual([])
  })
})
