import { isState } from './countries.ts'
import { messages } from './fields.ts'

/**
 * Messages for the missing fields of a separate shipping address; none when the order ships to the billing address. It is
 * given the text of fields that passed their own rule; the others have a message already.
 */
export function missingShipping(order: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { is_shipping_different, ship_country, ship_state = '' } = order
  if (is_shipping_different !== '1') return {}
  const { ship_state: stateMessage, ...otherMessages } = messages.shipping
  const missing = Object.entries(otherMessages).filter(([field]) => !order[field]?.trim())
  const isStateMissing = ship_country === 'US' && !isState(ship_state)
  return { ...Object.fromEntries(missing), ...(isStateMissing ? { ship_state: stateMessage } : {}) }
}
