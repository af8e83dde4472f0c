/** What people write between the digits of a number. */
export const phoneDigits = (typed: string): string => typed.replace(/[\s().\-/ ‐-―]/g, '')

/** One number from a dial code and what was typed after it: '+12025550123'. A typed + wins and is never doubled. */
export const joinPhone = (dialCode: string, typed: string): string => {
  const digits = phoneDigits(typed)
  if (!digits) return ''
  if (digits.startsWith('+')) return digits
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  return `+${dialCode}${digits}`
}
