import type { Question } from '#web/dialog/question.ts'

// Texts from the spec, word for word, unless marked as ours.

/** Confirming it sends the code again. */
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

export const codeVerified: Question = {
  title: 'Verification Successful',
  text: 'Your phone number has been successfully verified.',
  icon: 'success',
  confirm: 'Proceed',
}

/** Ours: the server no longer requires a code. */
export const codeNotNeeded: Question = {
  title: 'No Code Needed',
  text: 'No code is needed right now. You can continue without one.',
  icon: 'info',
  confirm: 'Proceed',
}

export const resendIn = (seconds: number): string => `Resend code in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

/** Shown beside a field if the server sends no message. */
export const fieldMessages = {
  codeNotSent: 'Error sending verification code',
  codeNotSentOffline: 'An error occurred while sending the verification code.',
  codeNotVerified: 'An error occurred while verifying the code.',
} as const
