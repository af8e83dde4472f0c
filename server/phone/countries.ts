import type { Policy } from '#contract/start.ts'
import type { World } from '#server/world/world.ts'
import { countryOf } from './numbers.ts'

/** The countries that codes are sent to, and what a visitor with another number is told. */

type PhoneSettings = Pick<World['config'], 'PHONE_COUNTRIES' | 'PHONE_VERIFICATION' | 'VOICE_CALL'>

export const isCodeCountry = async ({ PHONE_COUNTRIES }: PhoneSettings, mobile_phone: string): Promise<boolean> =>
  PHONE_COUNTRIES.includes(await countryOf(mobile_phone))

/** The part of the policy that matters only if every visitor confirms their phone. */
export const codePolicy = (config: PhoneSettings): Pick<Policy, 'code_countries' | 'voice_call'> =>
  config.PHONE_VERIFICATION
    ? {
        code_countries: {
          codes: config.PHONE_COUNTRIES,
          elsewhere: elsewhereMessage(config),
        },
        voice_call: config.VOICE_CALL,
      }
    : {}

export const elsewhereMessage = (config: PhoneSettings): string =>
  `We can’t send a code to this country. Please use ${numberFrom(config)}.`

/** Longer lists help no one to choose. */
const MOST_NAMES = 8
/** Their numbers are American to a reader, so the sentence does not list them beside the United States. */
const TERRITORIES = ['PR', 'GU', 'VI', 'AS', 'MP']

/** 'a mobile number from the United States or Canada'. */
export function numberFrom({ PHONE_COUNTRIES }: PhoneSettings): string {
  const countries = PHONE_COUNTRIES.filter((code) => !PHONE_COUNTRIES.includes('US') || !TERRITORIES.includes(code))
  if (!countries.length || countries.length > MOST_NAMES) return 'a mobile number from another country'
  return `a mobile number from ${new Intl.ListFormat('en', { type: 'disjunction' }).format(countries.map(nameOf))}`
}

let countryNames: Intl.DisplayNames | undefined // made on first use, to keep the start fast
const TAKES_ARTICLE = /^(?:United|Netherlands|Philippines|Bahamas|Gambia|Maldives|Isle)|Republic|Islands$/

function nameOf(code: string): string {
  countryNames ??= new Intl.DisplayNames(['en'], { type: 'region' })
  const name = countryNames.of(code) ?? code
  return TAKES_ARTICLE.test(name) ? `the ${name}` : name
}
