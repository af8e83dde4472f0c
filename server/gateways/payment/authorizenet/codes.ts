import { declineOf, isNeverRetry } from '#server/gateways/payment/declines.ts'
import type { Check, Checks, Decline, DeclineClass } from '#server/gateways/payment/port.ts'

/**
 * Decline classes of the vendor's reason codes. A decline with any other code is class 'bank'. An error with any other
 * code is not the visitor's fault, so it is not reported as a decline.
 */
export const declineClasses: Record<string, DeclineClass> = {
  2: 'bank', // declined, without a reason
  3: 'bank', // the cardholder should call the bank
  4: 'fraud', // the card is to be picked up
  6: 'input', // the number is invalid
  7: 'input', // the expiry date is invalid
  8: 'input', // the card has expired
  17: 'card', // the merchant does not accept this kind of card
  27: 'input', // the address does not match
  28: 'card', // the processor does not accept this kind of card for the merchant
  33: 'input', // a field that the merchant requires is empty
  37: 'input', // the number is invalid
  41: 'fraud', // the fraud score is too high
  44: 'input', // the CVC was declined by the processor
  45: 'input', // neither the address nor the CVC matches
  65: 'input', // the CVC does not match
  78: 'input', // the CVC has an invalid format
  127: 'input', // as 27
  128: 'card', // the bank allows no transactions on this account
  141: 'fraud', // as 41
  145: 'input', // as 45
  165: 'input', // as 65
  200: 'input', // the number is invalid
  201: 'input', // the expiry date is invalid
  211: 'card', // the cardholder is not on file
  250: 'fraud', // the visitor's IP address is blocked
  251: 'fraud', // a fraud filter declined
  254: 'fraud', // declined after a review
  315: 'input', // the number is invalid
  316: 'input', // the expiry date is invalid
  317: 'input', // the card has expired
}

/** The issuer's code behind a reason code, because a lookup does not tell the issuer's own code. */
const issuerCodeByReason: Record<string, string> = { 4: '04', 6: '14', 37: '14', 200: '14', 315: '14' }

/** A decline with this reason code, and with the issuer's code if the response has it. */
export const declineForReason = (reason = '', issuer_code?: string): Decline => ({
  ...declineOf({ issuer_code }, declineClasses[reason] ?? 'bank'),
  ...(isNeverRetry({ issuer_code: issuer_code || issuerCodeByReason[reason] }) && { never_retry: true }),
})

/**
 * The vendor rejected the request before it asked a bank: nothing is held, and the account or the request has to be
 * fixed. Any other code may have created a transaction: 36 is "approved, but settlement failed".
 */
export const rejectedBeforeBank = new Set([
  ...['E00002', 'E00003', 'E00004', 'E00013', 'E00014', 'E00015', 'E00016'], // the format of the request
  ...['E00005', 'E00006', 'E00007', 'E00008', 'E00009', 'E00010', 'E00011'], // the credentials and their permissions
  ...['5', '66', '68', '69'], // the format, reported as a transaction error
  ...['13', '103', '123'], // the credentials
  ...['24', '29', '30', '31', '34', '38', '43'], // the processor does not know the merchant
])

/** "A duplicate transaction has been submitted": the earlier transaction has the outcome. */
export const duplicateReasons = new Set(['11', '318'])

/** Reason codes of rejected refunds. */
export const refundRefusals = {
  notFound: new Set(['15', '16']),
  notSettled: new Set(['50', '54']),
  alreadyRefunded: new Set(['51', '55']),
}

/** failed: the vendor recorded an error. unclear: a person has to check it at the vendor. */
export type TransactionState =
  | 'held'
  | 'review'
  | 'declined'
  | 'captured'
  | 'voided'
  | 'refunded'
  | 'disputed'
  | 'failed'
  | 'unclear'

const stateByStatus: Record<string, TransactionState> = {
  authorizedPendingCapture: 'held',
  capturedPendingSettlement: 'captured',
  settledSuccessfully: 'captured',
  settlementError: 'captured', // the batch was rejected; the merchant submits it again
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
  returnedItem: 'disputed',
  chargeback: 'disputed',
  generalError: 'failed',
  couldNotVoid: 'unclear',
  approvedReview: 'unclear',
  authorizedPendingRelease: 'unclear', // a partial amount, which we never request
}

export const transactionState = (status: string): TransactionState => stateByStatus[status] ?? 'unclear'

/** Only street and post code together are a match. Codes that are not listed mean that the bank did not check. */
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
