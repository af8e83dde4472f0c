import { randomUUID } from 'node:crypto'
import type { CallName, Input, Output } from '#contract/api.ts'
import { MASTER } from '#contract/limits.ts'
import { toAmount } from '#contract/money.ts'
import { findDocuments, findPackages, priceOrder } from './catalog.ts'
import { enroll, enrollmentStatus } from './enrollment.ts'
import { spend } from './limits.ts'
import { availability } from './members.ts'
import { spendGrant } from './office/grant.ts'
import { closeSession, openSession } from './office/session.ts'
import { hitPage } from './page-hits.ts'
import { sendCode, verifyCode } from './phone.ts'
import { Refusal } from './refusal.ts'
import { findSponsor } from './sponsors.ts'
import type { Visitor } from './visitor.ts'
import type { World } from './world.ts'

/** One answer for each call of the contract; a missing one does not compile. */
type Handlers = {
  [Name in CallName]: (world: World, input: Input<Name>, visitor: Visitor) => Promise<Output<Name>>
}

export const handlers: Handlers = {
  getPackages: ({ db }, shelf) => findPackages(db, shelf),
  getLegalDocuments: ({ db }) => findDocuments(db),
  sumOrder: async ({ db }, order) => ({ grand_total: toAmount((await priceOrder(db, order)).grand_total) }),
  getSponsor: ({ db }, { sponsor_site }) => findSponsor(db, sponsor_site),

  async validateEmail(world, { email }, visitor) {
    await spend(world, 'LIMIT_LOOKUPS', visitor.address)
    return { email: await availability(world.db, 'email', email, visitor.cookie) }
  },
  async validateUsername(world, { username }, visitor) {
    await spend(world, 'LIMIT_LOOKUPS', visitor.address)
    return { username: await availability(world.db, 'username', username, visitor.cookie) }
  },

  addEnrollment: enroll,
  getStatus: (world, _nothing, visitor) => enrollmentStatus(world, visitor),

  sendVerificationCode: (world, { phone_number }, visitor) =>
    sendCode(world, phone_number, 'sms', visitor, enrollmentOf(visitor)),
  verifyCode: (world, { phone_number, code }, visitor) =>
    verifyCode(world, phone_number, code, visitor, enrollmentOf(visitor)),
  async verifyCall(world, { cellphone }, visitor) {
    const { status, message } = await sendCode(world, cellphone, 'call', visitor, enrollmentOf(visitor))
    return { success: status === 1, message }
  },

  async enterOffice(world, { token }, visitor) {
    await spend(world, 'LIMIT_GRANTS', visitor.address)
    const member_id = await spendGrant(world, token)
    if (!member_id) throw new Refusal(401, 'This link into the office was used before or is too old.')
    const { key, expires_at } = await openSession(world, member_id)
    visitor.letIn(key, expires_at)
    return {}
  },
  async leaveOffice(world, _nothing, visitor) {
    if (visitor.officeKey) await closeSession(world, visitor.officeKey)
    visitor.letOut()
    return {}
  },

  async hitPage(world, { sponsor_site }, visitor) {
    await hitPage(world, sponsor_site, visitor)
    return {}
  },
  async getChallenge(world, _nothing, visitor) {
    await spend(world, 'LIMIT_CHALLENGES', visitor.address)
    return world.captcha.challenge()
  },
}

/** What is confirmed belongs to an enrollment; a caller who has none gets one. */
const enrollmentOf = (visitor: Visitor): string => {
  if (visitor.cookie) return visitor.cookie
  const made = randomUUID()
  visitor.adopt(made, MASTER)
  return made
}
