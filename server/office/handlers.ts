import type { officeCalls } from '#contract/office-calls.ts'
import type { Handlers } from '#server/handlers.ts'
import { spend } from '#server/limits.ts'
import { Refusal } from '#server/refusal.ts'
import { spendGrant } from './grant.ts'
import { closeSession, openSession } from './session.ts'

const notYet = async () => {
  throw new Refusal(503, 'This part of the office is not open yet.')
}

/** One answer for each call of the office. */
export const officeHandlers: Handlers<typeof officeCalls> = {
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
  signIn: notYet,
  leaveEverywhere: notYet,
  getOffice: notYet,
  getAcceptedText: notYet,
  changePhone: notYet,
  changeEmail: notYet,
  confirmEmail: notYet,
  changePassword: notYet,
  forgetPassword: notYet,
  resetPassword: notYet,
  cancelMembership: notYet,
  keepMembership: notYet,
}
