import * as z from 'zod/mini'
import {
  AppSecret,
  appCode,
  code,
  credential_id,
  Passkey,
  passkeyData,
  passkeyResponse,
  RecoveryCodes,
} from '#contract/credentials.ts'
import { fields } from '#contract/fields.ts'
import { figures } from '#contract/figures.ts'
import { textLine } from './fields.ts'
import { type ConsoleCall, roles } from './permissions.ts'

const nothing = z.object({})
const id = z.uuid('This is not an id.')
const token = z.string('The link is incomplete.').check(z.minLength(1), z.maxLength(200, 'The link is incomplete.'))

const name = textLine('Please enter your name.', figures.text_length)
const password = z
  .string('Please enter your password.')
  .check(
    z.minLength(1, 'Please enter your password.'),
    z.maxLength(figures.password_max_length, 'This password is too long.'),
  )
/** Staff can refund and read everything, so they need longer passwords than members (PCI DSS 8.3.6). */
export const STAFF_PASSWORD_LENGTH = 12
const newPassword = fields.password.check(
  z.refine(
    (password) => [...password].length >= STAFF_PASSWORD_LENGTH,
    `Please use at least ${STAFF_PASSWORD_LENGTH} characters.`,
  ),
)
const role = z.enum(roles, 'Please choose a role.')

export const Staff = z.object({ id: z.string(), name: z.string(), email: z.string(), role })

/** Joining is paused; a breaker is open; renewals are off in the settings. */
export const restrictionKinds = ['joining', 'declines', 'codes', 'renewals'] as const

/** Who is signed in, if anyone. */
export const ConsoleSession = z.object({
  staff: z.optional(Staff),
  method: z.optional(z.enum(['passkey', 'password'])),
  time_zone: z.string(),
  /** A sentence that says where members, payments and the catalog are kept, if not here. */
  elsewhere: z.optional(z.string()),
  /** Today in the operator's time zone. */
  today: z.string(),
  /** Problems that wait for a person, if this role sees them. */
  problems: z.optional(z.int()),
  /** What is stopped or restricted right now, for staff. */
  restrictions: z.optional(z.array(z.object({ kind: z.enum(restrictionKinds), until: z.optional(z.string()) }))),
})

const Access = z.object({
  passkeys: z.array(Passkey),
  has_password: z.boolean(),
  recovery_codes_left: z.int(),
  other_sessions: z.int(),
})

const StaffList = z.object({
  staff: z.array(
    z.object({
      ...Staff.shape,
      joined_on: z.string(),
      passkeys: z.int(),
      has_password: z.boolean(),
      is_you: z.boolean(),
      seen_at: z.optional(z.string()),
    }),
  ),
  invitations: z.array(z.object({ id: z.string(), email: z.string(), role, expires_at: z.string() })),
})

/** Signing in, invitations, one's own access, and the staff. */
export const consoleAccessCalls = {
  getSession: {
    method: 'GET',
    path: '/console/session',
    summary: 'Get who is signed in to the console',
    permission: 'anyone',
    input: nothing,
    output: ConsoleSession,
  },
  getStatus: {
    method: 'GET',
    path: '/console/status',
    summary: 'Get the current session without extending it',
    permission: 'staff',
    isBackground: true,
    input: nothing,
    output: ConsoleSession,
  },
  getPasskeyOptions: {
    method: 'POST',
    path: '/console/passkey-options',
    summary: 'Get a challenge for signing in with a passkey',
    permission: 'anyone',
    input: nothing,
    output: passkeyData,
  },
  signInWithPasskey: {
    method: 'POST',
    path: '/console/sign-in/passkey',
    summary: 'Sign in with a passkey',
    permission: 'anyone',
    input: z.object({ response: passkeyResponse }),
    output: ConsoleSession,
  },
  signInWithPassword: {
    method: 'POST',
    path: '/console/sign-in/password',
    summary: 'Sign in with a password and a code',
    permission: 'anyone',
    input: z.object({ email: fields.email, password, code }),
    output: ConsoleSession,
  },
  getInvitation: {
    method: 'POST',
    path: '/console/invitation',
    summary: 'Get what an invitation is for',
    permission: 'anyone',
    input: z.object({ token }),
    output: z.object({ email: z.optional(z.string()), role }),
  },
  getInvitationPasskey: {
    method: 'POST',
    path: '/console/invitation/passkey-options',
    summary: 'Get a challenge for the first passkey',
    permission: 'anyone',
    input: z.object({ token, name, email: fields.email }),
    output: passkeyData,
  },
  acceptWithPasskey: {
    method: 'POST',
    path: '/console/invitation/passkey',
    summary: 'Accept an invitation with a new passkey',
    permission: 'anyone',
    input: z.object({ token, name, email: fields.email, response: passkeyResponse }),
    output: ConsoleSession,
  },
  getInvitationApp: {
    method: 'POST',
    path: '/console/invitation/app',
    summary: 'Get a secret for an authenticator app',
    permission: 'anyone',
    input: z.object({ token, email: fields.email }),
    output: AppSecret,
  },
  acceptWithPassword: {
    method: 'POST',
    path: '/console/invitation/password',
    summary: 'Accept an invitation with a password and an authenticator app',
    permission: 'anyone',
    input: z.object({ token, name, email: fields.email, password: newPassword, ...appCode }),
    output: z.object({ session: ConsoleSession, ...RecoveryCodes.shape }),
  },
  signOut: {
    method: 'POST',
    path: '/console/sign-out',
    summary: 'Sign out of the console',
    permission: 'anyone',
    input: nothing,
    output: nothing,
  },
  proveWithPasskey: {
    method: 'POST',
    path: '/console/proof/passkey',
    summary: 'Prove again who one is, with a passkey',
    permission: 'staff',
    needsProof: false,
    input: z.object({ response: passkeyResponse }),
    output: nothing,
  },
  proveWithPassword: {
    method: 'POST',
    path: '/console/proof/password',
    summary: 'Prove again who one is, with a password and a code',
    permission: 'staff',
    needsProof: false,
    input: z.object({ password, code }),
    output: nothing,
  },
  checkProof: {
    method: 'GET',
    path: '/console/proof',
    summary: 'Check that the last proof is fresh, before a download',
    permission: 'staff',
    needsProof: true,
    input: nothing,
    output: nothing,
  },
  getAccess: {
    method: 'GET',
    path: '/console/access',
    summary: 'Get one’s own ways to sign in',
    permission: 'staff',
    input: nothing,
    output: Access,
  },
  getNewPasskey: {
    method: 'POST',
    path: '/console/access/passkey-options',
    summary: 'Get a challenge for another passkey',
    permission: 'staff',
    needsProof: true,
    input: nothing,
    output: passkeyData,
  },
  addPasskey: {
    method: 'POST',
    path: '/console/access/passkey',
    summary: 'Add a passkey',
    permission: 'staff',
    needsProof: true,
    input: z.object({ name: textLine('Please enter a name for this passkey.', 60), response: passkeyResponse }),
    output: Access,
  },
  removePasskey: {
    method: 'POST',
    path: '/console/access/passkey/remove',
    summary: 'Remove a passkey',
    permission: 'staff',
    needsProof: true,
    input: z.object({ credential_id }),
    output: Access,
  },
  getAppSecret: {
    method: 'POST',
    path: '/console/access/app',
    summary: 'Get a new secret for an authenticator app',
    permission: 'staff',
    needsProof: true,
    input: nothing,
    output: AppSecret,
  },
  setPassword: {
    method: 'POST',
    path: '/console/access/password',
    summary: 'Set a password and an authenticator app; ends all other sessions',
    permission: 'staff',
    needsProof: true,
    input: z.object({ password: newPassword, ...appCode }),
    output: RecoveryCodes,
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/console/access/recovery-codes',
    summary: 'Replace the recovery codes',
    permission: 'staff',
    needsProof: true,
    input: nothing,
    output: RecoveryCodes,
  },
  endOtherSessions: {
    method: 'POST',
    path: '/console/access/sign-out-others',
    summary: 'Sign out of the console in every other browser',
    permission: 'staff',
    needsProof: false,
    input: nothing,
    output: Access,
  },
  listStaff: {
    method: 'GET',
    path: '/console/staff',
    summary: 'List the staff and open invitations',
    permission: 'see_staff',
    input: nothing,
    output: StaffList,
  },
  inviteStaff: {
    method: 'POST',
    path: '/console/staff/invite',
    summary: 'Invite a colleague; the reply has the link, which is shown only once',
    permission: 'manage_staff',
    needsProof: true,
    input: z.object({ email: fields.email, role }),
    output: z.object({ link: z.string(), ...StaffList.shape }),
  },
  withdrawInvitation: {
    method: 'POST',
    path: '/console/staff/withdraw',
    summary: 'Withdraw an invitation',
    permission: 'manage_staff',
    needsProof: true,
    input: z.object({ id }),
    output: StaffList,
  },
  changeRole: {
    method: 'POST',
    path: '/console/staff/role',
    summary: 'Change the role of a colleague',
    permission: 'manage_staff',
    needsProof: true,
    input: z.object({ id, role }),
    output: StaffList,
  },
  removeStaff: {
    method: 'POST',
    path: '/console/staff/remove',
    summary: 'Remove a colleague and end their sessions',
    permission: 'manage_staff',
    needsProof: true,
    input: z.object({ id }),
    output: StaffList,
  },
} as const satisfies Record<string, ConsoleCall>

export type Staff = z.infer<typeof Staff>
export type ConsoleSession = z.infer<typeof ConsoleSession>
export type Access = z.infer<typeof Access>
export type StaffList = z.infer<typeof StaffList>
