import type { consoleAccessCalls } from '#contract/console/access.ts'
import { countAgainstLimit } from '#server/abuse/limits.ts'
import { isOurFailure } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { HandlersOf, Request } from '../console.ts'
import {
  addPasskey,
  endOtherSessions,
  makeRecoveryCodes,
  newAppSecret,
  newPasskeyOptions,
  removePasskey,
  setPassword,
  viewAccess,
} from './access.ts'
import {
  acceptWithPasskey,
  acceptWithPassword,
  createInvitation,
  firstAppSecret,
  firstPasskeyOptions,
  viewInvitation,
} from './invitations.ts'
import { type StaffSession, signOut, viewSession } from './session.ts'
import {
  passkeyOptions,
  proveWithPasskey,
  proveWithPassword,
  signInWithPasskey,
  signInWithPassword,
} from './sign-in.ts'
import { changeRole, listStaff, removeStaff, withdrawInvitation } from './staff.ts'

export const accessHandlers = {
  getSession: async (_input, { world, session }) => viewSession(world, session),
  getStatus: async (_input, { world, session }) => viewSession(world, session),
  getPasskeyOptions: (input, { world, visitor }) => passkeyOptions(world, input, visitor),
  signInWithPasskey: (input, { world, visitor }) => signInWithPasskey(world, input, visitor),
  signInWithPassword: (input, { world, visitor }) => signInWithPassword(world, input, visitor),
  getInvitation: limitFailures((input, { world }) => viewInvitation(world, input)),
  getInvitationPasskey: limitFailures((input, { world }) => firstPasskeyOptions(world, input)),
  acceptWithPasskey: limitFailures((input, { world, visitor }) => acceptWithPasskey(world, input, visitor)),
  getInvitationApp: limitFailures((input, { world }) => firstAppSecret(world, input)),
  acceptWithPassword: limitFailures((input, { world, visitor }) => acceptWithPassword(world, input, visitor)),
  signOut: async (input, { world, visitor }) => {
    await signOut(world, input, visitor)
    return {}
  },
  proveWithPasskey: async (input, { world, visitor, session }) => {
    await proveWithPasskey(world, input, visitor, session)
    return {}
  },
  proveWithPassword: async (input, { world, visitor, session }) => {
    await proveWithPassword(world, input, visitor, session)
    return {}
  },
  checkProof: async () => ({}),
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
} satisfies HandlersOf<typeof consoleAccessCalls>

type Action<Input> = (world: World, input: Input, session: StaffSession) => Promise<unknown>

function thenListStaff<Input>(action: Action<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await action(world, input, session)
    return listStaff(world, session.staff.id)
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
