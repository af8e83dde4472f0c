import { cardDigits } from '#contract/card.ts'
import { toAmount } from '#contract/money.ts'
import type { Billing, Card, CardChange, Hold, Refund, Renewal } from '#server/gateways/payment/port.ts'
import type { ProfileIds } from './vault.ts'

/** The vendor's maximum. Within it, an identical request is not charged again. */
const DUPLICATE_WINDOW_SECONDS = 28_800
const LONGEST_CARD_NUMBER = 16

/** Longer numbers do not fit the vendor's schema. */
export const isTooLong = (cc_number: string) => cardDigits(cc_number).length > LONGEST_CARD_NUMBER

// Keep the order: the vendor requires the elements in the order of AnetApiSchema.xsd.

/** Holds the amount. Stores the card and starts a recurring series, unless the order is paid once. */
export const authorizeRequest = ({ reference, amount_cents, card, billing, is_once }: Hold) => ({
  refId: reference,
  transactionRequest: {
    transactionType: 'authOnlyTransaction',
    amount: toAmount(amount_cents),
    payment: creditCard(card),
    ...(is_once ? {} : { profile: { createProfile: true } }),
    order: { invoiceNumber: reference },
    customer: { id: reference },
    billTo: billTo(billing),
    transactionSettings: { setting: [setting('allowPartialAuth', false), duplicateWindow] },
    ...(is_once ? {} : { processingOptions: { isFirstRecurringPayment: true, isStoredCredentials: true } }),
  },
})

/** Charges a stored card without the member. */
export const chargeRequest = (
  { reference, amount_cents, series, is_retry }: Renewal,
  { customerProfileId, paymentProfileId }: ProfileIds,
) => ({
  refId: reference,
  transactionRequest: {
    transactionType: 'authCaptureTransaction',
    amount: toAmount(amount_cents),
    profile: { customerProfileId, paymentProfile: { paymentProfileId } },
    order: { invoiceNumber: reference },
    transactionSettings: { setting: [setting('recurringBilling', true), duplicateWindow] },
    processingOptions: { isSubsequentAuth: true },
    ...(series?.network_transaction_id && {
      subsequentAuthInformation: {
        originalNetworkTransId: series.network_transaction_id,
        originalAuthAmount: toAmount(series.amount_cents),
        ...(is_retry && { reason: 'resubmission' }),
      },
    }),
  },
})

/** Creates a customer profile with a card, if the bank verifies it. */
export const customerProfileRequest = ({ reference, card, billing }: CardChange) => ({
  refId: reference,
  profile: { merchantCustomerId: reference, paymentProfiles: paymentProfile(card, billing) },
  validationMode: 'liveMode',
})

/** Adds a card to a customer profile, or replaces one, if the bank verifies it. */
export const paymentProfileRequest = (
  { reference, card, billing }: CardChange,
  customerProfileId: string,
  customerPaymentProfileId?: string,
) => ({
  refId: reference,
  customerProfileId,
  paymentProfile: {
    ...paymentProfile(card, billing),
    ...(customerPaymentProfileId && { customerPaymentProfileId }),
  },
  validationMode: 'liveMode',
})

const paymentProfile = (card: Card, billing: Billing) => ({ billTo: billTo(billing), payment: creditCard(card) })

const creditCard = ({ cc_number, cc_month, cc_year, cc_cvv }: Card) => ({
  creditCard: { cardNumber: cardDigits(cc_number), expirationDate: `${cc_year}-${cc_month}`, cardCode: cc_cvv },
})

/** Captures or voids an earlier transaction. */
export const followUpRequest = (
  transactionType: 'priorAuthCaptureTransaction' | 'voidTransaction',
  refTransId: string,
) => ({
  transactionRequest: { transactionType, refTransId } as Record<string, unknown>,
})

/** The invoice number is that of the charge, so that the vendor's lists show what was refunded. */
export const refundRequest = (
  { transaction_id, amount_cents, refund_reference }: Refund,
  { reference, lastFour }: { reference: string; lastFour: string },
) => ({
  transactionRequest: {
    transactionType: 'refundTransaction',
    amount: toAmount(amount_cents),
    payment: { creditCard: { cardNumber: lastFour, expirationDate: 'XXXX' } },
    refTransId: transaction_id,
    order: { invoiceNumber: reference },
    customer: { id: refund_reference },
    transactionSettings: { setting: [duplicateWindow] },
  },
})

const setting = (settingName: string, settingValue: unknown) => ({ settingName, settingValue: String(settingValue) })
const duplicateWindow = setting('duplicateWindow', DUPLICATE_WINDOW_SECONDS)

/** Truncated to the vendor's limits: an incomplete address is better for the bank's check than none. */
const billTo = ({ address, address2, ...billing }: Billing) =>
  Object.fromEntries(
    [
      ['firstName', truncate(billing.first_name, 50)],
      ['lastName', truncate(billing.last_name, 50)],
      ['address', truncate(`${address} ${address2}`, 60)],
      ['city', truncate(billing.city, 40)],
      ['state', truncate(billing.state, 40)],
      ['zip', truncate(billing.post_code, 20)],
      ['country', truncate(billing.country, 60)],
    ].filter(([, value]) => value),
  )

/** The vendor converts it to XML, which allows no control characters and no lone surrogates. */
const truncate = (value: string, maxLength: number) =>
  value
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
    .trim()
