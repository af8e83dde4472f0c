import { expect, test } from 'vitest'
import type { Question } from '#web/dialog/question.ts'
import { sponsorInactive } from '../ArrivalNotice.tsx'
import { orderFailed } from '../order/orderFailed.ts'
import * as code from './code-verification/dialogs.ts'
import * as payment from './payment/dialogs.ts'

const sponsor = "Ana's Paper Lantern Studio"

test.each<[string, Question, Question]>([
  [
    'enrollment request failure',
    payment.enrollmentFailed,
    {
      title: 'Error',
      text: 'There was an error processing your payment. Please try again later.',
      icon: 'error',
    },
  ],
  [
    'payment not approved',
    payment.paymentDeclined,
    {
      title: 'Payment Declined',
      text: 'Your payment has been declined. Please check your payment details and try again.',
      icon: 'error',
    },
  ],
  [
    'a code that was rejected, with the server’s message',
    code.codeNotSent('Invalid mobile phone number format.'),
    { title: 'Error', text: 'Invalid mobile phone number format.', icon: 'error', confirm: 'Try Again' },
  ],
  [
    'a code that could not be requested',
    code.codeNotSentOffline,
    {
      title: 'Error',
      text: 'An error occurred while sending the verification code. Please try again.',
      icon: 'error',
      confirm: 'Close',
    },
  ],
  [
    'a sent code',
    code.codeSent,
    { title: 'Code Sent', text: 'Verification code has been successfully sent to your phone.', icon: 'success' },
  ],
  [
    'a verified number',
    code.codeVerified,
    {
      title: 'Verification Successful',
      text: 'Your phone number has been successfully verified.',
      icon: 'success',
      confirm: 'Proceed',
    },
  ],
  [
    'packages that could not be loaded, with the error',
    orderFailed(new Error('The server did not answer.')),
    { title: 'Error', text: 'The server did not answer.', icon: 'error' },
  ],
  [
    'a total that could not be loaded, with the error',
    orderFailed(new Error('Please choose one package.')),
    { title: 'Error', text: 'Please choose one package.', icon: 'error' },
  ],
  [
    'a bug, whose message is not shown',
    orderFailed(new TypeError('x is not a function')),
    { title: 'Error', text: 'The server did not answer.', icon: 'error' },
  ],
  [
    'an inactive sponsor, with one button',
    sponsorInactive(sponsor),
    {
      title: `Please be informed that Ana's Paper Lantern Studio's website is currently inactive`,
      icon: 'info',
      confirm: 'Click here and sign up on our main website.',
      mayDismiss: false,
    },
  ],
])('1.5 1.9 10.2 10.4 13.1 13.3 13.4 13.5 the text for %s', (_, question, text) => {
  expect(question).toEqual(text)
})

test('13.3 the text of the countdown', () => {
  expect(code.resendIn(27)).toBe('Resend code in 27 seconds')
  expect(code.resendIn(1)).toBe('Resend code in 1 seconds')
})

test('13.3 13.4 the messages beside a field', () => {
  expect(code.fieldMessages).toEqual({
    codeNotSent: 'Error sending verification code',
    codeNotSentOffline: 'An error occurred while sending the verification code.',
    codeNotVerified: 'An error occurred while verifying the code.',
  })
})
