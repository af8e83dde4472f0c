import { RejectedCall } from '#web/call.ts'
import { log } from '#web/log.ts'
import { Unreachable } from '#web/network.ts'

/** What a person is told about a call that did not work. */
export function sentenceOf(cause: unknown): string {
  if (cause instanceof RejectedCall) return cause.message
  if (cause instanceof Unreachable)
    return 'The office does not answer. Please check your connection and try again. Nothing that you typed is lost.'
  log('A call of the office failed.', cause)
  return 'That did not work. Please try again.'
}

/** The word from a letter is used up, too old, or stands for what is no longer to be had: another press does not help. */
export const isSpent = (cause: unknown): cause is RejectedCall =>
  cause instanceof RejectedCall && (cause.status === 401 || cause.status === 409)

/** The session has ended meanwhile, here or in another browser. */
export const isSignedOut = (cause: unknown): boolean => cause instanceof RejectedCall && cause.status === 401
