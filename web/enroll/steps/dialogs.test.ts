import { expect, test } from 'vitest'
import type { Question } from '#web/dialog/ask.ts'
import * as first from '#web/enroll/order/orderFailed.ts'
import * as messages from './dialogs.ts'

const sponsor = "Ana's Paper Lantern Studio"

test.each<[string, Question, Question]>([
  [
    'enrollment request failure',
    messages.enrollmentFailed,
    {
      title: 'Error',
      text: 'There was an error processing your payment. Please try again later.',
      icon: 'error',
    },
  ],
  [
    'payment not approved',
    messages.paymentDeclined,
    {
      title: 'Payment Declined',
      text: 'Your payment has been declined. Please check your payment details and try again.',
      icon: 'error',
    },
  ],
  [
    'a code that was refused, in the server’s words',
    messages.codeNotSent('Invalid mobile phone number format.'),
    { title: 'Error', text: 'Invalid mobile phone number format.', icon: 'error', confirm: 'Try Again' },
  ],
  [
    'a code that nobody could be asked for',
    messages.codeNotSentOffline,
    {
      title: 'Error',
      text: 'An error occurred while sending the verification code. Please try again.',
      icon: 'error',
      confirm: 'Close',
    },
  ],
  [
    'a code on its way',
    messages.codeSent,
    { title: 'Code Sent', text: 'Verification code has been successfully sent to your phone.', icon: 'success' },
  ],
  [
    'a confirmed number',
    messages.codeVerified,
    {
      title: 'Verification Successful',
      text: 'Your phone number has been successfully verified.',
      icon: 'success',
      confirm: 'Proceed',
    },
  ],
  [
    'packages that did not come, with the error',
    first.orderFailed(new Error('The server did not answer.')),
    { title: 'Error', text: 'The server did not answer.', icon: 'error' },
  ],
  [
    'an order that could not be summed, with the error',
    first.orderFailed(new Error('Please choose one package.')),
    { title: 'Error', text: 'Please choose one package.', icon: 'error' },
  ],
  [
    'a bug, which is nothing to read out',
    first.orderFailed(new TypeError('x is not a function')),
    { title: 'Error', text: 'The server did not answer.', icon: 'error' },
  ],
  [
    'an inactive sponsor, with one way on',
    first.sponsorInactive(sponsor),
    {
      title: `Please be informed that Ana's Paper Lantern Studio's website is currently inactive`,
      icon: 'info',
      confirm: 'Click here and sign up on our main website.',
      mayDismiss: false,
    },
  ],
])('the owner has these words for %s', (_, question, said) => {
  expect(question).toEqual(said)
})

test('the owner has these words for the countdown', () => {
  expect(messages.resendIn(27)).toBe('Resend code in 27 seconds')
})

test('the owner has these words beside a field', () => {
  expect(messages.fieldMessages).toEqual({
    codeNotSent: 'Error sending verification code',
    codeNotSentOffline: 'An error occurred while sending the verification code.',
    codeNotVerified: 'An error occurred while verifying the code.',
  })
})
