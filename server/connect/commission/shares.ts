import { toAmount } from '#contract/money.ts'

/** `value` × `part` / `total`, rounded down. */
export const share = (value: number, part: number, total: number): number =>
  total ? Number((BigInt(value) * BigInt(part)) / BigInt(total)) : 0

/** 9900 → '99.00', -50 → '-0.50' */
export const signedAmount = (hundredths: number): string =>
  `${hundredths < 0 ? '-' : ''}${toAmount(Math.abs(hundredths))}`
