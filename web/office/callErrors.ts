import { RejectedCall } from '#web/call.ts'
import { log } from '#web/log.ts'
import { Unreachable } from '#web/network.ts'
import { redirectWithMessage } from './flashMessage.ts'

/** The browser has not made or used a passkey: its dialog was closed, say. The message tells why. */
export class PasskeyFailed extends Error {}

/** What to show the member when a call fails. */
export function errorMessage(cause: unknown): string {
  if (cause instanceof RejectedCall || cause instanceof PasskeyFailed) return cause.message
  if (cause instanceof Unreachable)
    return "We couldn't reach the server. Check your connection and try again. Nothing you entered is lost."
  log('An office call failed.', cause)
  return 'Something went wrong. Please try again.'
}

/** The token from an email is used, expired or no longer applies: retrying does not help. */
export const isExpiredLink = (cause: unknown): cause is RejectedCall =>
  cause instanceof RejectedCall && (cause.status === 401 || cause.status === 409)

/** The session has ended, here or from another browser. */
export const isSignedOut = (cause: unknown): boolean => cause instanceof RejectedCall && cause.status === 401

/** Sends the member to the sign-in page if the session has ended. */
export async function redirectIfSignedOut<Reply>(call: Promise<Reply>): Promise<Reply> {
  try {
    return await call
  } catch (cause) {
    if (isSignedOut(cause)) redirectWithMessage('/office', 'You have been signed out. Please sign in again.')
    throw cause
  }
}
