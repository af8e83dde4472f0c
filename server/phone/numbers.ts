/** What the world's numbering plans say: a large book, opened when the first number is looked up. */
const book = async () => {
  const [{ isPossiblePhoneNumber, parsePhoneNumberWithError }, { default: metadata }] = await Promise.all([
    import('libphonenumber-js/max'),
    import('libphonenumber-js/max/metadata'),
  ])
  const mainCountries: Record<string, string[]> = metadata.country_calling_codes
  return { isPossiblePhoneNumber, parsePhoneNumberWithError, mainCountries }
}

/** Whether a number can exist. */
export const isPossible = async (mobile_phone: string): Promise<boolean> =>
  (await book()).isPossiblePhoneNumber(mobile_phone)

/**
 * The number as the whole world dials it, so that it is one number wherever it is counted, confirmed and kept: '+4407700…' loses
 * the zero that is dialled at home, an Italian one keeps it. What cannot exist stays as it is, and so does North America's, unread.
 */
export async function toDialable(mobile_phone: string): Promise<string> {
  if (/^\+1\d{10}$/.test(mobile_phone)) return mobile_phone
  const { isPossiblePhoneNumber, parsePhoneNumberWithError } = await book()
  return isPossiblePhoneNumber(mobile_phone) ? parsePhoneNumberWithError(mobile_phone).number : mobile_phone
}

/** The country of a possible number; one that is nobody's yet belongs to the first of its calling code. */
export async function countryOf(mobile_phone: string): Promise<string> {
  const { parsePhoneNumberWithError, mainCountries } = await book()
  const { country, countryCallingCode } = parsePhoneNumberWithError(mobile_phone)
  return country ?? mainCountries[countryCallingCode]?.[0] ?? ''
}
