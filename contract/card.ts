import { figures } from './figures.ts'

/** The four brands the spec accepts: number ranges, digit groups as printed on the card, and CVC length. */
export const brands = {
  visa: { name: 'Visa', number: /^4(?:\d{12}|\d{15}|\d{18})$/, starts: /^4/, groups: [4, 4, 4, 4, 3], cvc: 3 },
  mastercard: {
    name: 'Mastercard',
    number: /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
    starts: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    groups: [4, 4, 4, 4],
    cvc: 3,
  },
  amex: { name: 'American Express', number: /^3[47]\d{13}$/, starts: /^3[47]/, groups: [4, 6, 5], cvc: 4 },
  discover: {
    name: 'Discover',
    number: /^(?:6011\d{2}|64[4-9]\d{3}|65\d{4}|622(?:12[6-9]|1[3-9]\d|[2-8]\d{2}|9[01]\d|92[0-5]))\d{10}(?:\d{3})?$/,
    starts: /^(?:6011|64[4-9]|65|622(?:12[6-9]|1[3-9]|[2-8]|9[01]|92[0-5]))/,
    groups: [4, 4, 4, 4, 3],
    cvc: 3,
  },
} as const

export type Brand = keyof typeof brands
export const brandNames = Object.keys(brands) as Brand[]

/** The number without spaces and dashes. */
export const cardDigits = (typed: string): string => typed.replace(/[\s-]/g, '')

/** The brand of a number that is still being typed. */
export const brandOf = (typed: string): Brand | undefined =>
  brandNames.find((brand) => brands[brand].starts.test(cardDigits(typed)))

const otherBrands = [
  ['Diners Club', /^3(?:0[0-5]|095|[689])/],
  ['JCB', /^35(?:2[89]|[3-8])/],
  ['UnionPay', /^62/],
  ['Maestro', /^(?:50|5[6-8]|6[37])/],
] as const

/** The name of a brand that is not accepted, for a number that is still being typed. */
export const otherBrandOf = (typed: string): string | undefined => {
  const digits = cardDigits(typed)
  return brandOf(digits) ? undefined : otherBrands.find(([, starts]) => digits.length > 3 && starts.test(digits))?.[0]
}

/** Whether this is a complete number of one of the four brands with a valid check digit. */
export const isCardNumber = (typed: string): boolean => {
  const digits = cardDigits(typed)
  return brandNames.some((brand) => brands[brand].number.test(digits)) && passesLuhn(digits)
}

/** The check digit algorithm of ISO/IEC 7812. */
export const passesLuhn = (digits: string): boolean =>
  [...digits].reverse().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 ? 2 : 1)
    return sum + (value > 9 ? value - 9 : value)
  }, 0) %
    10 ===
  0

/** 4242424242424242 → '4242 4242 4242 4242'; American Express 4-6-5. */
export const groupCard = (typed: string): string => {
  const digits = cardDigits(typed)
  const groups: string[] = []
  let start = 0
  for (const length of brands[brandOf(digits) ?? 'visa'].groups) {
    if (start < digits.length) groups.push(digits.slice(start, start + length))
    start += length
  }
  return groups.join(' ') + digits.slice(start)
}

export const expiryMonths = Array.from({ length: 12 }, (_, month) => String(month + 1).padStart(2, '0'))

/** A month is over only when it has ended in the westernmost time zone, UTC-12. */
const WESTERNMOST_UTC_OFFSET_HOURS = 12

/** This year and the next nine. */
export const expiryYears = (now: Date): string[] => {
  const year = new Date(now.getTime() - WESTERNMOST_UTC_OFFSET_HOURS * 3_600_000).getUTCFullYear()
  return Array.from({ length: figures.expiry_years }, (_, offset) => String(year + offset))
}

/** A card is valid until the end of its month. */
export const isExpired = (cc_month: string, cc_year: string, now: Date): boolean =>
  now.getTime() >= Date.UTC(Number(cc_year), Number(cc_month), 1, WESTERNMOST_UTC_OFFSET_HOURS)
