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

/** Ours: whether the first payment went through is unknown, and stays so. */
export const payAgain = (amount: string): Question => ({
  title: 'You may be charged twice',
  text: 'We still don’t know whether your first payment went through. If it did, this one is charged on top of it.',
  icon: 'warning',
  confirm: `Pay ${amount} anyway`,
  cancel: 'Don’t pay now',
  startsOnCancel: true,
})

/** Ours: the page was reloaded during the payment, and nothing came of the attempt. */
export const paymentNotCompleted: Question = {
  title: 'Payment Not Completed',
  text: 'Your payment did not go through, and nothing was charged. Please enter your password again and retry.',
  icon: 'info',
}

/** Our text: the same for a second payment after one with an unknown outcome. */
export const secondPaymentNotCompleted = (reference: string): Question => ({
  title: 'Payment Not Completed',
  text: `Your second payment did not go through. We still don’t know about the first one (reference ${reference}). Please enter your password again and retry.`,
  icon: 'info',
})
