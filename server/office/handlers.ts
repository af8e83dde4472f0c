import type { officeCalls } from '#contract/office-calls.ts'
import { spend } from '#server/abuse/limits.ts'
import type { Visitor } from '#server/enrollment/visitor.ts'
import { done, type Handlers } from '#server/handlers.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world.ts'
import { changeEmail, changePhone, confirmEmail } from './details.ts'
import { spendGrant } from './grant.ts'
import { cancelMembership, keepMembership } from './membership.ts'
import { changePassword, forgetPassword, resetPassword } from './new-password.ts'
import { closeAllSessions, handOver, leave, openSession, requireMember } from './session.ts'
import { signIn } from './sign-in.ts'
import { acceptedText, viewOffice } from './view.ts'

/** One answer for each call of the office. */
export const officeHandlers: Handlers<typeof officeCalls> = {
  enterOffice: done(async (world, { token }, visitor) => {
    const member_id = await countingFailures(world, visitor, async () => {
      const entering = await spendGrant(world, token)
      if (!entering) throw new Refusal(401, 'This link into the office was used before or is too old.')
      return entering
    })
    const found = world.db.selectFrom('member').select(['id', 'password_hash']).where('id', '=', member_id)
    await handOver(world, visitor, await found.executeTakeFirstOrThrow(), await openSession(world, member_id))
  }),
  signIn: done(signIn),
  leaveOffice: done(async (world, _nothing, visitor) => {
    if (visitor.officeKey) await leave(world, visitor.officeKey)
    visitor.letOut()
  }),
  leaveEverywhere: done(async (world, _nothing, visitor) => {
    await closeAllSessions(world.db, (await requireMember(world, visitor)).id)
    visitor.letOut()
  }),
  getOffice: async (world, _nothing, visitor) => viewOffice(world, (await requireMember(world, visitor)).id),
  getAcceptedText: async (world, { sha256 }, visitor) =>
    acceptedText(world, (await requireMember(world, visitor)).id, sha256),
  changePhone: viewAfter(changePhone),
  changeEmail: viewAfter(changeEmail),
  confirmEmail: (world, { token }, visitor) => countingFailures(world, visitor, () => confirmEmail(world, token)),
  changePassword: done(changePassword),
  forgetPassword: done(forgetPassword),
  resetPassword: done((world, reset, visitor) =>
    countingFailures(world, visitor, () => resetPassword(world, reset, visitor)),
  ),
  cancelMembership: viewAfter(cancelMembership),
  keepMembership: viewAfter(keepMembership),
}

/** A change of the member whom it names, and what that member sees then. */
function viewAfter<Input>(change: (world: World, input: Input, visitor: Visitor) => Promise<string>) {
  return async (world: World, input: Input, visitor: Visitor) => viewOffice(world, await change(world, input, visitor))
}

/** Whoever brings what opens something has failed until it has. */
async function countingFailures<Result>(world: World, { address }: Visitor, work: () => Promise<Result>) {
  const { giveBack } = await spend(world, 'LIMIT_GRANTS', address)
  const result = await work()
  await giveBack().catch(() => undefined) // used up by now: what is only counted must not take it from the member
  return result
}
