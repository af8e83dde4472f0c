/** What people and phones put between the digits: punctuation, all kinds of spaces, direction marks. */
const SEPARATORS = /[\s().\-/\u200b-\u200f\u202a-\u202e\u2010-\u2015\u2060-\u2069]/g

/** '+44 (0)7700': the zero is only dialed within the country. */
const TRUNK_PREFIX = /^(\s*(?:(?:\+|00)\s*\d{1,3}\s*)?)\(0\)/

export const phoneDigits = (typed: string): string =>
  typed
    .replace(/^\s*tel:/i, '') // a copied link
    .replace(TRUNK_PREFIX, '$1')
    .replace(SEPARATORS, '')

/**
 * Joins a dial code and a typed number: '+12025550123'. A number typed with its own + keeps it. One that is too short or
 * too long before the dial code is added stays as it was typed, so that its rule rejects it; so does one that leaves no
 * room for the dial code.
 */
export const joinPhone = (dialCode: string, typed: string): string => {
  const digits = phoneDigits(typed)
  if (!digits) return ''
  if (digits.startsWith('+')) return digits.replace(/^\++/, '+')
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  if (dialCode === '1' && /^1\d{10}$/.test(digits)) return `+${digits}` // typed with the leading 1
  return isPhoneLength(digits) && isPhoneLength(dialCode + digits) ? `+${dialCode}${digits}` : digits
}

/** The spec's length, without a plus. It holds for what was typed and for the joined number. */
export const isPhoneLength = (digits: string): boolean => /^\d{7,20}$/.test(digits)

/** Every number under +1 has ten more digits; a leading 1 may be doubled. Other numbering plans are too large for the browser; the server checks them. */
export const hasPossibleLength = (number: string): boolean => !number.startsWith('+1') || /^\+11?\d{10}$/.test(number)
