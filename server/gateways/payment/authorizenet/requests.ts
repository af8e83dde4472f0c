import { cardDigits } from '#contract/card.ts'
import { toAmount } from '#contract/money.ts'
import type { Hold } from '#server/gateways/payment/port.ts'

/** As long as the vendor allows: within it, an identical request is not charged again. */
const DUPLICATE_WINDOW_SECONDS = 28_800
const LONGEST_CARD_NUMBER = 16

/** The vendor's schema has no room for it. */
export const isTooLong = (cc_number: string) => cardDigits(cc_number).length > LONGEST_CARD_NUMBER

// Mind the order: every element stands where AnetApiSchema.xsd has it.

/** Holds the amount and keeps the card. */
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

/** Something that is to be done with an earlier transaction. */
export const followUpRequest = (transactionType: 'priorAuthCaptureTransaction' | 'voidTransaction', refTransId: string) => ({
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

/** What is too long is cut: an address that is checked by its first characters is better than none. */
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

/** The vendor makes XML of it, which knows no control characters and no half of a character. */
const truncate = (value: string, most: number) =>
  value
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim()
