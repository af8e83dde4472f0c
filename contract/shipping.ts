import { isState } from './countries.ts'
import { messages } from './fields.ts'

/** Messages for the missing fields of a separate shipping address; none when the order ships to the billing address. */
export function missingShipping(order: Record<string, unknown>): Record<string, string> {
  const { is_shipping_different, ship_country, ship_state } = order
  if (is_shipping_different !== '1') return {}
  const { ship_state: stateMessage, ...otherMessages } = messages.shipping
  const missing = Object.entries(otherMessages).filter(([field]) => !String(order[field] ?? '').trim())
  const isStateMissing = ship_country === 'US' && !isState(String(ship_state))
  return { ...Object.fromEntries(missing), ...(isStateMissing ? { ship_state: stateMessage } : {}) }
}
