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

/** What the page says about each way to get a code. Ours, except 'Resend code'. */
export const channelTexts = {
  sms: {
    lead: 'Enter the code we send you.',
    sending: 'Sending a code…',
    arriving: 'We sent a code to this number.',
    sent: 'We sent a code to this number.',
    again: 'Resend code',
    instead: 'Text me instead',
    mayRepeat: 'You can request a new code now.',
  },
  call: {
    lead: 'Answer the call and enter the code it reads out.',
    sending: 'Calling you…',
    arriving: 'We’re calling this number now. The call reads out a code.',
    sent: 'We called this number and read out a code.',
    again: 'Call me again',
    instead: 'Call me instead',
    mayRepeat: 'You can request another call now.',
  },
} as const

export const resendIn = (seconds: number): string => `Resend code in ${seconds} seconds`

/** Shown beside a field if the server sends no message. */
export const fieldMessages = {
  codeNotSent: 'Error sending verification code',
  codeNotSentOffline: 'An error occurred while sending the verification code.',
  codeNotVerified: 'An error occurred while verifying the code.',
} as const
