/** Integer cents inside; text with two decimals only at the border. */
export const toAmount = (cents: number): string => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** '99.00' → 9900; anything that is not an amount → undefined. */
export const toCents = (amount: string): number | undefined => {
  const parts = /^(\d{1,7})\.(\d{2})$/.exec(amount)
  return parts ? Number(parts[1]) * 100 + Number(parts[2]) : undefined
}

/** What a screen shows: '$99.00', and '$0.00' when there is nothing yet. */
export const showAmount = (amount: string | undefined): string => `$${amount || '0.00'}`
