import type { officeCalls } from '#contract/office-calls.ts'
import type { Handlers } from '#server/handlers.ts'
import { spend } from '#server/limits.ts'
import { Refusal } from '#server/refusal.ts'
import { changeEmail, changePhone, confirmEmail } from './details.ts'
import { spendGrant } from './grant.ts'
import { cancelMembership, keepMembership } from './membership.ts'
import { changePassword, forgetPassword, resetPassword } from './new-password.ts'
import { closeAllSessions, handOver, leave, openSession, requireMember, requireShown } from './session.ts'
import { signIn } from './sign-in.ts'
import { acceptedText, viewOffice } from './view.ts'

/** One answer for each call of the office. */
export const officeHandlers: Handlers<typeof officeCalls> = {
  async enterOffice(world, { token }, visitor) {
    const failure = await spend(world, 'LIMIT_GRANTS', visitor.address)
    const member_id = await spendGrant(world, token)
    if (!member_id) throw new Refusal(401, 'This link into the office was used before or is too old.')
    await failure.giveBack().catch(() => undefined) // used up by now: what is only counted must not take it from the member
    const found = world.db.selectFrom('member').select(['id', 'password_hash']).where('id', '=', member_id)
    await handOver(world, visitor, await found.executeTakeFirstOrThrow(), await openSession(world, member_id))
    return {}
  },
  async signIn(world, asked, visitor) {
    await signIn(world, asked, visitor)
    return {}
  },
  async leaveOffice(world, _nothing, visitor) {
    if (visitor.officeKey) await leave(world, visitor.officeKey)
    visitor.letOut()
    return {}
  },
  async leaveEverywhere(world, _nothing, visitor) {
    await closeAllSessions(world.db, (await requireMember(world, visitor)).id)
    visitor.letOut()
    return {}
  },
  getOffice: async (world, _nothing, visitor) => viewOffice(world, (await requireMember(world, visitor)).id),
  getAcceptedText: async (world, { sha256 }, visitor) =>
    acceptedText(world, (await requireMember(world, visitor)).id, sha256),
  changePhone: async (world, change, visitor) => viewOffice(world, await changePhone(world, change, visitor)),
  changeEmail: async (world, change, visitor) => viewOffice(world, await changeEmail(world, change, visitor)),
  confirmEmail: (world, { token }, visitor) => confirmEmail(world, token, visitor),
  async changePassword(world, change, visitor) {
    await changePassword(world, change, visitor)
    return {}
  },
  async forgetPassword(world, { name }, visitor) {
    await forgetPassword(world, name, visitor)
    return {}
  },
  async resetPassword(world, reset, visitor) {
    await resetPassword(world, reset, visitor)
    return {}
  },
  async cancelMembership(world, shown, visitor) {
    const member = await requireShown(world, shown, visitor)
    await cancelMembership(world, member)
    return viewOffice(world, member.id)
  },
  async keepMembership(world, shown, visitor) {
    const member = await requireShown(world, shown, visitor)
    await keepMembership(world, member)
    return viewOffice(world, member.id)
  },
}
