/** What people and their phones write between the digits: signs, spaces of all kinds, marks of direction. */
const BETWEEN = /[\s().\-/\u200b-\u200f\u202a-\u202e\u2010-\u2015\u2060-\u2069]/g

/** '+44 (0)7700': the zero is dialled only at home. */
const AT_HOME = /^(\s*(?:(?:\+|00)\s*\d{1,3}\s*)?)\(0\)/

export const phoneDigits = (typed: string): string => typed.replace(AT_HOME, '$1').replace(BETWEEN, '')

/** One number from a dial code and what was typed after it: '+12025550123'. A typed + wins and is never doubled. */
export const joinPhone = (dialCode: string, typed: string): string => {
  const digits = phoneDigits(typed)
  if (!digits) return ''
  if (digits.startsWith('+')) return digits.replace(/^\++/, '+')
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  if (dialCode === '1' && /^1\d{10}$/.test(digits)) return `+${digits}` // written with the 1 in front
  return `+${dialCode}${digits}`
}
