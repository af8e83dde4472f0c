import type { Question } from '#web/dialog/question.ts'

// Texts from the spec, word for word, unless marked as ours.

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

/** Ours: the page was reloaded during the payment, and nothing came of the attempt. */
export const paymentNotCompleted: Question = {
  title: 'Payment Not Completed',
  text: 'Your payment did not go through, and nothing was charged. Please enter your password again and retry.',
  icon: 'info',
}
