/** 9900 → '99.00'. Money is integer cents everywhere except in API payloads. */
export const toAmount = (cents: number): string => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** '99.00' → 9900; anything that is not an amount → undefined. */
export const toCents = (amount: string): number | undefined => {
  const parts = /^(\d{1,7})\.(\d{2})$/.exec(amount)
  return parts ? Number(parts[1]) * 100 + Number(parts[2]) : undefined
}

type Price = { price: string; is_recurring?: boolean; billing_interval?: string }

/** '$24.00 a month' for a recurring package, otherwise '$24.00'. */
export const showPrice = ({ price, is_recurring, billing_interval = 'month' }: Price): string =>
  is_recurring && billing_interval !== 'unknown' ? `${showAmount(price)} a ${billing_interval}` : showAmount(price)

/** For screens, always with two decimals: '$99.00', and '$0.00' while the amount is not known. */
export const showAmount = (amount: string | undefined): string => `$${Number(amount || 0).toFixed(2)}`
