import { cardDigits } from '#contract/card.ts'
import { toAmount } from '#contract/money.ts'
import type { Hold } from '#server/gateways/payment/port.ts'

/** The vendor's maximum. Within it, an identical request is not charged again. */
const DUPLICATE_WINDOW_SECONDS = 28_800
const LONGEST_CARD_NUMBER = 16

/** Longer numbers do not fit the vendor's schema. */
export const isTooLong = (cc_number: string) => cardDigits(cc_number).length > LONGEST_CARD_NUMBER

// Keep the order: the vendor requires the elements in the order of AnetApiSchema.xsd.

/** Holds the amount and stores the card. */
export const authorizeRequest = ({ reference, amount_cents, card, billing }: Hold) => ({
  refId: reference,
  transactionRequest: {
    transactionType: 'authOnlyTransaction',
    amount: toAmount(amount_cents),
    payment: {
      creditCard: {
        cardNumber: cardDigits(card.cc_number),
        expirationDate: `${card.cc_year}-${card.cc_month}`,
        cardCode: card.cc_cvv,
      },
    },
    profile: { createProfile: true },
    order: { invoiceNumber: reference },
    customer: { id: reference },
    billTo: billTo(billing),
    transactionSettings: { setting: [setting('allowPartialAuth', false), duplicateWindow] },
  },
})

/** Captures or voids an earlier transaction. */
export const followUpRequest = (
  transactionType: 'priorAuthCaptureTransaction' | 'voidTransaction',
  refTransId: string,
) => ({
  transactionRequest: { transactionType, refTransId } as Record<string, unknown>,
})

type Refund = { transId: string; amount_cents: number; reference: string; lastFour: string }

export const refundRequest = ({ transId, amount_cents, reference, lastFour }: Refund) => ({
  transactionRequest: {
    transactionType: 'refundTransaction',
    amount: toAmount(amount_cents),
    payment: { creditCard: { cardNumber: lastFour, expirationDate: 'XXXX' } },
    refTransId: transId,
    order: { invoiceNumber: reference },
    transactionSettings: { setting: [duplicateWindow] },
  },
})

const setting = (settingName: string, settingValue: unknown) => ({ settingName, settingValue: String(settingValue) })
const duplicateWindow = setting('duplicateWindow', DUPLICATE_WINDOW_SECONDS)

/** Truncated to the vendor's limits: an incomplete address is better for the bank's check than none. */
const billTo = ({ address, address2, ...billing }: Hold['billing']) =>
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
