import { countryOf, dialCodeOf, nationalNumber } from './dial-codes.ts'

/** '+12025550123' → '+1 (202) 555-0123', '+447700900123' → '+44 7700900123'. */
export function showPhone(number: string): string {
  const country = countryOf(number, 'US')
  return country ? `+${dialCodeOf(country)} ${nationalNumber(number, country)}`.trim() : number
}
