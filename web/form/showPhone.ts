import { countryOf, dialCodeOf } from './dial-codes.ts'

/** '+12025550123' → '+1 (202) 555-0123', '+447700900123' → '+44 7700900123'. */
export function showPhone(number: string): string {
  const country = countryOf(number, 'US')
  if (!country) return number
  const dialCode = dialCodeOf(country)
  const rest = number.slice(1 + dialCode.length)
  return `+${dialCode} ${dialCode === '1' ? rest.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3') : rest}`.trim()
}
