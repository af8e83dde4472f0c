import type { Question } from '#web/dialog/ask.ts'

/** The owner's dialogs that the first screen may need: all else comes with its step. */

/** The packages did not come, or the order could not be summed. */
export const orderFailed = (error: unknown): Question => ({ title: 'Error', text: sentenceOf(error), icon: 'error' })

/** The error, if it was said to be read. A TypeError was not: it is a bug, or a file that could not be fetched. */
const sentenceOf = (error: unknown) =>
  error instanceof Error && !(error instanceof TypeError) && error.message
    ? error.message
    : 'The server did not answer.'

/** Confirmed: to the main website. There is no other answer. */
export const sponsorInactive = (sponsor: string): Question => ({
  title: `Please be informed that ${sponsor}'s website is currently inactive`,
  icon: 'info',
  confirm: 'Click here and sign up on our main website.',
  mayDismiss: false,
})
