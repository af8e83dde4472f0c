import { passesLuhn } from '#contract/card.ts'
import { answersOf as filled } from '#server/test/answers.ts'

/** Numbers and names for thousands of people, the same in every run. */

/** A card number that begins so, ends in a fitting digit and is the n-th of its kind. */
export function cardNumber(start: string, n: number): string {
  const digits = start + String(n).padStart(15 - start.length, '0')
  const last = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => passesLuhn(digits + digit))
  return `${digits}${last}`
}

const network = (start: string) => (n: number) => `${start}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
/** Addresses of three worlds that never meet. */
export const honestAddress = network('20')
export const thiefAddress = network('60')
export const farmAddress = network('100')

const areas = ['201', '202', '206', '212', '213', '303', '305', '312', '404', '415', '503', '512', '602', '617', '702']

/** A mobile number in the United States; neighbours in count are not neighbours in number. */
export const americanPhone = (n: number): string =>
  `+1${areas[n % areas.length]}${String(220 + ((n * 7) % 700)).padStart(3, '0')}${String(1000 + ((n * 13) % 8000))}`

/** What a person answers who makes no mistakes; the captcha comes later. */
export const answersOf = (username: string, mobile_phone: string, cc_number: string): Record<string, string> => ({
  ...filled(username),
  mobile_phone,
  cc_number,
  cc_year: '2030',
})
