import { RejectedCall } from '#web/call.ts'
import { log } from '#web/log.ts'
import { Unreachable } from '#web/network.ts'

/** The browser has not made or used a passkey: its dialog was closed, say. The message tells why. */
export class PasskeyFailed extends Error {}

/** What to show when a call fails. */
export function errorMessage(cause: unknown): string {
  if (cause instanceof RejectedCall || cause instanceof PasskeyFailed) return cause.message
  if (cause instanceof Unreachable)
    return 'We couldn’t reach the server. Check your connection and try again. Nothing you entered is lost.'
  log('A call failed.', cause)
  return 'Something went wrong. Please try again.'
}
