import { RejectedCall } from '#web/call.ts'
import { redirectWithMessage } from './flashMessage.ts'

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
