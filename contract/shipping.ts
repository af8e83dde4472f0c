import { isState } from './countries.ts'
import { messages } from './fields.ts'

/** What an address lacks that a parcel is sent to, by field; nothing while it goes home. */
export function missingShipping(order: Record<string, unknown>): Record<string, string> {
  const { is_shipping_different, ship_country, ship_state } = order
  if (is_shipping_different !== '1') return {}
  const { ship_state: noState, ...others } = messages.shipping
  const empty = Object.entries(others).filter(([field]) => !String(order[field] ?? '').trim())
  const lacksState = ship_country === 'US' && !isState(String(ship_state))
  return { ...Object.fromEntries(empty), ...(lacksState ? { ship_state: noState } : {}) }
}
