import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { reserve } from './reservation.ts'

const payments = (site: Site) => site.db.selectFrom('payment').selectAll().orderBy('attempt').execute()

it('4.8 of two requests that reserve the same attempt at once one succeeds, and the next attempt must wait for it to end', async () => {
  const site = await testSite()
  await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number: cards.review }))
  const [{ details } = { details: null }] = await payments(site)
  if (!details) throw new Error('the attempt has no details')
  const member = { ...details.member, username: 'twofold', email: 'twofold@mail.example' }
  const enrollment_id = randomUUID()
  const reserveAttempt = (attempt: number) =>
    reserve(
      site.world,
      { enrollment_id, attempt },
      { details: { ...details, member }, touches: [], consent: { sha256: 'a', content: 'a' } },
      'a hash',
    )
  const both = await Promise.all([reserveAttempt(1), reserveAttempt(1)])
  expect(both.filter(Boolean)).toMatchObject([{ enrollment_id, attempt: 1 }])
  expect(await reserveAttempt(2)).toBeUndefined()
  expect(await payments(site)).toHaveLength(2)
  await site.close()
})

it('4.8 the same request sent many times at once, with the same captcha, is one payment', async () => {
  const site = await testSite()
  const key = { 'idempotency-key': `${randomUUID()}.1` }
  const form = await filledForm(site)
  const replies = await Promise.all(Array.from({ length: 50 }, () => site.post('enrollment/add-enrollment', form, key)))
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 202]))
  expect(await payments(site)).toMatchObject([{ state: 'enrolled' }])
  expect((await site.post('enrollment/add-enrollment', form, key)).json().payment).toBe('Approved')
  await site.close()
})

it('4.8 a repeated request does not use the database while the first one is in progress', async () => {
  const site = await testSite()
  const key = { 'idempotency-key': `${randomUUID()}.1` }
  const form = await filledForm(site)
  const { authorize } = site.world.payment
  const repeats: string[] = []
  site.world.payment.authorize = async (...args) => {
    const { db } = site.world
    site.world.db = undefined as never
    repeats.push((await site.post('enrollment/add-enrollment', form, key)).json().payment)
    site.world.db = db
    return authorize(...args)
  }
  expect((await site.post('enrollment/add-enrollment', form, key)).json().payment).toBe('Approved')
  expect(repeats).toEqual(['Pending'])
  await site.close()
})
