import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { reserve } from './reservation.ts'

const payments = (site: Site) => site.db.selectFrom('payment').selectAll().orderBy('attempt').execute()

it('4.8 of two who reserve the same attempt at once one has it, and a later one waits for its end', async () => {
  const site = await testSite()
  await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number: cards.review }))
  const [{ details } = { details: null }] = await payments(site)
  if (!details) throw new Error('nothing is kept of the attempt')
  const member = { ...details.member, username: 'twofold', email: 'twofold@mail.example' }
  const enrollment_id = randomUUID()
  const reserving = (attempt: number) =>
    reserve(site.world, { enrollment_id, attempt }, { details: { ...details, member }, touches: [] }, 'a hash')
  const both = await Promise.all([reserving(1), reserving(1)])
  expect(both.filter(Boolean)).toMatchObject([{ enrollment_id, attempt: 1 }])
  expect(await reserving(2)).toBeUndefined()
  expect(await payments(site)).toHaveLength(2)
  await site.close()
})

it('4.8 the same request sent twice at once, captcha and all, is one payment', async () => {
  const site = await testSite()
  const key = { 'idempotency-key': `${randomUUID()}.1` }
  const form = await filledForm(site)
  const replies = await Promise.all(Array.from({ length: 50 }, () => site.post('enrollment/add-enrollment', form, key)))
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 202]))
  expect(await payments(site)).toMatchObject([{ state: 'enrolled' }])
  expect((await site.post('enrollment/add-enrollment', form, key)).json().payment).toBe('Approved')
  await site.close()
})

it('4.8 who sends a request again while it is under way does not ask the database, so that the first one gets through', async () => {
  const site = await testSite()
  const key = { 'idempotency-key': `${randomUUID()}.1` }
  const form = await filledForm(site)
  const { authorize } = site.world.payment
  const repeats: string[] = []
  site.world.payment.authorize = async (...asked) => {
    const { db } = site.world
    site.world.db = undefined as never
    repeats.push((await site.post('enrollment/add-enrollment', form, key)).json().payment)
    site.world.db = db
    return authorize(...asked)
  }
  expect((await site.post('enrollment/add-enrollment', form, key)).json().payment).toBe('Approved')
  expect(repeats).toEqual(['Pending'])
  await site.close()
})
