import type { officeCalls } from '#contract/office/office.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { emptyReply, type Handlers } from '#server/http/handlers.ts'
import type { MemberBrowser } from '#server/members/browser.ts'
import { changeEmail, confirmEmail, sendEmailLink } from '#server/members/details.ts'
import { changeJoinEmails } from '#server/members/join-emails.ts'
import { changeName } from '#server/members/name.ts'
import { changePassword, requestPasswordReset, resetPassword } from '#server/members/new-password.ts'
import { changePhone, confirmPhone, sendPhoneCode } from '#server/members/phone.ts'
import { changePicture, removePicture } from '#server/members/picture.ts'
import {
  addPasskey,
  makeRecoveryCodes,
  newAppSecret,
  newPasskeyOptions,
  removePasskey,
  turnOffApp,
  turnOnApp,
} from '#server/members/second-factor.ts'
import { signInPasskeyOptions, signInWithCode, signInWithPasskey } from '#server/members/second-step.ts'
import { endOtherSessions, endSession, viewSecurity } from '#server/members/security.ts'
import { requireDisplayedMember, requireMember, signOut, signOutEverywhere } from '#server/members/session.ts'
import { signIn, signInWithGrant } from '#server/members/sign-in.ts'
import { changeUsername } from '#server/members/username.ts'
import { cancel, resume } from '#server/membership/cancellation.ts'
import { dropPackage } from '#server/membership/lines.ts'
import { changeRenewalEmails } from '#server/membership/renewal-emails.ts'
import { isOurFailure } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { changeCard, comeBackAndPay } from './card.ts'
import { acceptedText, viewOffice } from './view.ts'

/** The handler of each call of the office. */
export const officeHandlers: Handlers<typeof officeCalls, MemberBrowser> = {
  enterOffice: emptyReply(limitFailures(signInWithGrant)),
  signIn,
  signInWithCode: emptyReply(signInWithCode),
  getSignInPasskey: signInPasskeyOptions,
  signInWithPasskey: emptyReply(signInWithPasskey),
  leaveOffice: emptyReply(signOut),
  leaveEverywhere: emptyReply(signOutEverywhere),

  getOffice: async (world, _input, visitor) => viewSignedIn(world, visitor),
  getAcceptedText: async (world, { sha256 }, visitor) =>
    acceptedText(world, (await requireMember(world, visitor)).id, sha256),

  getSecurity: async (world, _input, visitor) => viewSecurity(world, (await requireMember(world, visitor)).id, visitor),
  endSession,
  endOtherSessions,
  getAppSecret: newAppSecret,
  turnOnApp: withSecurityView(turnOnApp),
  turnOffApp: thenViewSecurity(turnOffApp),
  getNewPasskey: newPasskeyOptions,
  addPasskey: withSecurityView(addPasskey),
  removePasskey: thenViewSecurity(removePasskey),
  makeRecoveryCodes: limitProved(makeRecoveryCodes),

  changeName: thenViewOffice(changeName),
  changeUsername: thenViewOffice(changeUsername),
  changePicture: thenViewOffice(changePicture),
  removePicture: thenViewOffice(removePicture),
  changeJoinEmails: thenViewOffice(changeJoinEmails),
  changeRenewalEmails: thenViewOffice(forDisplayedMember(changeRenewalEmails)),
  changePhone: thenViewOffice(changePhone),
  sendPhoneCode: emptyReply(sendPhoneCode),
  confirmPhone: thenViewOffice(confirmPhone),
  changeEmail: thenViewOffice(changeEmail),
  sendEmailLink: emptyReply(sendEmailLink),
  confirmEmail: limitFailures(confirmEmail),
  changePassword: emptyReply(limitProved(changePassword)),
  forgetPassword: emptyReply(requestPasswordReset),
  resetPassword: emptyReply(limitFailures(resetPassword)),

  changeCard: thenViewOffice(changeCard),
  dropPackage: thenViewOffice(forDisplayedMember(dropPackage)),
  comeBack: thenViewOffice(comeBackAndPay),
  cancelMembership: thenViewOffice(forDisplayedMember(cancel), limitBySession),
  keepMembership: thenViewOffice(forDisplayedMember(resume)),
}

type Work<Input, Result> = (world: World, input: Input, visitor: MemberBrowser) => Promise<Result>

/** Runs a change, and responds with the updated view. */
function thenViewOffice<Input>(
  change: Work<Input, string>,
  limit: (change: Work<Input, string>) => Work<Input, string> = limitChanges,
): Work<Input, Awaited<ReturnType<typeof viewOffice>>> {
  const work = limit(change)
  return async (world, input, visitor) => {
    await work(world, input, visitor)
    return viewSignedIn(world, visitor)
  }
}

async function viewSignedIn(world: World, visitor: MemberBrowser) {
  const { id, signed_in_at } = await requireMember(world, visitor)
  return viewOffice(world, id, signed_in_at)
}

/** Each change sends an email, or stores something, so a script must not repeat it forever. */
function limitChanges<Input, Result>(change: Work<Input, Result>): Work<Input, Result> {
  return async (world, input, visitor) => {
    const { id } = await requireMember(world, visitor)
    await countAgainstLimit(world, 'LIMIT_CHANGES', id)
    return change(world, input, visitor)
  }
}

/** What protects the member must work even if a thief with another session of theirs has used up every limit. */
function limitBySession<Input, Result>(change: Work<Input, Result>): Work<Input, Result> {
  return async (world, input, visitor) => {
    await requireMember(world, visitor)
    await countAgainstLimit(world, 'LIMIT_CHANGES', `session ${visitor.officeKey}`)
    return change(world, input, visitor)
  }
}

/** The same for changes that need the password: only those that succeed count, and a thief can't make one. */
function limitProved<Input, Result>(change: Work<Input, Result>): Work<Input, Result> {
  return async (world, input, visitor) => {
    const { id } = await requireMember(world, visitor)
    const use = await countAgainstLimit(world, 'LIMIT_CHANGES', `security ${id}`)
    return change(world, input, visitor).catch(async (error: unknown) => {
      await use.giveBack().catch(() => undefined)
      throw error
    })
  }
}

/** Changes how the member signs in, and adds the updated view to what that returns. */
function withSecurityView<Input, Result extends object>(change: Work<Input, Result>) {
  const work = limitProved(change)
  return async (world: World, input: Input, visitor: MemberBrowser) => {
    const result = await work(world, input, visitor)
    return { ...result, view: await viewSecurity(world, (await requireMember(world, visitor)).id, visitor) }
  }
}

function thenViewSecurity<Input>(change: Work<Input, object>) {
  const work = withSecurityView(change)
  return async (world: World, input: Input, visitor: MemberBrowser) => (await work(world, input, visitor)).view
}

/** Changes the membership of the member on the screen. */
function forDisplayedMember<Input>(
  change: (world: World, member_id: string, input: Input) => Promise<void>,
): Work<Input & { username: string }, string> {
  return async (world, input, visitor) => {
    const { id } = await requireDisplayedMember(world, input, visitor)
    await change(world, id, input)
    return id
  }
}

/** Limits failed attempts with a one-time token. Each counts as a failure until it succeeds. */
function limitFailures<Input, Result>(work: Work<Input, Result>): Work<Input, Result> {
  return async (world, input, visitor) => {
    const failure = await countAgainstLimit(world, 'LIMIT_GRANTS', visitor.address)
    const result = await work(world, input, visitor).catch(async (error: unknown) => {
      if (isOurFailure(error)) await failure.giveBack().catch(() => undefined)
      throw error
    })
    await failure.giveBack().catch(() => undefined) // the token is used up: an error here must not fail the request
    return result
  }
}
