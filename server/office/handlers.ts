import type { officeCalls } from '#contract/office-calls.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { done, type Handlers } from '#server/handlers.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { changeEmail, changePhone, confirmEmail } from './details.ts'
import { redeemGrant } from './grant.ts'
import { cancelMembership, resumeMembership } from './membership.ts'
import { changePassword, requestPasswordReset, resetPassword } from './new-password.ts'
import { closeAllSessions, openSession, requireMember, signOut, startSession } from './session.ts'
import { signIn } from './sign-in.ts'
import { acceptedText, viewOffice } from './view.ts'

/** One answer for each call of the office. */
export const officeHandlers: Handlers<typeof officeCalls> = {
  enterOffice: done(async (world, { token }, visitor) => {
    const member_id = await countingFailures(world, visitor, async () => {
      const entering = await redeemGrant(world, token)
      if (!entering) throw new Refusal(401, 'This link into the office was used before or is too old.')
      return entering
    })
    const found = world.db.selectFrom('member').select(['id', 'password_hash']).where('id', '=', member_id)
    await startSession(world, visitor, await found.executeTakeFirstOrThrow(), await openSession(world, member_id))
  }),
  signIn: done(signIn),
  leaveOffice: done(async (world, _nothing, visitor) => {
    if (visitor.officeKey) await signOut(world, visitor.officeKey)
    visitor.clearOfficeCookie()
  }),
  leaveEverywhere: done(async (world, _nothing, visitor) => {
    await closeAllSessions(world.db, (await requireMember(world, visitor)).id)
    visitor.clearOfficeCookie()
  }),
  getOffice: async (world, _nothing, visitor) => viewOffice(world, (await requireMember(world, visitor)).id),
  getAcceptedText: async (world, { sha256 }, visitor) =>
    acceptedText(world, (await requireMember(world, visitor)).id, sha256),
  changePhone: viewAfter(changePhone),
  changeEmail: viewAfter(changeEmail),
  confirmEmail: (world, { token }, visitor) => countingFailures(world, visitor, () => confirmEmail(world, token)),
  changePassword: done(changePassword),
  forgetPassword: done(requestPasswordReset),
  resetPassword: done((world, reset, visitor) =>
    countingFailures(world, visitor, () => resetPassword(world, reset, visitor)),
  ),
  cancelMembership: viewAfter(cancelMembership),
  keepMembership: viewAfter(resumeMembership),
}

/** A change of the member whom it names, and what that member sees then. */
function viewAfter<Input>(change: (world: World, input: Input, visitor: Visitor) => Promise<string>) {
  return async (world: World, input: Input, visitor: Visitor) => viewOffice(world, await change(world, input, visitor))
}

/** Whoever brings what opens something has failed until it has. */
async function countingFailures<Result>(world: World, { address }: Visitor, work: () => Promise<Result>) {
  const { giveBack } = await countAgainstLimit(world, 'LIMIT_GRANTS', address)
  const result = await work()
  await giveBack().catch(() => undefined) // used up by now: what is only counted must not take it from the member
  return result
}
