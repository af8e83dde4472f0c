/** For tests: the vendor's customer profiles. */

export type CardOnFile = { cardNumber: string; expirationDate: string; billTo: string }
type PaymentProfile = CardOnFile & { customerPaymentProfileId: string }
type Customer = { customerProfileId: string; customerPaymentProfileId: string; cards: PaymentProfile[] }

const MAX_CARDS = 10

export function emulatedProfiles(newId: () => string) {
  /** By our id of the customer. `customerPaymentProfileId` is the first card. */
  const profiles = new Map<string, Customer>()

  const findCustomer = (customerProfileId: string) =>
    [...profiles.values()].find((customer) => customer.customerProfileId === customerProfileId)
  const findCard = (customerProfileId: string, customerPaymentProfileId: string) =>
    findCustomer(customerProfileId)?.cards.find((card) => card.customerPaymentProfileId === customerPaymentProfileId)

  return {
    profiles,
    findCustomer,
    findCard,
    /** Creates a customer with a card. */
    keepCard(merchantCustomerId: string, card: CardOnFile) {
      const existing = profiles.get(merchantCustomerId)
      if (existing) return { duplicate: existing.customerProfileId }
      const stored = { ...card, customerPaymentProfileId: newId() }
      const { customerPaymentProfileId } = stored
      const created = { customerProfileId: newId(), customerPaymentProfileId, cards: [stored] }
      profiles.set(merchantCustomerId, created)
      return { created }
    },
    /** A card with the same number and address is a duplicate, whatever its expiration date is. */
    duplicateOf: (customer: Customer, card: CardOnFile) =>
      customer.cards.find(({ cardNumber, billTo }) => cardNumber === card.cardNumber && billTo === card.billTo),
    isFull: (customer: Customer) => customer.cards.length >= MAX_CARDS,
    addCard(customer: Customer, card: CardOnFile): PaymentProfile {
      const stored = { ...card, customerPaymentProfileId: newId() }
      customer.cards.push(stored)
      return stored
    },
    deleteCard(customer: Customer, customerPaymentProfileId: string): boolean {
      const index = customer.cards.findIndex((card) => card.customerPaymentProfileId === customerPaymentProfileId)
      if (index >= 0) customer.cards.splice(index, 1)
      return index >= 0
    },
  }
}
