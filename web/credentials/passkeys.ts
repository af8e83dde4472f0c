import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyResponse } from '#contract/credentials.ts'
import { PasskeyFailed } from '#web/ui/errorMessage.ts'

type PasskeyData = Record<string, unknown>

export const hasPasskeys = () => typeof PublicKeyCredential === 'function'

/** Lets the browser sign a challenge with a passkey of this person. */
export const signWithPasskey = async (options: PasskeyData): Promise<PasskeyResponse> =>
  run(() => startAuthentication({ optionsJSON: options as never }))

/** Lets the browser make a new passkey. */
export const createPasskey = async (options: PasskeyData): Promise<PasskeyResponse> =>
  run(() => startRegistration({ optionsJSON: options as never }))

async function run(work: () => Promise<{ id: string }>): Promise<PasskeyResponse> {
  try {
    return { ...(await work()) }
  } catch (cause) {
    throw new PasskeyFailed(messageOf(cause))
  }
}

const messages: Record<string, string> = {
  NotAllowedError: 'No passkey was used. Try again, or choose the other way.',
  InvalidStateError: 'This device already has a passkey for you.',
  SecurityError: 'Passkeys do not work at this address. Open this page at the address that the operator has set.',
}

const messageOf = (cause: unknown): string =>
  (cause instanceof Error && messages[cause.name]) || 'This browser could not use a passkey. Choose the other way.'
