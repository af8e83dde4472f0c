import { countAgainstLimit } from '#server/abuse/limits.ts'
import { verifyAudit } from '#server/audit/audit.ts'
import { isOurFailure } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import { viewAbuse } from './abuse/abuse.ts'
import {
  blockNetwork,
  closeBreaker,
  liftBlock,
  openBreaker,
  pauseJoining,
  resumeJoining,
} from './abuse/abuse-actions.ts'
import {
  addPasskey,
  endOtherSessions,
  makeRecoveryCodes,
  newAppSecret,
  newPasskeyOptions,
  removePasskey,
  setPassword,
  viewAccess,
} from './access/access.ts'
import {
  acceptWithPasskey,
  acceptWithPassword,
  createInvitation,
  firstAppSecret,
  firstPasskeyOptions,
  viewInvitation,
} from './access/invitations.ts'
import { type StaffSession, signOut, viewSession } from './access/session.ts'
import {
  passkeyOptions,
  proveWithPasskey,
  proveWithPassword,
  signInWithPasskey,
  signInWithPassword,
} from './access/sign-in.ts'
import { changeRole, listStaff, removeStaff, withdrawInvitation } from './access/staff.ts'
import { listAudit } from './audit/audit.ts'
import { viewSettings } from './audit/settings.ts'
import { changeBrand, changeLogo, removeLogo, viewBrand } from './brand/brand.ts'
import { type ConsoleHandlers, guardHandlers, type Request } from './console.ts'
import { addDocument, restoreDocument, withdrawDocument } from './documents/document-actions.ts'
import {
  listAcceptances,
  listDocuments,
  previewDocument,
  publishDocument,
  unscheduleDocument,
  viewDocument,
  viewVersion,
} from './documents/documents.ts'
import { viewFunnel } from './funnel/funnel.ts'
import { erasePerson } from './members/erase-person.ts'
import { exportPerson } from './members/export-person.ts'
import {
  cancelMembership,
  changeRenewalDay,
  endSessions,
  holdMembership,
  refundPayment,
  releaseMembership,
  removeMemberSecondFactor,
  resumeMembership,
  sendResetLink,
  voidPayment,
  waiveNextPeriod,
} from './members/member-actions.ts'
import { changeDetails } from './members/member-details.ts'
import { resendEmail } from './members/member-emails.ts'
import { exportMembers } from './members/member-export.ts'
import { listMembers, packagesToFilterBy } from './members/member-list.ts'
import { viewMember } from './members/member-page.ts'
import { moveSponsor } from './members/sponsor-moves.ts'
import { listProblems, resolve } from './overview/problems.ts'
import { viewToday } from './overview/today.ts'
import {
  addPackage,
  changePrices,
  editPackage,
  listPackages,
  movePackage,
  offerPackage,
  setPackagePicture,
  viewPackage,
  viewPriceEffect,
  withdrawPackage,
} from './packages/packages.ts'
import { listSponsors } from './sponsors/sponsor-list.ts'
import {
  activateSponsor,
  addSponsor,
  deactivateSponsor,
  removeSponsorPicture,
  renameSponsor,
  setSponsorPicture,
  viewSponsor,
} from './sponsors/sponsors.ts'

/** The handler of each call of the console, behind the check of its permission. */
export const consoleHandlers = guardHandlers({
  getSession: async (_input, { world, session }) => viewSession(world, session),
  getPasskeyOptions: (input, { world, visitor }) => passkeyOptions(world, input, visitor),
  signInWithPasskey: (input, { world, visitor }) => signInWithPasskey(world, input, visitor),
  signInWithPassword: (input, { world, visitor }) => signInWithPassword(world, input, visitor),
  signOut: async (input, { world, visitor }) => {
    await signOut(world, input, visitor)
    return {}
  },

  getInvitation: limitFailures((input, { world }) => viewInvitation(world, input)),
  getInvitationPasskey: limitFailures((input, { world }) => firstPasskeyOptions(world, input)),
  acceptWithPasskey: limitFailures((input, { world, visitor }) => acceptWithPasskey(world, input, visitor)),
  getInvitationApp: limitFailures((input, { world }) => firstAppSecret(world, input)),
  acceptWithPassword: limitFailures((input, { world, visitor }) => acceptWithPassword(world, input, visitor)),

  proveWithPasskey: async (input, { world, visitor, session }) => {
    await proveWithPasskey(world, input, visitor, session)
    return {}
  },
  proveWithPassword: async (input, { world, visitor, session }) => {
    await proveWithPassword(world, input, visitor, session)
    return {}
  },

  getAccess: (_input, { world, session }) => viewAccess(world, session),
  getNewPasskey: (_input, { world, session }) => newPasskeyOptions(world, session),
  addPasskey: (input, { world, session }) => addPasskey(world, input, session),
  removePasskey: (input, { world, session }) => removePasskey(world, input, session),
  getAppSecret: async (_input, { world, session }) => newAppSecret(world, session),
  setPassword: (input, { world, session }) => setPassword(world, input, session),
  makeRecoveryCodes: (_input, { world, session }) => makeRecoveryCodes(world, session),
  endOtherSessions: (_input, { world, session }) => endOtherSessions(world, session),

  listStaff: (_input, { world, session }) => listStaff(world, session.staff.id),
  inviteStaff: async (input, { world, session: { staff } }) => {
    const email = input.email.toLowerCase()
    const link = await createInvitation(world, { email, role: input.role, actor: staff })
    return { link, ...(await listStaff(world, staff.id)) }
  },
  withdrawInvitation: thenListStaff((world, input, { staff }) => withdrawInvitation(world, input, staff)),
  changeRole: thenListStaff((world, input, { staff }) => changeRole(world, input, staff)),
  removeStaff: thenListStaff((world, input, { staff }) => removeStaff(world, input, staff)),

  getToday: (_input, { world }) => viewToday(world),
  listProblems: (_input, { world }) => listProblems(world),
  resolveDifference: (input, { world, session }) => resolve(world, input, session.staff),

  listMembers: (input, { world }) => listMembers(world, input),
  exportMembers: (input, { world, session }) => exportMembers(world, input, session),
  getFilters: async (_input, { world }) => ({ packages: await packagesToFilterBy(world.db) }),
  getMember: ({ member_id }, { world }) => viewMember(world, member_id),
  refundPayment: thenViewMember(refundPayment),
  voidPayment: thenViewMember(voidPayment),
  cancelMembership: thenViewMember(cancelMembership),
  resumeMembership: thenViewMember(resumeMembership),
  holdMembership: thenViewMember(holdMembership),
  releaseMembership: thenViewMember(releaseMembership),
  waivePeriod: thenViewMember(waiveNextPeriod),
  moveRenewalDay: thenViewMember(changeRenewalDay),
  exportPerson: (input, { world, session }) => exportPerson(world, input, session),
  erasePerson: thenViewMember(erasePerson),
  changeDetails: thenViewMember(changeDetails),
  moveSponsor: thenViewMember(moveSponsor),
  endSessions: thenViewMember(endSessions),
  removeSecondFactor: thenViewMember(removeMemberSecondFactor),
  sendResetLink: thenViewMember(sendResetLink),
  resendEmail: thenViewMember(resendEmail),

  getAbuse: (_input, { world }) => viewAbuse(world),
  openBreaker: thenViewAbuse(openBreaker),
  closeBreaker: thenViewAbuse(closeBreaker),
  blockNetwork: thenViewAbuse(blockNetwork),
  liftBlock: thenViewAbuse(liftBlock),
  pauseJoining: thenViewAbuse(pauseJoining),
  resumeJoining: thenViewAbuse(resumeJoining),
  listSponsors: (input, { world }) => listSponsors(world, input),
  getSponsorPage: ({ sponsor_id }, { world }) => viewSponsor(world, sponsor_id),
  addSponsor: (input, { world, session }) => addSponsor(world, input, session.staff),
  activateSponsor: (input, { world, session }) => activateSponsor(world, input, session.staff),
  deactivateSponsor: (input, { world, session }) => deactivateSponsor(world, input, session.staff),
  renameSponsor: (input, { world, session }) => renameSponsor(world, input, session.staff),
  setSponsorPicture: (input, { world, session }) => setSponsorPicture(world, input, session.staff),
  removeSponsorPicture: (input, { world, session }) => removeSponsorPicture(world, input, session.staff),
  listPackages: (_input, { world }) => listPackages(world),
  getPackage: ({ product_id }, { world }) => viewPackage(world, product_id),
  addPackage: (input, { world, session }) => addPackage(world, input, session.staff),
  editPackage: (input, { world, session }) => editPackage(world, input, session.staff),
  movePackage: (input, { world, session }) => movePackage(world, input, session.staff),
  withdrawPackage: (input, { world, session }) => withdrawPackage(world, input, session.staff),
  offerPackage: (input, { world, session }) => offerPackage(world, input, session.staff),
  setPackagePicture: (input, { world, session }) => setPackagePicture(world, input, session.staff),
  getPriceEffect: (input, { world }) => viewPriceEffect(world, input),
  changePrices: (input, { world, session }) => changePrices(world, input, session.staff),
  listDocuments: async (_input, { world }) => ({ documents: await listDocuments(world) }),
  getDocument: ({ document_id }, { world }) => viewDocument(world, document_id),
  getDocumentVersion: (input, { world }) => viewVersion(world, input),
  listAcceptances: (input, { world }) => listAcceptances(world, input),
  previewDocument: (input) => previewDocument(input),
  publishDocument: (input, { world, session }) => publishDocument(world, input, session.staff),
  addDocument: (input, { world, session }) => addDocument(world, input, session.staff),
  withdrawDocument: (input, { world, session }) => withdrawDocument(world, input, session.staff),
  restoreDocument: (input, { world, session }) => restoreDocument(world, input, session.staff),
  unscheduleDocument: (input, { world, session }) => unscheduleDocument(world, input, session.staff),

  getFunnel: (input, { world }) => viewFunnel(world, input),
  getBrand: (_input, { world }) => viewBrand(world),
  changeBrand: (input, { world, session }) => changeBrand(world, input, session),
  changeLogo: (input, { world, session }) => changeLogo(world, input, session),
  removeLogo: (_input, { world, session }) => removeLogo(world, session),

  listAudit: (input, { world }) => listAudit(world, input),
  verifyAudit: (_input, { world }) => verifyAudit(world),
  getSettings: async (_input, { world }) => viewSettings(world),
} satisfies ConsoleHandlers)

type Act<Input> = (world: World, input: Input, session: StaffSession) => Promise<unknown>

/** Runs an act, and responds with the member as they are afterwards. */
function thenViewMember<Input extends { member_id: string }>(act: Act<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await act(world, input, session)
    return viewMember(world, input.member_id)
  }
}

function thenListStaff<Input>(act: Act<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await act(world, input, session)
    return listStaff(world, session.staff.id)
  }
}

function thenViewAbuse<Input>(act: Act<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await act(world, input, session)
    return viewAbuse(world)
  }
}

/** Limits failed attempts with the token of an invitation. Each counts as a failure until it succeeds. */
function limitFailures<Input, Result>(
  work: (input: Input, request: Request<StaffSession | undefined>) => Promise<Result>,
) {
  return async (input: Input, request: Request<StaffSession | undefined>): Promise<Result> => {
    const failure = await countAgainstLimit(request.world, 'LIMIT_GRANTS', request.visitor.address)
    const giveBack = () => failure.giveBack().catch(() => undefined)
    const result = await work(input, request).catch(async (error: unknown) => {
      if (isOurFailure(error)) await giveBack()
      throw error
    })
    await giveBack()
    return result
  }
}
