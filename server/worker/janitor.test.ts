import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { releaseAttempt } from '#server/enrollment/release.ts'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { emailsTo } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts, settlementGroups } from './janitor.ts'
import { runJobs } from './jobs.ts'

const enroll = async (site: Site, enrollment: string, changes: Record<string, string> = {}, attempt = 1) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), {
    'idempotency-key': `${enrollment}.${attempt}`,
  })

const payments = (site: Site) => site.db.selectFrom('payment').selectAll().orderBy('attempt').execute()
const transactions = (site: Site) => site.world.payment.transactions(new Date(0), AbortSignal.timeout(1000))

/** Takes the member's site between the reservation and the admission, so that the member can never be written. */
const blockMember = (site: Site, username: string) => {
  const { authorize } = site.world.payment
  site.world.payment.authorize = async (...args) => {
    const created_at = site.world.now()
    await site.db
      .insertInto('sponsor')
      .values({ id: randomUUID(), site: username, name: 'In the way', active: true, created_at })
      .execute()
    return authorize(...args)
  }
}

it('4.13 captures the payment and sends a welcome email with receipt and sponsor', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { username: 'lantern', email: 'Lantern@mail.example' })
  const emails = await emailsTo(site, 'Lantern@mail.example')
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  expect(await transactions(site)).toMatchObject([{ state: 'captured', amount_cents: 9900 }])
  expect(emails.map(({ subject }) => subject).sort()).toEqual(['Welcome to Foyer', 'Your copy of what you accepted'])
  const welcome = emails.find(({ subject }) => subject === 'Welcome to Foyer')
  expect(welcome?.body).toContain("You joined with Ana's Paper Lantern Studio")
  expect(welcome?.body).toContain('Total: $99.00')
  expect(welcome?.body).toContain('http://foyer.test/lantern')
  await site.close()
})

it('4.13 retries a capture that the gateway does not confirm, and captures once', async () => {
  const site = await testSite()
  const { capture } = site.world.payment
  let failures = 2
  site.world.payment.capture = async (...args) => (failures-- > 0 ? 'unknown' : capture(...args))
  await enroll(site, randomUUID())
  for (let round = 0; round < 4; round++) {
    while (await runJobs(site.world));
    site.advance(3600)
  }
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  const job = await site.db.selectFrom('job').selectAll().where('kind', '=', 'capture').executeTakeFirst()
  expect(job).toMatchObject({ tries: 3, last_error: null })
  await site.close()
})

it('4.20 if the member can never be written, the hold is voided and the visitor gets an email', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  blockMember(site, 'blocked')
  const reply = await enroll(site, enrollment, { username: 'blocked', email: 'blocked@mail.example' })
  expect(reply.json()).toMatchObject({ payment: 'Pending', token: '' })
  const [voidJob] = await site.db.selectFrom('job').select('payload').where('kind', '=', 'void').execute()
  const transaction_id = expect.any(String)
  expect(voidJob?.payload).toEqual({ enrollment_id: enrollment, attempt: 1, transaction_id }) // and no personal data
  while (await runJobs(site.world));
  expect(await payments(site)).toMatchObject([{ state: 'voided', details: null, password_hash: null }])
  expect(await transactions(site)).toMatchObject([{ state: 'voided' }])
  expect(await site.db.selectFrom('member').select('id').execute()).toEqual([])
  const [email] = (await site.get('/__outbox.json?to=blocked@mail.example')).json()
  expect(email.body).toContain('Nothing was charged')
  expect(email.body).toContain('http://foyer.test/ana') // the sponsor keeps the credit
  const status = await site.get('/api/enrollment/status', { 'idempotency-key': `${enrollment}.1` })
  expect(status.json()).toEqual({ state: 'none', attempt: 2 })
  await site.close()
})

it('4.20 a hold that cannot be voided is refunded, and retried until the gateway confirms', async () => {
  const site = await testSite()
  blockMember(site, 'blocked')
  const calls: string[] = []
  const answers = { void: ['unknown', 'refused', 'refused'], refund: ['unknown', 'done'] }
  for (const method of ['void', 'refund'] as const)
    site.world.payment[method] = async () => {
      calls.push(method)
      return answers[method].shift() as 'done'
    }
  await enroll(site, randomUUID(), { username: 'blocked' })
  for (let round = 0; round < 4; round++) {
    while (await runJobs(site.world));
    site.advance(15)
  }
  expect(calls).toEqual(['void', 'void', 'refund', 'void', 'refund'])
  expect(await payments(site)).toMatchObject([{ state: 'voided' }])
  await site.close()
})

it('4.18 a late approval of an abandoned attempt is voided, even after a later attempt has paid', async () => {
  const site = await testSite()
  const { authorize } = site.world.payment
  const [request, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  site.world.payment.authorize = async (...hold) => {
    request.resolve()
    await answer.promise
    return authorize(...hold)
  }
  const enrollment = randomUUID()
  const first = enroll(site, enrollment)
  await request.promise
  site.advance(31 * 60)
  while (await settleAttempts(site.world));
  site.world.payment.authorize = authorize
  expect((await enroll(site, enrollment, {}, 2)).json().payment).toBe('Approved')
  answer.resolve()
  await first
  while (await runJobs(site.world));
  expect(await payments(site)).toMatchObject([{ state: 'voided' }, { state: 'captured' }])
  await site.close()
})

it('4.18 a late decline does not change an attempt that has become a member', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  await enroll(site, enrollment)
  await releaseAttempt(site.world, { enrollment_id: enrollment, attempt: 1 }, 'bank')
  expect(await payments(site)).toMatchObject([{ state: 'enrolled' }])
  await site.close()
})

it('4.18 no email says that nothing was charged when the approval came first', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  await enroll(site, enrollment, { cc_number: cards.responseLost, email: 'quick@mail.example' })
  const { lookup } = site.world.payment
  site.world.payment.lookup = async (query, signal) => {
    const answer = await lookup(query, signal)
    if (answer.outcome === 'approved')
      await site.db
        .updateTable('payment')
        .set({ state: 'authorized', transaction_id: answer.transaction_id, vault_reference: answer.vault_reference })
        .execute()
    return { outcome: 'declined', decline_class: 'bank' } // an older answer that arrives last
  }
  for (let round = 0; round < 2; round++) {
    site.advance(61)
    await settleAttempts(site.world)
  }
  const emails = await emailsTo(site, 'quick@mail.example')
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  expect(emails.map(({ subject }) => subject).sort()).toEqual(['Welcome to Foyer', 'Your copy of what you accepted'])
  await site.close()
})

it('4.9 a lost answer is looked up after a second, then less and less often', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { cc_number: cards.responseLost })
  let lookups = 0
  site.world.payment.lookup = async () => {
    lookups++
    return { outcome: 'unknown' }
  }
  for (let second = 0; second < 300; second++) {
    site.advance(1.1)
    while (await settleAttempts(site.world));
  }
  expect(lookups).toBeGreaterThan(20)
  expect(lookups).toBeLessThan(50)
  await site.close()
})

it('4.9 a payment of another gateway is not looked up at this one', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { cc_number: cards.responseLost })
  site.world.payment.name = 'another'
  site.advance(61)
  await settleAttempts(site.world)
  expect(await payments(site)).toMatchObject([{ state: 'unknown', gateway: 'sandbox' }])
  expect(site.log()).toContain("this attempt belongs to the gateway 'sandbox'")
  await site.close()
})

/** An attempt whose process died while it waited for the bank, and whose lease has expired. */
const orphanedAttempt = async (site: Site, cc_number: string = cards.review) => {
  const enrollment_id = randomUUID()
  await enroll(site, enrollment_id, { cc_number })
  const update = site.db.updateTable('payment').where('enrollment_id', '=', enrollment_id)
  await update.set({ state: 'authorizing', leased_until: new Date(site.world.now().getTime() - 1) }).execute()
  return enrollment_id
}

it('4.9 an attempt for which the gateway does not answer does not delay other attempts', async () => {
  const site = await testSite()
  const { lookup } = site.world.payment
  const unanswered = await orphanedAttempt(site)
  const { promise, resolve } = Promise.withResolvers<void>()
  site.world.payment.lookup = async (query, signal) => {
    if (query.reference === referenceOf({ enrollment_id: unanswered, attempt: 1 })) await promise
    return lookup(query, signal)
  }
  await orphanedAttempt(site, cards.responseLost)
  const settling = settleAttempts(site.world, settlementGroups.gateway)
  const states = async () => (await payments(site)).map(({ state }) => state).sort()
  await expect.poll(states).toEqual(['enrolled', 'unknown'])
  await orphanedAttempt(site)
  await site.db.updateTable('payment').set({ state: 'reserved' }).where('leased_until', '<', site.world.now()).execute()
  expect(await settleAttempts(site.world, settlementGroups.local)).toBe(1)
  expect(await states()).toEqual(['abandoned', 'enrolled', 'unknown'])
  resolve()
  expect(await settling).toBe(2)
  await site.close()
})

it('4.9 an attempt whose lookup fails is logged, and no longer counts toward PAYMENTS_AT_ONCE', async () => {
  const site = await testSite({ PAYMENTS_AT_ONCE: '1' })
  const enrollment_id = await orphanedAttempt(site)
  site.world.payment.lookup = async () => {
    throw new Error('no such page')
  }
  await settleAttempts(site.world)
  expect(site.log()).toMatch(
    new RegExp(`no such page.*"reference":"${referenceOf({ enrollment_id, attempt: 1 })}".*could not be settled yet`),
  )
  expect((await enroll(site, randomUUID())).json()).toMatchObject({ payment: 'Approved' })
  await site.close()
})

it('4.9 an attempt that is being looked up does not count toward PAYMENTS_AT_ONCE', async () => {
  const site = await testSite({ PAYMENTS_AT_ONCE: '1' })
  await orphanedAttempt(site)
  const { lookup } = site.world.payment
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  site.world.payment.lookup = async (...args) => {
    start()
    await answered
    return lookup(...args)
  }
  const settling = settleAttempts(site.world)
  await started
  expect((await enroll(site, randomUUID())).json()).toMatchObject({ payment: 'Approved' })
  answer()
  await settling
  await site.close()
})

it('4.7 a declined card tells the visitor what to do, also on a repeated request, and never mentions fraud', async () => {
  const site = await testSite()
  const classes: Record<string, string> = {
    '4000000000000127': 'input',
    '4000000000009995': 'card',
    '4000000000000002': 'bank',
    '4100000000000019': 'bank',
  }
  for (const [cc_number, decline_class] of Object.entries(classes)) {
    const enrollment = randomUUID()
    expect((await enroll(site, enrollment, { cc_number })).json()).toMatchObject({ payment: 'Declined', decline_class })
    expect((await enroll(site, enrollment)).json()).toMatchObject({ payment: 'Declined', decline_class })
  }
  await site.close()
})
