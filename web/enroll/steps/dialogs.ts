import type { Question } from '#web/dialog/ask.ts'

/** The owner's dialogs, word for word, as questions for `ask`; and two of ours. The first screen's are beside. */

export const enrollmentFailed: Question = {
  title: 'Error',
  text: 'There was an error processing your payment. Please try again later.',
  icon: 'error',
}

export const paymentDeclined: Question = {
  title: 'Payment Declined',
  text: 'Your payment has been declined. Please check your payment details and try again.',
  icon: 'error',
}

/** Ours: the page was loaded again while it paid, and the attempt has come to nothing. */
export const notCompleted: Question = {
  title: 'Payment Not Completed',
  text: 'Your payment did not go through, and nothing was charged. Please choose your password again and try once more.',
  icon: 'info',
}

/** Confirmed: send again. */
export const codeNotSent = (message: string): Question => ({
  title: 'Error',
  text: message,
  icon: 'error',
  confirm: 'Try Again',
})

export const codeNotSentOffline: Question = {
  title: 'Error',
  text: 'An error occurred while sending the verification code. Please try again.',
  icon: 'error',
  confirm: 'Close',
}

export const codeSent: Question = {
  title: 'Code Sent',
  text: 'Verification code has been successfully sent to your phone.',
  icon: 'success',
}

/** However it is left, the way leads on. */
export const codeVerified: Question = {
  title: 'Verification Successful',
  text: 'Your phone number has been successfully verified.',
  icon: 'success',
  confirm: 'Proceed',
}

/** Ours: what a card waited for is over. However it is left, the way leads on. */
export const codeUnneeded: Question = {
  title: 'No Code Needed',
  text: 'No code is needed at the moment. Please go on without one.',
  icon: 'info',
  confirm: 'Proceed',
}

/** The countdown. The server says it too, of a code that was sent before and is younger than that. */
export const resendIn = (seconds: number): string => `Resend code in ${seconds} seconds`

/** The owner's words beside a field, where the server has none of its own. */
export const fieldMessages = {
  codeNotSent: 'Error sending verification code',
  codeNotSentOffline: 'An error occurred while sending the verification code.',
  codeNotVerified: 'An error occurred while verifying the code.',
} as const
