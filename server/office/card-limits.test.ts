import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { forgetRestrictions } from '#server/abuse/restrictions.ts'
import { cards } from '#server/gateways/payment/cards.ts'
import { renewMemberships } from '#server/membership/membership.ts'
import { cookieOf, joinedMember } from '#server/test/member.ts'
import { filledForm, type Site, testSite } from '#server/test/site.ts'
import { settleAttempts } from '#server/worker/janitor.ts'

const DAY = 86_400

/** A site without test cards, and a member who joined this many days ago. */
async function memberAfter(days: number, env: Record<string, string>, { cc_number = cards.good, isOver = false } = {}) {
  const site = await testSite({ LIMIT_GRANTS: '100000/3600', ...env })
  site.world.payment.isTestCard = () => false
  const member = await joinedMember(site, { cc_number })
  const { username, password } = member
  const signIn = async () => cookieOf(await site.post('office/sign-in', { name: username, password }))
  if (isOver) await site.post('office/cancel', { username }, { cookie: await signIn() })
  for (let day = 0; day < days; day++) {
    site.advance(DAY)
    while (await renewMemberships(site.world));
  }
  const cookie = await signIn()
  const asked = countCalls(site)
  const shown = cc_number === cards.renewalNoFunds && !isOver ? { shown_price: '99.00' } : {} // it's past due
  const send = async (path: string, input: object) =>
    (await site.post(`office/${path}`, { username, ...input }, { cookie })).statusCode
  return {
    site,
    /** How often we have asked a bank since then. */
    asked,
    changeCard: async (cc_number: string = cards.good) => {
      const card = { cc_number, cc_month: '12', cc_year: '2030', cc_cvv: '123', captcha: await site.captcha() }
      return send('card', { ...card, ...shown })
    },
    comeBack: () => send('come-back', { shown_price: '99.00' }),
  }
}

function countCalls({ world: { payment } }: Site) {
  const asked = { charges: 0, verifications: 0 }
  const { charge, replaceCard } = payment
  payment.charge = (...args) => {
    asked.charges += 1
    return charge(...args)
  }
  payment.replaceCard = (...args) => {
    asked.verifications += 1
    return replaceCard(...args)
  }
  return asked
}

const repeat = async (times: number, send: () => Promise<number>) => {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push(await send())
  return statuses
}

const breakerCounts = ({ db }: Site) =>
  db.selectFrom('limit_count').select(['key', 'count']).where('name', '=', 'breaker declines').execute()

describe('in the office', () => {
  it('6.10 a charge declined when coming back uses up the card limits', async () => {
    const env = { LIMIT_DECLINES_BY_ENROLLMENT: '2/86400' }
    const member = await memberAfter(32, env, { cc_number: cards.renewalNoFunds, isOver: true })
    expect(await repeat(4, member.comeBack)).toEqual([402, 402, 429, 429])
    expect(member.asked.charges).toBe(2)
    expect(await breakerCounts(member.site)).toContainEqual({ key: expect.not.stringMatching('good'), count: 2 })
    await member.site.close()
  })

  it('6.10 so does a new card that is verified and then declined for what is past due', async () => {
    const env = { LIMIT_DECLINES_BY_PHONE: '2/86400' }
    const member = await memberAfter(32, env, { cc_number: cards.renewalNoFunds })
    expect(await repeat(4, () => member.changeCard(cards.renewalNoFunds))).toEqual([200, 200, 429, 429])
    expect(member.asked).toEqual({ charges: 2, verifications: 2 })
    await member.site.close()
  })

  it('6.10 a verified card is no success for the breaker, and a member can verify only so many a day', async () => {
    const member = await memberAfter(0, { LIMIT_DECLINES_BY_ENROLLMENT: '3/86400' })
    const before = await breakerCounts(member.site)
    expect(await repeat(5, member.changeCard)).toEqual([200, 200, 200, 429, 429])
    expect(await breakerCounts(member.site)).toEqual(before)
    await member.site.close()
  })

  it('6.10 a stranger who is declined with a member’s phone number doesn’t stop the member', async () => {
    const { site, changeCard } = await memberAfter(0, { LIMIT_DECLINES_BY_PHONE: '1/86400' })
    const joinDeclined = async () =>
      (await site.post('enrollment/add-enrollment', await filledForm(site, { cc_number: cards.declined }))).statusCode
    expect([await joinDeclined(), await joinDeclined()]).toEqual([200, 429])
    expect(await changeCard()).toBe(200)
    await site.close()
  })

  it('6.10 coming back with an approved card uses up no limit', async () => {
    const member = await memberAfter(32, { LIMIT_DECLINES_BY_ENROLLMENT: '1/86400' }, { isOver: true })
    expect([await member.comeBack(), await member.changeCard()]).toEqual([200, 200])
    await member.site.close()
  })

  it.each([
    ['whose answer was lost', true],
    ['that got lost on its way', false],
  ])('6.10 a decline of a charge %s counts once the janitor finds it', async (_name, arrives) => {
    const env = { LIMIT_DECLINES_BY_PHONE: '1/86400', PAYMENT_IN_FLIGHT_SECONDS: '60' }
    const { site, changeCard } = await memberAfter(32, env, { cc_number: cards.renewalNoFunds })
    const { payment } = site.world
    const { charge } = payment
    payment.charge = async (...args) => {
      payment.charge = charge
      if (arrives) await charge(...args)
      return { outcome: 'unknown' }
    }
    const before = await breakerCounts(site)
    expect(await changeCard(cards.renewalNoFunds)).toBe(200)
    site.advance(300)
    await settleAttempts(site.world)
    expect(await breakerCounts(site)).toHaveLength(before.length + 1)
    expect(await changeCard(cards.renewalNoFunds)).toBe(429)
    await site.close()
  })

  it('6.10 a pending charge that is found to be approved uses up no limit', async () => {
    const env = { LIMIT_DECLINES_BY_ENROLLMENT: '1/86400' }
    const { site, comeBack, changeCard } = await memberAfter(32, env, { isOver: true })
    const { payment } = site.world
    const { charge } = payment
    payment.charge = async (...args) => {
      await charge(...args)
      return { outcome: 'unknown' }
    }
    expect(await comeBack()).toBe(200)
    site.advance(60)
    await settleAttempts(site.world)
    expect(await changeCard()).toBe(200)
    await site.close()
  })

  it.each([
    ['a blocked network', 403, block],
    ['an open breaker', 429, openBreaker],
  ])('6.10 %s keeps us from asking a bank', async (_name, status, restrict) => {
    const member = await memberAfter(32, {}, { isOver: true })
    await restrict(member.site)
    expect([await member.changeCard(), await member.comeBack()]).toEqual([status, status])
    expect(member.asked).toEqual({ charges: 0, verifications: 0 })
    await member.site.close()
  })
})

const later = ({ world }: Site) => new Date(world.now().getTime() + DAY * 1000)

async function block(site: Site) {
  const created_at = site.world.now()
  const row = { id: randomUUID(), network: '127.0.0.0/8', note: '', created_at, expires_at: later(site) }
  await site.db.insertInto('network_block').values(row).execute()
  forgetRestrictions(site.world)
}

const openBreaker = (site: Site) =>
  site.db
    .insertInto('breaker')
    .values({ name: 'declines', open_until: later(site) })
    .execute()

describe('a new card', () => {
  it('15.6 22.1 needs the password unless the member has just signed in, and is a security event', async () => {
    const site = await testSite()
    const { username, password } = await joinedMember(site)
    const cookie = cookieOf(await site.post('office/sign-in', { name: username, password }))
    const save = async (more: object = {}) => {
      const card = { cc_number: cards.good, cc_month: '12', cc_year: '2030', cc_cvv: '123' }
      return site.post('office/card', { username, ...card, captcha: await site.captcha(), ...more }, { cookie })
    }
    const changes = () =>
      site.db.selectFrom('security_event').select('network').where('kind', '=', 'card_changed').execute()
    const proofSeconds = async () => (await site.get('/api/office/view', { cookie })).json().proof_seconds
    expect(await proofSeconds()).toBe(600)
    expect((await save()).statusCode).toBe(200)
    expect(await changes()).toEqual([{ network: expect.any(String) }])
    site.advance(599)
    expect(await proofSeconds()).toBe(1)
    site.advance(2)
    expect(await proofSeconds(), 'the form asks for the password up front').toBe(0)
    const asked = countCalls(site)
    expect((await save()).json().fields).toEqual({ current_password: ['Please enter your current password.'] })
    const wrong = await save({ current_password: 'Wrong-Guess-77' })
    expect(wrong.json().fields).toEqual({ current_password: ['This is not your current password.'] })
    expect(asked.verifications).toBe(0)
    expect((await save({ current_password: password })).statusCode).toBe(200)
    expect(await changes()).toHaveLength(2)
    await site.close()
  })

  it('15.6 coming back needs the password as well, because it charges the card on file', async () => {
    const site = await testSite()
    const { username, password } = await joinedMember(site)
    const signIn = async () => cookieOf(await site.post('office/sign-in', { name: username, password }))
    await site.post('office/cancel', { username }, { cookie: await signIn() })
    for (let day = 0; day < 40; day++) {
      site.advance(DAY)
      while (await renewMemberships(site.world));
    }
    const cookie = await signIn()
    site.advance(601)
    const asked = countCalls(site)
    const comeBack = (more: object = {}) =>
      site.post('office/come-back', { username, shown_price: '99.00', ...more }, { cookie })
    expect((await comeBack()).json().fields).toEqual({ current_password: ['Please enter your current password.'] })
    expect(asked.charges).toBe(0)
    expect((await comeBack({ current_password: password })).statusCode).toBe(200)
    expect(asked.charges).toBe(1)
    await site.close()
  })
})
