import { brandOf, cardDigits } from '#contract/card.ts'
import type { Card, StoredCard } from './port.ts'

/** What may be kept and shown of a card. */
export const storedCardOf = ({ cc_number, cc_month, cc_year }: Card): StoredCard => ({
  brand: brandOf(cc_number) ?? 'visa', // the form accepts no other brands
  last_four: cardDigits(cc_number).slice(-4),
  expires: `${cc_year}-${cc_month}`,
})
