import type { Question } from '#web/dialog/ask.ts'
import { readableMessage } from '#web/readableMessage.ts'

/** The owner's dialogs that the first screen may need: all else comes with its step. */

/** The packages did not come, or the order could not be summed. */
export const orderFailed = (error: unknown): Question => ({
  title: 'Error',
  text: readableMessage(error) ?? 'The server did not answer.',
  icon: 'error',
})

/** Confirmed: to the main website. There is no other answer. */
export const sponsorInactive = (sponsor: string): Question => ({
  title: `Please be informed that ${sponsor}'s website is currently inactive`,
  icon: 'info',
  confirm: 'Click here and sign up on our main website.',
  mayDismiss: false,
})
