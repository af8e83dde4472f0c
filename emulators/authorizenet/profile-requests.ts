import type { Entry, emulatedLedger } from './ledger.ts'
import { type Body, message, notFound, ok } from './messages.ts'
import type { CardOnFile } from './profiles.ts'

/** For tests: the vendor's requests about customer profiles. */

type Ledger = ReturnType<typeof emulatedLedger>
type PaymentProfile = {
  customerPaymentProfileId?: string
  billTo?: object
  payment?: { creditCard: { cardNumber: string; expirationDate: string } }
}
type ProfileResult = {
  duplicate?: string
  created?: { customerProfileId: string; customerPaymentProfileId: string }
}

const cardOf = ({ billTo, payment }: PaymentProfile): CardOnFile => ({
  cardNumber: payment?.creditCard.cardNumber ?? '',
  expirationDate: payment?.creditCard.expirationDate ?? '',
  billTo: JSON.stringify(billTo),
})

export function profileRequests(ledger: Ledger): Record<string, (body: Body) => object> {
  /** Asks the bank, and stores the card only if it approves. */
  const verified = (body: Body, card: CardOnFile, store: (directResponse: string) => object) => {
    if (body.validationMode !== 'liveMode') return store('')
    const entry = ledger.verify(card)
    const validationDirectResponse = directResponse(entry)
    return entry.responseCode === '1'
      ? store(validationDirectResponse)
      : { validationDirectResponse, ...message('E00027', 'This transaction has been declined.') }
  }

  return {
    createCustomerProfileFromTransactionRequest: ({ transId = '', customer }) => {
      const entry = ledger.entries.get(transId)
      if (!entry) return notFound
      const { merchantCustomerId = '' } = (customer ?? {}) as { merchantCustomerId?: string }
      const card = { cardNumber: entry.card ?? '', expirationDate: '2030-07', billTo: '' }
      return profileResponse(ledger.keepCard(merchantCustomerId, card))
    },
    createCustomerProfileRequest: (body) => {
      const { merchantCustomerId = '', paymentProfiles = {} } = body.profile as {
        merchantCustomerId?: string
        paymentProfiles?: PaymentProfile
      }
      const existing = ledger.profiles.get(merchantCustomerId)
      if (existing) return profileResponse({ duplicate: existing.customerProfileId })
      const card = cardOf(paymentProfiles)
      const reply = verified(body, card, (direct) => ({
        ...profileResponse(ledger.keepCard(merchantCustomerId, card)),
        validationDirectResponseList: [direct],
      }))
      const { validationDirectResponse, ...rest } = reply as { validationDirectResponse?: string }
      return validationDirectResponse ? { ...rest, validationDirectResponseList: [validationDirectResponse] } : rest
    },
    createCustomerPaymentProfileRequest: (body) => {
      const customer = ledger.findCustomer(body.customerProfileId ?? '')
      if (!customer) return notFound
      const { customerProfileId } = customer
      const card = cardOf(body.paymentProfile as PaymentProfile)
      const duplicate = ledger.duplicateOf(customer, card)
      if (duplicate) {
        const { customerPaymentProfileId } = duplicate
        const error = message('E00039', 'A duplicate customer payment profile already exists.')
        return { customerProfileId, customerPaymentProfileId, ...error }
      }
      if (ledger.isFull(customer)) return message('E00042', 'You cannot add more than 10 payment profiles.')
      return verified(body, card, (validationDirectResponse) => {
        const { customerPaymentProfileId } = ledger.addCard(customer, card)
        return { customerProfileId, customerPaymentProfileId, validationDirectResponse, ...ok }
      })
    },
    updateCustomerPaymentProfileRequest: (body) => {
      const { customerPaymentProfileId = '', ...profile } = body.paymentProfile as PaymentProfile
      const stored = ledger.findCard(body.customerProfileId ?? '', customerPaymentProfileId)
      if (!stored) return notFound
      const card = cardOf(profile)
      return verified(body, card, (validationDirectResponse) => {
        Object.assign(stored, card)
        return { validationDirectResponse, ...ok }
      })
    },
    deleteCustomerPaymentProfileRequest: ({ customerProfileId = '', customerPaymentProfileId = '' }) => {
      const customer = ledger.findCustomer(customerProfileId)
      return customer && ledger.deleteCard(customer, customerPaymentProfileId) ? ok : notFound
    },
    getCustomerProfileRequest: ({ customerProfileId = '' }) => {
      const customer = ledger.findCustomer(customerProfileId)
      if (!customer) return notFound
      const paymentProfiles = customer.cards.map(({ customerPaymentProfileId }) => ({ customerPaymentProfileId }))
      return { profile: { paymentProfiles }, ...ok }
    },
    getCustomerPaymentProfileRequest: ({ customerProfileId = '', customerPaymentProfileId = '', ...body }) => {
      const card = ledger.findCard(customerProfileId, customerPaymentProfileId)
      if (!card) return notFound
      const creditCard = {
        cardNumber: `XXXX${card.cardNumber.slice(-4)}`,
        expirationDate: String(body.unmaskExpirationDate) === 'true' ? card.expirationDate : 'XXXX',
        cardType: 'Visa',
      }
      return { paymentProfile: { customerProfileId, customerPaymentProfileId, payment: { creditCard } }, ...ok }
    },
  }
}

export const profileResponse = ({ duplicate, created }: ProfileResult) =>
  created
    ? {
        customerProfileId: created.customerProfileId,
        customerPaymentProfileIdList: [created.customerPaymentProfileId],
        customerShippingAddressIdList: [],
        ...ok,
      }
    : {
        customerPaymentProfileIdList: [],
        ...message('E00039', `A duplicate record with ID ${duplicate} already exists.`),
      }

/** The beginning of the vendor's old response format. */
const directResponse = ({ responseCode, reason, avs, transId }: Entry) =>
  [responseCode, '1', reason, 'Text of the vendor.', 'A1B2C3', avs, transId, 'none', 'Test', '0.00', 'CC'].join(',')
