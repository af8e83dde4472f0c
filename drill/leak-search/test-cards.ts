import { randomInt } from 'node:crypto'
import { type Brand, brands, isCardNumber, passesLuhn } from '#contract/card.ts'

/** A unique card number, CVC and password, so that each can be recognized wherever it turns up. */
export type TestCard = {
  index: number
  username: string
  /** The part of the password that no encoding changes. The characters around it need escaping almost everywhere. */
  passwordCore: string
  password: string
  cc_number: string
  cc_cvv: string
  cc_month: string
  cc_year: string
}

/** Prefixes and lengths of the card numbers. */
const kinds: { brand: Brand; prefix: string; length: number }[] = [
  { brand: 'visa', prefix: '4', length: 16 },
  { brand: 'mastercard', prefix: '5', length: 16 },
  { brand: 'amex', prefix: '37', length: 15 },
  { brand: 'discover', prefix: '65', length: 16 },
  { brand: 'visa', prefix: '4', length: 19 },
  { brand: 'visa', prefix: '4', length: 13 },
]

/** Creates cards that the form accepts and the sandbox approves. */
export function createTestCards(count: number, firstIndex = 0): TestCard[] {
  return Array.from({ length: count }, (_, offset) => {
    const index = firstIndex + offset
    const { brand, prefix, length } = kinds[index % kinds.length] ?? { brand: 'visa', prefix: '4', length: 16 }
    const passwordCore = `${letters(16)}Q7`
    return {
      index,
      username: `marked${letters(10)}`,
      passwordCore,
      password: `"é ${passwordCore}&\\`,
      cc_number: createNumber(prefix, length),
      cc_cvv: createCvc(brands[brand].cvc),
      cc_month: String(randomInt(1, 13)).padStart(2, '0'),
      cc_year: String(new Date().getFullYear() + randomInt(1, 9)),
    }
  })
}

function createNumber(prefix: string, length: number): string {
  for (;;) {
    const digitsBefore = prefix + digits(length - prefix.length - 1)
    const number = `${digitsBefore}${[...'0123456789'].find((check) => passesLuhn(digitsBefore + check))}`
    if (isCardNumber(number) && !isYear(number.slice(-4))) return number
  }
}

function createCvc(length: number): string {
  for (;;) {
    const cvc = digits(length)
    if (!isYear(cvc)) return cvc
  }
}

/** Expiry dates are stored beside each other and beside the last four digits, so a year among them would not be a leak. */
const isYear = (digits: string) => /^20\d\d$/.test(digits)

const digits = (length: number) => Array.from({ length }, () => randomInt(10)).join('')
const letters = (length: number) => Array.from({ length }, () => randomInt(10, 36).toString(36)).join('')
