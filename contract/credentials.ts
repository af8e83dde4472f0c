import * as z from 'zod/mini'

/** Passkeys, authenticator apps and recovery codes: the same for members and staff. */

/** What a browser's passkey functions take and return. */
export const passkeyData = z.record(z.string(), z.unknown())

const NOT_A_PASSKEY = 'This is not a passkey.'
export const credential_id = z.string(NOT_A_PASSKEY).check(z.regex(/^[\w-]{1,1500}$/, NOT_A_PASSKEY))

/** What a browser returns for a passkey. We look it up by its id; the rest is for the library that verifies it. */
export const passkeyResponse = z.looseObject({ id: credential_id }, NOT_A_PASSKEY)

/** Six digits of the authenticator app, or a recovery code. */
export const code = z.string('Please enter the code.').check(
  z.overwrite((text) => text.replace(/[\s-]/g, '').toLowerCase()),
  z.minLength(6, 'Please enter the code.'),
  z.maxLength(32, 'This is not a code.'),
)

/** A new secret for an authenticator app. `sealed` brings it back to the server, which does not keep it yet. */
export const AppSecret = z.object({ secret: z.string(), qr_path: z.string(), qr_size: z.int(), sealed: z.string() })
export const appCode = { sealed: z.string('The secret is missing.').check(z.maxLength(500)), code }
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

export const Passkey = z.object({
  credential_id: z.string(),
  name: z.string(),
  created_on: z.string(),
  used_on: z.optional(z.string()),
})

export type PasskeyResponse = z.infer<typeof passkeyResponse>
export type AppSecret = z.infer<typeof AppSecret>
