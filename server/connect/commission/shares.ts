import { toAmount } from '#contract/money.ts'

/** The share of a whole number that `part` of `total` has, rounded down. All of it for all of the total. */
export const share = (value: number, part: number, total: number): number =>
  total ? Number((BigInt(value) * BigInt(part)) / BigInt(total)) : 0

/** 9900 → '99.00', -50 → '-0.50' */
export const signedAmount = (hundredths: number): string =>
  `${hundredths < 0 ? '-' : ''}${toAmount(Math.abs(hundredths))}`
