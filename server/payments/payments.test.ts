import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { referenceOf } from '#server/gateways/payment/attempt-key.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { acceptRealCards, realCards } from '#server/test/real-cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'
import { runJobs } from '#server/worker/jobs.ts'

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

/** The gateway's transactions of an enrollment's first attempts. */
const chargesOf = async (enrollment_id: string) => {
  const references = [1, 2, 3].map((attempt) => referenceOf({ enrollment_id, attempt }))
  return (await ledger()).filter(({ reference }) => references.includes(reference))
}

/** Long enough for every lease to expire. */
const LEASE = 61

describe('a declined card', () => {
  it('4.7 charges nothing, frees the names, and allows a new attempt', async () => {
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

  it('4.8 is declined again for the same key without asking the bank', async () => {
    const enrollment = randomUUID()
    const key = { 'idempotency-key': `${enrollment}.1` }
    await pay({ cc_number: cards.declined }, key)
    const repeated = await pay({ cc_number: cards.good }, key)
    expect(repeated.json().payment).toBe('Declined')
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('6.4 stops a visitor after too many declines', async () => {
    const strict = await testSite({ LIMIT_DECLINES: '2/3600' })
    acceptRealCards(strict)
    const attempt = async (cc_number: string) =>
      strict.post('enrollment/add-enrollment', await filledForm(strict, { cc_number }))
    expect((await attempt(realCards.declined)).statusCode).toBe(200)
    expect((await attempt(realCards.declined)).statusCode).toBe(200)
    const third = await attempt(realCards.good)
    expect(third.statusCode).toBe(429)
    expect(third.json().message).toBe('Too many attempts. Please try again in about an hour.')
    await strict.close()
  })
})

describe('a gateway that rejects the request', () => {
  it('4.23 charges nothing, frees the names immediately, and lets the visitor try again', async () => {
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
    expect(site.log()).toMatch(/"why":"The sandbox rejects this card\.".*the payment gateway rejected the request/)

    const repeated = await pay({ ...names, cc_number: cards.failed }, { 'idempotency-key': `${enrollment}.1` })
    expect(repeated.statusCode, 'the gateway is not asked again').toBe(409)
    expect((await pay(names, { 'idempotency-key': `${enrollment}.2` })).json().payment).toBe('Approved')
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('4.23 does not count as a declined card', async () => {
    const strict = await testSite({
      LIMIT_DECLINES: '2/3600',
      LIMIT_DECLINES_BY_CARD: '2/3600',
      BREAKER_DECLINES: '2/600/50',
    })
    acceptRealCards(strict)
    for (let n = 0; n < 4; n++) {
      const form = await filledForm(strict, { cc_number: realCards.failed })
      expect((await strict.post('enrollment/add-enrollment', form)).statusCode).toBe(502)
    }
    const approved = await strict.post('enrollment/add-enrollment', await filledForm(strict))
    expect(approved.json().payment).toBe('Approved')
    await strict.close()
  })
})

describe('an idempotency key', () => {
  it('4.8 charges once, however many requests arrive at the same time', async () => {
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

  it('4.8 is answered "Approved" if the enrollment already has a member', async () => {
    const enrollment = randomUUID()
    await pay({}, { 'idempotency-key': `${enrollment}.1` })
    expect((await pay({}, { 'idempotency-key': `${enrollment}.2` })).json().payment).toBe('Approved')
    expect(await stateOf(enrollment)).toEqual(['enrolled'])
  })

  it('4.8 is pending while another attempt of the enrollment is open', async () => {
    const enrollment = randomUUID()
    await pay({ cc_number: cards.review }, { 'idempotency-key': `${enrollment}.1` })
    const second = await pay({}, { 'idempotency-key': `${enrollment}.2` })
    expect([second.statusCode, second.json().payment]).toEqual([202, 'Pending'])
    expect(await stateOf(enrollment)).toEqual(['review'])
  })

  it('4.8 with a lower number than an attempt that has ended is refused', async () => {
    const enrollment = randomUUID()
    await pay({ cc_number: cards.declined }, { 'idempotency-key': `${enrollment}.2` })
    expect((await pay({}, { 'idempotency-key': `${enrollment}.1` })).statusCode).toBe(409)
  })

  it('6.1 is refused with a message when it is malformed', async () => {
    const reply = await pay({}, { 'idempotency-key': 'again' })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().fields).toEqual({ 'idempotency-key': ['Idempotency-Key must be {enrollment}.{attempt}.'] })
  })

  it('4.11 returns a new token only to the browser with the enrollment’s cookie', async () => {
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

describe('a payment whose outcome is unknown', () => {
  it('4.9 is Pending, and the janitor finishes it', async () => {
    const enrollment = randomUUID()
    const key = `${enrollment}.1`
    const lost = await pay({ cc_number: cards.responseLost, username: 'patience' }, { 'idempotency-key': key })
    expect([lost.statusCode, lost.json().payment]).toEqual([202, 'Pending'])
    expect(await status(key)).toMatchObject({ state: 'running', attempt: 1 })
    const reply = await site.post('enrollment/validate_username', { username: 'patience' })
    expect(reply.json().username).toEqual(['This username is already taken.'])

    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['unknown'])
    site.advance(LEASE)
    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['enrolled'])
    expect(await status(key)).toMatchObject({ state: 'approved' })
    expect(await chargesOf(enrollment)).toHaveLength(1)
  })

  it('4.9 is not reported as declined while the bank reviews it', async () => {
    const enrollment = randomUUID()
    const inReview = await pay({ cc_number: cards.review }, { 'idempotency-key': `${enrollment}.1` })
    expect([inReview.statusCode, inReview.json().payment]).toEqual([202, 'Pending'])
    site.advance(LEASE)
    while (await settleAttempts(site.world));
    expect(await stateOf(enrollment)).toEqual(['review'])
  })

  it('4.14 is abandoned after 30 minutes if the gateway never received it', async () => {
    const offline = await testSite()
    offline.world.payment.authorize = async () => {
      throw new Error('connection reset')
    }
    const enrollment = randomUUID()
    const form = await filledForm(offline, { username: 'unheard' })
    const reply = await offline.post('enrollment/add-enrollment', form, { 'idempotency-key': `${enrollment}.1` })
    expect(reply.json().payment).toBe('Pending')
    offline.advance(LEASE)
    while (await settleAttempts(offline.world));
    const state = () => offline.db.selectFrom('payment').select('state').executeTakeFirst()
    expect((await state())?.state).toBe('unknown')
    offline.advance(28 * 60)
    while (await settleAttempts(offline.world));
    expect((await state())?.state, 'after 29 minutes').toBe('unknown')
    offline.advance(2 * 60)
    while (await settleAttempts(offline.world));
    expect((await state())?.state).toBe('abandoned')
    const free = await offline.post('enrollment/validate_username', { username: 'unheard' })
    expect(free.json()).toEqual({ username: 'Available' })
    while (await runJobs(offline.world));
    const [email] = (await offline.get(`/__outbox.json?to=${form.email}`)).json()
    expect(email.body).toContain('Nothing was charged')
    const jobs = await offline.db.selectFrom('job').select('payload').execute()
    expect(JSON.stringify(jobs)).not.toContain(form.email)
    const status = await offline.get('/api/enrollment/status', { 'idempotency-key': `${enrollment}.1` })
    expect(status.json()).toEqual({ state: 'none', attempt: 2 })
    await offline.close()
  })

  it('4.11 has the status "none" before the first attempt', async () => {
    expect(await status(`${randomUUID()}.1`)).toEqual({ state: 'none', attempt: 1 })
    expect((await site.get('/api/enrollment/status')).json()).toEqual({ state: 'none', attempt: 1 })
  })
})
