import { hasPossibleLength } from '#contract/phone.ts'
import { refuseFields } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'

/** The numbering plans of all countries are large, so they are loaded on first use. */
const loadNumberingPlans = async () => {
  const [{ isPossiblePhoneNumber, parsePhoneNumberWithError }, { default: metadata }] = await Promise.all([
    import('libphonenumber-js/max'),
    import('libphonenumber-js/max/metadata'),
  ])
  const mainCountries: Record<string, string[]> = metadata.country_calling_codes
  return { isPossiblePhoneNumber, parsePhoneNumberWithError, mainCountries }
}

/** Whether a number can exist. Checked only if we send it a code. */
export const isPossible = async (mobile_phone: string): Promise<boolean> =>
  mobile_phone.startsWith('+1')
    ? hasPossibleLength(mobile_phone) // most numbers need no lookup
    : (await loadNumberingPlans()).isPossiblePhoneNumber(mobile_phone)

export async function rejectImpossible(mobile_phone: string): Promise<void> {
  if (!(await isPossible(mobile_phone))) throw refuseFields({ mobile_phone: 'Invalid mobile phone number format.' })
}

/** As in the spec, a number without a + and a dial code is American. */
const DEFAULT_COUNTRY = 'US'

/**
 * The number in its international form, so that it is the same wherever it is counted, confirmed and stored: '+4407700…'
 * loses its domestic zero, an Italian number keeps it, '12025550123' and '2025550123' get their +. Impossible numbers stay
 * as they are. North American ones need no lookup.
 */
export async function toDialable(mobile_phone: string): Promise<string> {
  if (/^\+1\d{10}$/.test(mobile_phone)) return mobile_phone
  const { isPossiblePhoneNumber, parsePhoneNumberWithError } = await loadNumberingPlans()
  const number = [mobile_phone, `+${mobile_phone}`].find((text) => isPossiblePhoneNumber(text, DEFAULT_COUNTRY))
  return number ? parsePhoneNumberWithError(number, DEFAULT_COUNTRY).number : mobile_phone
}

/** The country of a possible number. An unassigned number belongs to the main country of its calling code. */
export async function countryOf(mobile_phone: string): Promise<string> {
  const { parsePhoneNumberWithError, mainCountries } = await loadNumberingPlans()
  const { country, countryCallingCode } = parsePhoneNumberWithError(mobile_phone)
  return country ?? mainCountries[countryCallingCode]?.[0] ?? ''
}

/** Grouped, and without the + that a spreadsheet takes for a formula: '1 (202) 555-0123', '44 7700 900123'. */
export async function showWithoutPlus(mobile_phone: string): Promise<string> {
  const [, ...groups] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(mobile_phone) ?? []
  if (groups.length) return `1 (${groups[0]}) ${groups[1]}-${groups[2]}`
  if (!(await isPossible(mobile_phone))) return mobile_phone.replace(/^\+/, '')
  const { parsePhoneNumberWithError } = await loadNumberingPlans()
  return parsePhoneNumberWithError(mobile_phone).formatInternational().replace(/^\+/, '')
}

/** How a number is stored: as a keyed hash in front of an API host, where we keep nothing about members. */
export const storedNumber = ({ config, keys }: Pick<World, 'config' | 'keys'>, mobile_phone: string): string =>
  config.PROVIDER_API_URL ? keys.hmac('codes', mobile_phone) : mobile_phone

/** '+•••••••••77' */
export const maskPhone = (phone: string) => `+${'•'.repeat(Math.max(1, phone.length - 3))}${phone.slice(-2)}`
