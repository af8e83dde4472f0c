import type { Check, Checks, DeclineClass } from '#server/gateways/payment/port.ts'

/**
 * The vendor's reason codes, as far as the visitor can do something about them. A declined card whose code is not here
 * is the bank's own word; an error whose code is not here is not the visitor's fault, and nobody says "declined".
 */
export const declineClasses: Record<string, DeclineClass> = {
  2: 'bank', // declined, without more
  3: 'bank', // the bank wants to be asked
  4: 'fraud', // the card is to be picked up
  6: 'input', // the number is invalid
  7: 'input', // the expiry date is invalid
  8: 'input', // the card has expired
  17: 'card', // the merchant does not accept this kind of card
  27: 'input', // the address does not match
  28: 'card', // the processor does not accept this kind of card for the merchant
  33: 'input', // something that the merchant requires was left blank
  37: 'input', // the number is invalid
  41: 'fraud', // the fraud score is too high
  44: 'input', // the CVC was declined by the processor
  45: 'input', // neither the address nor the CVC matches
  65: 'input', // the CVC does not match
  78: 'input', // the CVC has a wrong form
  127: 'input', // as 27
  128: 'card', // the bank allows no transactions on this account
  141: 'fraud', // as 41
  145: 'input', // as 45
  165: 'input', // as 65
  200: 'input', // the number is invalid
  201: 'input', // the expiry date is invalid
  211: 'card', // the cardholder is not on file
  250: 'fraud', // the visitor's address on the network is blocked
  251: 'fraud', // a fraud filter declined
  254: 'fraud', // declined after a review
  315: 'input', // the number is invalid
  316: 'input', // the expiry date is invalid
  317: 'input', // the card has expired
}

/**
 * The vendor has turned the request away before it asked any bank: surely nothing is held, and somebody has to mend the
 * account or what is sent. What is not here may have become a transaction: 36 is "approved, but settlement failed".
 */
export const rejectedBeforeBank = new Set([
  ...['E00002', 'E00003', 'E00004', 'E00013', 'E00014', 'E00015', 'E00016'], // the form of what was sent
  ...['E00005', 'E00006', 'E00007', 'E00008', 'E00009', 'E00010', 'E00011'], // the keys, and what they are good for
  ...['5', '66', '68', '69'], // the form, told as an error of the transaction
  ...['13', '103', '123'], // the keys
  ...['24', '29', '30', '31', '34', '38', '43'], // the processor does not know the merchant
])

/** "A duplicate transaction has been submitted": an earlier one got through, and says what became of it. */
export const duplicateReasons = new Set(['11', '318'])

/** What the vendor says to a refund that it does not make. */
export const refundRefusals = {
  notFound: new Set(['15', '16']),
  notSettled: new Set(['50', '54']),
  alreadyRefunded: new Set(['51', '55']),
}

/** failed: an error is on record. unclear: only a person can tell, at the vendor. */
export type TransactionState = 'held' | 'review' | 'declined' | 'captured' | 'voided' | 'refunded' | 'failed' | 'unclear'

const stateByStatus: Record<string, TransactionState> = {
  authorizedPendingCapture: 'held',
  capturedPendingSettlement: 'captured',
  settledSuccessfully: 'captured',
  settlementError: 'captured', // the day's batch was rejected; the merchant sends it again
  pendingSettlement: 'captured',
  pendingFinalSettlement: 'captured',
  updatingSettlement: 'captured',
  chargebackReversal: 'captured',
  FDSPendingReview: 'review',
  FDSAuthorizedPendingReview: 'review',
  underReview: 'review',
  declined: 'declined',
  failedReview: 'declined',
  communicationError: 'declined', // rejected by the processor, for good
  voided: 'voided',
  expired: 'voided', // authorized and never captured: the hold is gone
  refundPendingSettlement: 'refunded',
  refundSettledSuccessfully: 'refunded',
  returnedItem: 'refunded',
  chargeback: 'refunded',
  generalError: 'failed',
  couldNotVoid: 'unclear',
  approvedReview: 'unclear',
  authorizedPendingRelease: 'unclear', // part of an amount, which is never asked for here
}

export const transactionState = (status: string): TransactionState => stateByStatus[status] ?? 'unclear'

/** Street and post code both fit. Half a match is a mismatch; where nobody looked, the code says why. */
const addressChecks: Record<string, Check> = {
  X: 'match',
  Y: 'match',
  D: 'match',
  F: 'match',
  M: 'match',
  A: 'mismatch', // only the street
  N: 'mismatch',
  W: 'mismatch', // only the nine digits of the post code
  Z: 'mismatch', // only the five digits of the post code
}
const cvcChecks: Record<string, Check> = { M: 'match', N: 'mismatch' }

export const checksOf = (address = '', cvc = ''): Checks => ({
  address: addressChecks[address] ?? 'unchecked',
  cvc: cvcChecks[cvc] ?? 'unchecked',
})
