import { randomInt } from 'node:crypto'
import { type Brand, brands, isCardNumber, passesLuhn } from '#contract/card.ts'

/** A card, a CVC and a password that exist nowhere else, so that each can be recognised wherever it turns up. */
export type Mark = {
  index: number
  username: string
  /** The part of the password that no way of writing changes; what surrounds it needs escaping nearly everywhere. */
  core: string
  password: string
  cc_number: string
  cc_cvv: string
  cc_month: string
  cc_year: string
}

/** How the numbers begin and how long they are. Where the beginning is random, two marks hardly share one. */
const kinds: { brand: Brand; start: string; length: number }[] = [
  { brand: 'visa', start: '4', length: 16 },
  { brand: 'mastercard', start: '5', length: 16 },
  { brand: 'amex', start: '37', length: 15 },
  { brand: 'discover', start: '65', length: 16 },
  { brand: 'visa', start: '4', length: 19 },
  { brand: 'visa', start: '4', length: 13 },
]

/** Mints marks that the form accepts and the sandbox approves. */
export function mint(count: number, from = 0): Mark[] {
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset
    const { brand, start, length } = kinds[index % kinds.length] ?? { brand: 'visa', start: '4', length: 16 }
    const core = `${letters(16)}Q7`
    return {
      index,
      username: `marked${letters(10)}`,
      core,
      password: `"é ${core}&\\`,
      cc_number: numberOf(start, length),
      cc_cvv: digits(brands[brand].cvc),
      cc_month: String(randomInt(1, 13)).padStart(2, '0'),
      cc_year: String(new Date().getFullYear() + randomInt(1, 9)),
    }
  })
}

function numberOf(start: string, length: number): string {
  for (;;) {
    const open = start + digits(length - start.length - 1)
    const number = `${open}${[...'0123456789'].find((check) => passesLuhn(open + check))}`
    if (isCardNumber(number)) return number
  }
}

const digits = (length: number) => Array.from({ length }, () => randomInt(10)).join('')
const letters = (length: number) => Array.from({ length }, () => randomInt(10, 36).toString(36)).join('')
