import * as z from 'zod/mini'

/** Passkeys, authenticator apps and recovery codes: the same for members and staff. */

/** What a browser's passkey functions take and return. */
export const passkeyData = z.record(z.string(), z.unknown())

export const credential_id = z.string('This is not a passkey.').check(z.maxLength(1500))

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

export type AppSecret = z.infer<typeof AppSecret>
