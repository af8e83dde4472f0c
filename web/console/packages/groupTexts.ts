/** What the lists of an order are called. */
export const groupTexts = { starter: 'Main list', subscription: 'Subscriptions', special: 'Specials' }
