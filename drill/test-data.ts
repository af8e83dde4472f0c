import { passesLuhn } from '#contract/card.ts'
import { validAnswers } from '#server/test/answers.ts'

// Numbers and names for thousands of visitors, the same in every run.

/** The n-th valid card number with this prefix. */
export function cardNumber(prefix: string, n: number): string {
  const digits = prefix + String(n).padStart(15 - prefix.length, '0')
  const checkDigit = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => passesLuhn(digits + digit))
  return `${digits}${checkDigit}`
}

const network = (prefix: string) => (n: number) => `${prefix}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
export const visitorAddress = network('20')
export const attackerAddress = network('60')
/** For attackers' machines that solve captchas. */
export const solverAddress = network('100')

const areaCodes = [
  ...['201', '202', '206', '212', '213', '303', '305', '312'],
  ...['404', '415', '503', '512', '602', '617', '702'],
]

/** The n-th mobile number in the United States. Consecutive n are not consecutive numbers. */
export const americanPhone = (n: number): string =>
  `+1${areaCodes[n % areaCodes.length]}${String(220 + ((n * 7) % 700)).padStart(3, '0')}${String(1000 + ((n * 13) % 8000))}`

/** A correctly filled form without a captcha. */
export const formAnswers = (username: string, mobile_phone: string, cc_number: string): Record<string, string> => ({
  ...validAnswers(username),
  mobile_phone,
  cc_number,
  cc_year: '2030',
})
