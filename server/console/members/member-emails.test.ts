import { afterAll, beforeAll, expect, it } from 'vitest'
import { cards } from '#server/gateways/payment/cards.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { emailsTo, joinedMember } from '#server/test/member.ts'
import { type Site, testSite } from '#server/test/site.ts'
import { staffMember, type TestStaff } from '#server/test/staff.ts'
import { runJobs } from '#server/worker/jobs.ts'

let site: Site
let owner: TestStaff
beforeAll(async () => {
  site = await testSite()
})
afterAll(() => site.close())

async function member(cc_number: string = cards.good) {
  const { username, email } = await joinedMember(site, { cc_number, cc_year: '2035' })
  const { id } = await site.db
    .selectFrom('member')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  while (await runJobs(site.world));
  return { id, email }
}

/** A month later. Staff have signed in again. */
async function nextMonth() {
  site.advance(31 * 86_400)
  while (await renewMemberships(site.world));
  while (await runJobs(site.world));
  owner = await staffMember(site, 'owner')
}

type Entry = { what: string; email_id?: string }
const pageOf = async ({ id }: { id: string }) => (await owner.get(`members/${id}`)).json()
const idsOf = async (member: { id: string }): Promise<string[]> =>
  (await pageOf(member)).emails.map(({ email_id }: { email_id: string }) => email_id)
const resend = async ({ id }: { id: string }, email_id: string) =>
  (await owner.post('members/email', { member_id: id, email_id })).statusCode
const subjectsTo = async ({ email }: { email: string }) => (await emailsTo(site, email)).map(({ subject }) => subject)

it('19.36 the welcome email, the accepted texts and each receipt are sent again, and the timeline offers it', async () => {
  const zoe = await member()
  await nextMonth()
  await nextMonth()
  const receipts = (await idsOf(zoe)).filter((id) => id.startsWith('renewed:'))
  expect(receipts).toHaveLength(2)
  const { timeline } = await pageOf(zoe)
  const offered = timeline
    .filter(({ what }: Entry) => what === 'Receipt for a renewal sent')
    .map(({ email_id }: Entry) => email_id)
  expect(offered).toEqual(receipts)
  const before = await subjectsTo(zoe)
  for (const id of ['welcome', 'consent', ...receipts]) expect(await resend(zoe, id)).toBe(200)
  const after = await subjectsTo(zoe)
  expect(after).toHaveLength(before.length + 4)
  const count = (subject: string) => after.filter((each) => each === subject).length
  expect(count('Welcome to Foyer')).toBe(2)
  expect(count('Your copy of what you accepted')).toBe(2)
  expect(count('Your receipt: $99.00 for your membership')).toBe(4)
  const [newest] = await emailsTo(site, zoe.email, 'Your receipt: $99.00 for your membership')
  const { membership } = await pageOf(zoe)
  const nextCharge = new Date(membership.period.ends_on).toLocaleDateString('en-US', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  expect(newest?.body).toContain(`Your next charge is $99.00 on ${nextCharge}`)
})

it('19.36 a refund, a decline and a cancellation are told again while they are true', async () => {
  const zoe = await member(cards.renewalNoFunds)
  await nextMonth()
  const [decline = ''] = (await idsOf(zoe)).filter((id) => id.startsWith('renewal_declined:'))
  expect(await resend(zoe, decline)).toBe(200)
  expect((await subjectsTo(zoe)).filter((subject) => subject === 'Your payment did not go through')).toHaveLength(2)
  expect(await resend(zoe, 'cancelled')).toBe(409)
  expect(await resend(zoe, 'membership_ended')).toBe(409)
  await owner.post('members/cancel', { member_id: zoe.id, reason: 'asked' })
  expect(await resend(zoe, decline)).toBe(409)
  expect(await resend(zoe, 'membership_ended')).toBe(200)
  expect((await subjectsTo(zoe)).filter((subject) => subject === 'Your membership has ended')).toHaveLength(2)
  const joy = await member()
  await owner.post('members/cancel', { member_id: joy.id, reason: 'asked' })
  expect(await resend(joy, 'cancelled')).toBe(200)
  const { payments } = await pageOf(joy)
  const refund = { member_id: joy.id, reference: payments[0].reference, amount: '99.00', reason: 'asked' }
  expect((await owner.post('payments/refund', refund)).statusCode).toBe(200)
  while (await runJobs(site.world));
  const [refunded = ''] = (await idsOf(joy)).filter((id) => id.startsWith('refunded:'))
  expect(await resend(joy, refunded)).toBe(200)
  expect((await subjectsTo(joy)).filter((subject) => subject === 'Your charge of $99.00 was canceled')).toHaveLength(2)
})

it('19.36 an email of another member, or one that cannot be made again, is refused', async () => {
  const zoe = await member()
  const joy = await member()
  await nextMonth()
  const [receipt = ''] = (await idsOf(joy)).filter((id) => id.startsWith('renewed:'))
  for (const id of [receipt, 'password_changed', 'forgotten', 'capture']) expect(await resend(zoe, id)).toBe(409)
  expect(await resend(zoe, 'x y')).toBe(422)
})
