import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import { referenceOf, releaseAttempt } from '#server/payments/payments.ts'
import { emailsTo } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts, settlementGroups } from './janitor.ts'

const enroll = async (site: Site, enrollment: string, changes: Record<string, string> = {}, attempt = 1) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), {
    'idempotency-key': `${enrollment}.${attempt}`,
  })

const payments = (site: Site) => site.db.selectFrom('payment').selectAll().orderBy('attempt').execute()
const transactions = (site: Site) => site.world.payment.transactions(new Date(0), AbortSignal.timeout(1000))

/** Something that appears between the reservation and the admission, and makes the member impossible. */
const standInTheWay = (site: Site, username: string) => {
  const { authorize } = site.world.payment
  site.world.payment.authorize = async (...asked) => {
    const created_at = site.world.now()
    await site.db
      .insertInto('sponsor')
      .values({ id: randomUUID(), site: username, name: 'In the way', active: true, created_at })
      .execute()
    return authorize(...asked)
  }
}

it('4.13 captures the payment and sends a welcome letter with receipt and sponsor', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { username: 'lantern', email: 'Lantern@mail.example' })
  const letters = await emailsTo(site, 'Lantern@mail.example')
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  expect(await transactions(site)).toMatchObject([{ state: 'captured', amount_cents: 9900 }])
  expect(letters.map(({ subject }) => subject).sort()).toEqual(['Welcome to Foyer', 'Your copy of what you accepted'])
  const letter = letters.find(({ subject }) => subject === 'Welcome to Foyer')
  expect(letter?.body).toContain("You joined with Ana's Paper Lantern Studio")
  expect(letter?.body).toContain('Total: $99.00')
  expect(letter?.body).toContain('http://foyer.test/lantern')
  await site.close()
})

it('4.13 tries again when the gateway does not confirm, and captures once', async () => {
  const site = await testSite()
  const { capture } = site.world.payment
  let refusals = 2
  site.world.payment.capture = async (...asked) => (refusals-- > 0 ? 'unknown' : capture(...asked))
  await enroll(site, randomUUID())
  for (let round = 0; round < 4; round++) {
    while (await runJobs(site.world));
    site.pass(3600)
  }
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  const job = await site.db.selectFrom('job').selectAll().where('kind', '=', 'capture').executeTakeFirst()
  expect(job).toMatchObject({ tries: 3, last_error: null })
  await site.close()
})

it('4.20 a member that can never be written is let go, and hears of it', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  standInTheWay(site, 'blocked')
  const reply = await enroll(site, enrollment, { username: 'blocked', email: 'blocked@mail.example' })
  expect(reply.json()).toMatchObject({ payment: 'Pending', token: '' })
  const [letGo] = await site.db.selectFrom('job').select('payload').where('kind', '=', 'void').execute()
  const transaction_id = expect.any(String)
  expect(letGo?.payload).toEqual({ enrollment_id: enrollment, attempt: 1, transaction_id }) // and nothing of the visitor
  while (await runJobs(site.world));
  expect(await payments(site)).toMatchObject([{ state: 'voided', details: null, password_hash: null }])
  expect(await transactions(site)).toMatchObject([{ state: 'voided' }])
  expect(await site.db.selectFrom('member').select('id').execute()).toEqual([])
  const [letter] = (await site.get('/__outbox.json?to=blocked@mail.example')).json()
  expect(letter.body).toContain('Nothing was charged')
  expect(letter.body).toContain('http://foyer.test/ana') // the sponsor keeps the credit
  const status = await site.get('/api/enrollment/status', { 'idempotency-key': `${enrollment}.1` })
  expect(status.json()).toEqual({ state: 'none', attempt: 2 })
  await site.close()
})

it('4.20 what the gateway will not void is given back, and asked for until it is confirmed', async () => {
  const site = await testSite()
  standInTheWay(site, 'blocked')
  const asked: string[] = []
  const answers = { void: ['unknown', 'refused', 'refused'], refund: ['unknown', 'done'] }
  for (const what of ['void', 'refund'] as const)
    site.world.payment[what] = async () => {
      asked.push(what)
      return answers[what].shift() as 'done'
    }
  await enroll(site, randomUUID(), { username: 'blocked' })
  for (let round = 0; round < 4; round++) {
    while (await runJobs(site.world));
    site.pass(15)
  }
  expect(asked).toEqual(['void', 'void', 'refund', 'void', 'refund'])
  expect(await payments(site)).toMatchObject([{ state: 'voided' }])
  await site.close()
})

it('4.18 an approval of an attempt that was given up is voided, also when a later one has paid', async () => {
  const site = await testSite()
  const { authorize } = site.world.payment
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  site.world.payment.authorize = async (...hold) => {
    asked.resolve()
    await answer.promise
    return authorize(...hold)
  }
  const enrollment = randomUUID()
  const first = enroll(site, enrollment)
  await asked.promise
  site.pass(31 * 60)
  while (await settleAttempts(site.world));
  site.world.payment.authorize = authorize
  expect((await enroll(site, enrollment, {}, 2)).json().payment).toBe('Approved')
  answer.resolve()
  await first
  while (await runJobs(site.world));
  expect(await payments(site)).toMatchObject([{ state: 'voided' }, { state: 'captured' }])
  await site.close()
})

it('4.18 a decline cannot move a member', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  await enroll(site, enrollment)
  await releaseAttempt(site.world, { enrollment_id: enrollment, attempt: 1 }, 'bank')
  expect(await payments(site)).toMatchObject([{ state: 'enrolled' }])
  await site.close()
})

it('4.18 nobody is written to that nothing was charged when the approval came first', async () => {
  const site = await testSite()
  const enrollment = randomUUID()
  await enroll(site, enrollment, { cc_number: cards.answerLost, email: 'quick@mail.example' })
  const { lookup } = site.world.payment
  site.world.payment.lookup = async (asked, signal) => {
    const found = await lookup(asked, signal)
    if (found.outcome === 'approved')
      await site.db
        .updateTable('payment')
        .set({ state: 'authorized', transaction_id: found.transaction_id, vault_reference: found.vault_reference })
        .execute()
    return { outcome: 'declined', decline_class: 'bank' } // an older answer that comes last
  }
  for (let round = 0; round < 2; round++) {
    site.pass(61)
    await settleAttempts(site.world)
  }
  const letters = await emailsTo(site, 'quick@mail.example')
  expect(await payments(site)).toMatchObject([{ state: 'captured' }])
  expect(letters.map(({ subject }) => subject).sort()).toEqual(['Welcome to Foyer', 'Your copy of what you accepted'])
  await site.close()
})

it('4.9 an answer that was lost is looked up after a second, then ever more slowly', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { cc_number: cards.answerLost })
  let looked = 0
  site.world.payment.lookup = async () => {
    looked++
    return { outcome: 'unknown' }
  }
  for (let second = 0; second < 300; second++) {
    site.pass(1.1)
    while (await settleAttempts(site.world));
  }
  expect(looked).toBeGreaterThan(20)
  expect(looked).toBeLessThan(50)
  await site.close()
})

it('4.9 a payment of another gateway is left to that gateway', async () => {
  const site = await testSite()
  await enroll(site, randomUUID(), { cc_number: cards.answerLost })
  site.world.payment.name = 'another'
  site.pass(61)
  await settleAttempts(site.world)
  expect(await payments(site)).toMatchObject([{ state: 'unknown', gateway: 'sandbox' }])
  expect(site.log()).toContain("only the gateway 'sandbox' knows of this attempt")
  await site.close()
})

/** An attempt whose process died while it was at the bank, and whose lease is over. */
const leftAtTheBank = async (site: Site, cc_number: string = cards.review) => {
  const enrollment_id = randomUUID()
  await enroll(site, enrollment_id, { cc_number })
  const left = site.db.updateTable('payment').where('enrollment_id', '=', enrollment_id)
  await left.set({ state: 'authorizing', leased_until: new Date(site.world.now().getTime() - 1) }).execute()
  return enrollment_id
}

it('4.9 a gateway that does not answer for one attempt holds up no other', async () => {
  const site = await testSite()
  const { lookup } = site.world.payment
  const silent = await leftAtTheBank(site)
  const { promise, resolve } = Promise.withResolvers<void>()
  site.world.payment.lookup = async (asked, signal) => {
    if (asked.reference === referenceOf({ enrollment_id: silent, attempt: 1 })) await promise
    return lookup(asked, signal)
  }
  await leftAtTheBank(site, cards.answerLost)
  const settling = settleAttempts(site.world, settlementGroups.theirs)
  const states = async () => (await payments(site)).map(({ state }) => state).sort()
  const soon = { timeout: 10_000 }
  await vi.waitFor(async () => expect(await states()).toEqual(['enrolled', 'unknown']), soon)
  await leftAtTheBank(site)
  await site.db.updateTable('payment').set({ state: 'reserved' }).where('leased_until', '<', site.world.now()).execute()
  expect(await settleAttempts(site.world, settlementGroups.ours)).toBe(1)
  expect(await states()).toEqual(['abandoned', 'enrolled', 'unknown'])
  resolve()
  expect(await settling).toBe(2)
  await site.close()
})

it('4.9 an attempt that cannot be looked up does not keep its place at the bank, and the log names it', async () => {
  const site = await testSite({ PAYMENTS_AT_ONCE: '1' })
  const enrollment_id = await leftAtTheBank(site)
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

it('4.9 an attempt that is being looked up has left its place at the bank', async () => {
  const site = await testSite({ PAYMENTS_AT_ONCE: '1' })
  await leftAtTheBank(site)
  const { lookup } = site.world.payment
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  site.world.payment.lookup = async (...of) => {
    ask()
    await answered
    return lookup(...of)
  }
  const settling = settleAttempts(site.world)
  await asked
  expect((await enroll(site, randomUUID())).json()).toMatchObject({ payment: 'Approved' })
  answer()
  await settling
  await site.close()
})

it('4.7 a declined card says what to do about it, to its repeats too, and never speaks of fraud', async () => {
  const site = await testSite()
  const told: Record<string, string> = {
    '4000000000000127': 'input',
    '4000000000009995': 'card',
    '4000000000000002': 'bank',
    '4100000000000019': 'bank',
  }
  for (const [cc_number, decline_class] of Object.entries(told)) {
    const enrollment = randomUUID()
    expect((await enroll(site, enrollment, { cc_number })).json()).toMatchObject({ payment: 'Declined', decline_class })
    expect((await enroll(site, enrollment)).json()).toMatchObject({ payment: 'Declined', decline_class })
  }
  await site.close()
})
