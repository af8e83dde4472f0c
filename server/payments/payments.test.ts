import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleAttempts } from '#server/enrollment/janitor.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { runJobs } from '#server/jobs/jobs.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { referenceOf } from './payments.ts'

let site: Site
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

const pay = async (changes: Record<string, string>, headers: Record<string, string> = {}) =>
  site.post('enrollment/add-enrollment', await filledForm(site, changes), headers)

const status = async (key: string, cookie = '') =>
  (await site.get('/api/enrollment/status', { 'idempotency-key': key, cookie })).json()

const stateOf = async (enrollment_id: string) =>
  (
    await site.db
      .selectFrom('payment')
      .select('state')
      .where('enrollment_id', '=', enrollment_id)
      .orderBy('attempt')
      .execute()
  ).map(({ state }) => state)

const ledger = async () => {
  const text = await readFile(join(site.world.config.DATA_DIR, 'sandbox-payments.jsonl'), 'utf8')
  const entries = text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return [...new Map(entries.map((entry) => [entry.reference, entry])).values()]
}

/** What the gateway has heard of an enrollment, in its first attempts. */
const chargesOf = async (enrollment_id: string) => {
  const references = [1, 2, 3].map((attempt) => referenceOf({ enrollment_id, attempt }))
  return (await ledger()).filter(({ reference }) => references.includes(reference))
}

/** Long enough for every lease to be over. */
const LEASE = 61

describe('a declined card', () => {
  it('4.7 costs nothing, frees the names, and a new attempt may follow', async () => {
    const enrollment = randomUUID()
    const names = { username: 'secondtry', email: 'second@mail.example' }
    const declined = await pay({ ...names, cc_number: cards.declined }, { 'idempotency-key': `${enrollment}.1` })
    expect([declined.statusCode, declined.json()]).toEqual([
      200,
      { payment: 'Declined', token: '', vo_url: '', decline_class: 'bank' },
    ])
    const free = await site.post('enrollment/validate_username', { username: 'secondtry' })
    expect(free.json()).toEqual({ username: 'Available' })

    const approved = await pay(names, { 'idempotency-key': `${enrollment}.2` })
    expect(approved.json().payment).toBe('Approved')
    expect(await stateOf(enrollment)).toEqual(['declined', 'enrolled'])
  })

  it('4.8 is declined again for the same key, without asking the bank', async () => {
    const enrollment = randomUUID()
    const key = { 'idempotency-key': `${enrollment}.1` }
    await pay({ cc_number: cards.declined }, key)
    const repeated = await pay({ cc_number: cards.good }, key)
    expect(repeated.json().payment).toBe('Declined')
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('6.4 stops a visitor after too many of them', async () => {
    const strict = await testSite({ LIMIT_DECLINES: '2/3600' })
    const attempt = async (cc_number: string) =>
      strict.post('enrollment/add-enrollment', await filledForm(strict, { cc_number }))
    expect((await attempt(cards.declined)).statusCode).toBe(200)
    expect((await attempt(cards.declined)).statusCode).toBe(200)
    const third = await attempt(cards.good)
    expect(third.statusCode).toBe(429)
    expect(third.json().message).toMatch(/^That was tried too often\. Please wait \d+ minutes and try again\.$/)
    await strict.close()
  })
})

describe('a gateway that turns a payment away', () => {
  it('4.23 costs nothing, frees the names at once, and the visitor may try again', async () => {
    const enrollment = randomUUID()
    const names = { username: 'turnedaway', email: 'turned@mail.example' }
    const failed = await pay({ ...names, cc_number: cards.failed }, { 'idempotency-key': `${enrollment}.1` })
    expect([failed.statusCode, failed.json()]).toEqual([
      502,
      { message: 'There was an error processing your payment. Please try again later.' },
    ])
    expect(await stateOf(enrollment)).toEqual(['abandoned'])
    expect(await status(`${enrollment}.1`)).toEqual({ state: 'none', attempt: 2 })
    const free = await site.post('enrollment/validate_username', { username: 'turnedaway' })
    expect(free.json()).toEqual({ username: 'Available' })
    expect(site.log()).toMatch(
      /"why":"The sandbox rejects this card\.".*the payment gateway turned a payment away/,
    )

    const repeated = await pay({ ...names, cc_number: cards.failed }, { 'idempotency-key': `${enrollment}.1` })
    expect(repeated.statusCode, 'the gateway is not asked again').toBe(409)
    expect((await pay(names, { 'idempotency-key': `${enrollment}.2` })).json().payment).toBe('Approved')
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('4.23 counts against nobody’s card', async () => {
    const strict = await testSite({
      LIMIT_DECLINES: '2/3600',
      LIMIT_DECLINES_BY_CARD: '2/3600',
      BREAKER_DECLINES: '2/600/50',
    })
    for (let n = 0; n < 4; n++) {
      const form = await filledForm(strict, { cc_number: cards.failed })
      expect((await strict.post('enrollment/add-enrollment', form)).statusCode).toBe(502)
    }
    const approved = await strict.post('enrollment/add-enrollment', await filledForm(strict))
    expect(approved.json().payment).toBe('Approved')
    await strict.close()
  })
})

describe('one key', () => {
  it('4.8 charges once, however many requests carry it at once', async () => {
    const enrollment = randomUUID()
    const form = await filledForm(site, { username: 'doubleclick' })
    const forms = await Promise.all(
      Array.from({ length: 30 }, async () => ({ ...form, captcha: await site.captcha() })),
    )
    const key = { 'idempotency-key': `${enrollment}.1` }
    const replies = await Promise.all(forms.map((each) => site.post('enrollment/add-enrollment', each, key)))
    const answers = replies.map((reply) => reply.json().payment)
    expect(answers.filter((answer) => answer === 'Approved').length).toBeGreaterThan(0)
    expect(answers.filter((answer) => answer !== 'Approved' && answer !== 'Pending')).toEqual([])
    expect(await chargesOf(enrollment)).toHaveLength(1)
    expect((await pay({}, key)).json().payment).toBe('Approved')
    expect(await stateOf(enrollment)).toEqual(['enrolled'])
  })

  it('4.8 answers every later key of an enrolled enrollment with its approval', async () => {
    const enrollment = randomUUID()
    await pay({}, { 'idempotency-key': `${enrollment}.1` })
    expect((await pay({}, { 'idempotency-key': `${enrollment}.2` })).json().payment).toBe('Approved')
    expect(await stateOf(enrollment)).toEqual(['enrolled'])
  })

  it('4.8 waits for the running attempt of its enrollment, whatever its number', async () => {
    const enrollment = randomUUID()
    await pay({ cc_number: cards.review }, { 'idempotency-key': `${enrollment}.1` })
    const second = await pay({}, { 'idempotency-key': `${enrollment}.2` })
    expect([second.statusCode, second.json().payment]).toEqual([202, 'Pending'])
    expect(await stateOf(enrollment)).toEqual(['review'])
  })

  it('4.8 with a lower number than one that has ended opens nothing', async () => {
    const enrollment = randomUUID()
    await pay({ cc_number: cards.declined }, { 'idempotency-key': `${enrollment}.2` })
    expect((await pay({}, { 'idempotency-key': `${enrollment}.1` })).statusCode).toBe(409)
  })

  it('6.1 is refused with a sentence when it is not one', async () => {
    const reply = await pay({}, { 'idempotency-key': 'again' })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ 'idempotency-key': ['Idempotency-Key is {enrollment}.{attempt}.'] })
  })

  it('4.11 hands the token again to the cookie’s owner, and to nobody else', async () => {
    const page = await site.get('/ana')
    const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
    const enrollment = /name="enrollment" content="([^"]+)"/.exec(page.body)?.[1]
    const key = `${enrollment}.1`
    const first = await pay({}, { 'idempotency-key': key, cookie })
    expect(first.json().token).not.toBe('')
    const again = await pay({}, { 'idempotency-key': key, cookie })
    expect(again.json().token).not.toBe('')
    expect(again.json().token).not.toBe(first.json().token)
    expect((await pay({}, { 'idempotency-key': key })).json()).toEqual({
      payment: 'Approved',
      token: '',
      vo_url: 'http://foyer.test/office',
    })
    expect(await status(key, cookie)).toMatchObject({ state: 'approved', reply: { payment: 'Approved' } })
    expect((await status(key)).reply.token).toBe('')
  })
})

describe('an answer that nobody has', () => {
  it('4.9 is Pending, and the janitor finishes it', async () => {
    const enrollment = randomUUID()
    const key = `${enrollment}.1`
    const lost = await pay({ cc_number: cards.answerLost, username: 'patience' }, { 'idempotency-key': key })
    expect([lost.statusCode, lost.json().payment]).toEqual([202, 'Pending'])
    expect(await status(key)).toMatchObject({ state: 'running', attempt: 1 })
    const asked = await site.post('enrollment/validate_username', { username: 'patience' })
    expect(asked.json().username).toEqual(['This username is already taken.'])

    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['unknown'])
    site.pass(LEASE)
    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['enrolled'])
    expect(await status(key)).toMatchObject({ state: 'approved' })
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('4.9 is never called declined while the bank is still looking', async () => {
    const enrollment = randomUUID()
    const held = await pay({ cc_number: cards.review }, { 'idempotency-key': `${enrollment}.1` })
    expect([held.statusCode, held.json().payment]).toEqual([202, 'Pending'])
    site.pass(LEASE)
    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['review'])
  })

  it('4.14 is given up after 30 minutes when the gateway never heard of it', async () => {
    const deaf = await testSite()
    deaf.world.payment.authorize = async () => {
      throw new Error('connection reset')
    }
    const enrollment = randomUUID()
    const form = await filledForm(deaf, { username: 'unheard' })
    const reply = await deaf.post('enrollment/add-enrollment', form, { 'idempotency-key': `${enrollment}.1` })
    expect(reply.json().payment).toBe('Pending')
    deaf.pass(LEASE)
    while (await settleAttempts(deaf.world));
    const state = () => deaf.db.selectFrom('payment').select('state').executeTakeFirst()
    expect((await state())?.state).toBe('unknown')
    deaf.pass(31 * 60)
    while (await settleAttempts(deaf.world));
    expect((await state())?.state).toBe('abandoned')
    const free = await deaf.post('enrollment/validate_username', { username: 'unheard' })
    expect(free.json()).toEqual({ username: 'Available' })
    while (await runJobs(deaf.world));
    const [letter] = (await deaf.get(`/__outbox.json?to=${form.email}`)).json()
    expect(letter.body).toContain('Nothing was charged')
    const jobs = await deaf.db.selectFrom('job').select('payload').execute()
    expect(JSON.stringify(jobs)).not.toContain(form.email)
    const told = await deaf.get('/api/enrollment/status', { 'idempotency-key': `${enrollment}.1` })
    expect(told.json()).toEqual({ state: 'none', attempt: 2 })
    await deaf.close()
  })

  it('4.11 is "none" before anything was asked for', async () => {
    expect(await status(`${randomUUID()}.1`)).toEqual({ state: 'none', attempt: 1 })
    expect((await site.get('/api/enrollment/status')).json()).toEqual({ state: 'none', attempt: 1 })
  })
})
