import * as z from 'zod/mini'
import type { Call } from '#contract/api.ts'
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
import { current_password } from './fields.ts'

const nothing = z.object({})
const pendingToken = z.string('Please sign in again.').check(z.maxLength(100, 'Please sign in again.'))

/** The password was right, and the member has a second factor. `token` continues this sign-in. */
export const PendingSignIn = z.object({ token: z.string(), has_app: z.boolean(), has_passkey: z.boolean() })

/** Where the member is signed in, and how. */
export const SecurityView = z.object({
  username: z.string(),
  email: z.string(),
  time_zone: z.string(),
  /** This browser first, then by last use. Times are ISO, and `used_at` is true to a few minutes. */
  sessions: z.array(
    z.object({
      id: z.string(),
      /** 'Chrome on Android' */
      device: z.string(),
      signed_in_at: z.string(),
      used_at: z.string(),
      is_this: z.boolean(),
    }),
  ),
  has_app: z.boolean(),
  passkeys: z.array(Passkey),
  recovery_codes_left: z.int(),
})

/** Recovery codes are made with the first app or passkey, and shown once. */
const SecurityChange = z.object({ view: SecurityView, recovery_codes: z.optional(RecoveryCodes.shape.recovery_codes) })

/** Sessions, passkeys and the authenticator app of a member. */
export const officeSecurityCalls = {
  signInWithCode: {
    method: 'POST',
    path: '/office/sign-in/code',
    summary: 'Finish a sign-in with a code of the authenticator app, or a recovery code',
    input: z.object({ token: pendingToken, code }),
    output: nothing,
  },
  getSignInPasskey: {
    method: 'POST',
    path: '/office/sign-in/passkey-options',
    summary: 'Get a challenge for signing in with a passkey',
    input: z.object({ token: z.optional(pendingToken) }),
    output: passkeyData,
  },
  signInWithPasskey: {
    method: 'POST',
    path: '/office/sign-in/passkey',
    summary: 'Sign in to the office with a passkey alone',
    input: z.object({ response: passkeyResponse }),
    output: nothing,
  },
  getSecurity: {
    method: 'GET',
    path: '/office/security',
    summary: 'Get where the member is signed in, and how',
    input: nothing,
    output: SecurityView,
  },
  endSession: {
    method: 'POST',
    path: '/office/sessions/end',
    summary: 'Sign out one other browser',
    input: z.object({ id: z.uuid('This is not a session.') }),
    output: SecurityView,
  },
  endOtherSessions: {
    method: 'POST',
    path: '/office/sessions/end-others',
    summary: 'Sign out every other browser',
    input: nothing,
    output: SecurityView,
  },
  getAppSecret: {
    method: 'POST',
    path: '/office/security/app-secret',
    summary: 'Get a new secret for an authenticator app',
    input: nothing,
    output: AppSecret,
  },
  turnOnApp: {
    method: 'POST',
    path: '/office/security/app',
    summary: 'Turn on an authenticator app, in place of an earlier one',
    input: z.object({ ...appCode, current_password }),
    output: SecurityChange,
  },
  turnOffApp: {
    method: 'POST',
    path: '/office/security/app/remove',
    summary: 'Turn off the authenticator app',
    input: z.object({ current_password }),
    output: SecurityView,
  },
  getNewPasskey: {
    method: 'POST',
    path: '/office/security/passkey-options',
    summary: 'Get a challenge for a new passkey',
    input: z.object({ current_password }),
    output: passkeyData,
  },
  addPasskey: {
    method: 'POST',
    path: '/office/security/passkey',
    summary: 'Add a passkey',
    input: z.object({ response: passkeyResponse }),
    output: SecurityChange,
  },
  removePasskey: {
    method: 'POST',
    path: '/office/security/passkey/remove',
    summary: 'Remove a passkey',
    input: z.object({ credential_id, current_password }),
    output: SecurityView,
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/office/security/recovery-codes',
    summary: 'Replace the recovery codes',
    input: z.object({ current_password }),
    output: RecoveryCodes,
  },
} as const satisfies Record<string, Call>

export type PendingSignIn = z.infer<typeof PendingSignIn>
export type SecurityView = z.infer<typeof SecurityView>
