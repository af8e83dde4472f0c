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

/** The country of a possible number; one that is nobody's yet belongs to the first of its calling code. */
export async function countryOf(mobile_phone: string): Promise<string> {
  const { parsePhoneNumberWithError, mainCountries } = await book()
  const { country, countryCallingCode } = parsePhoneNumberWithError(mobile_phone)
  return country ?? mainCountries[countryCallingCode]?.[0] ?? ''
}
