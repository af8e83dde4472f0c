import * as z from 'zod/mini'
import { cardDigits, expiryMonths, isCardNumber } from './card.ts'
import { isState } from './countries.ts'
import { figures } from './figures.ts'
import { phoneDigits } from './phone.ts'
import { SITE_PATTERN } from './site.ts'

/** Every field of the spec: its rule and its message on one line. The browser and the server run the same line. */

type Check = z.core.CheckFn<string> | z.core.$ZodCheck<string>

const stop = (error: string) => ({ error, abort: true })
const tooLong = (most: number) => z.maxLength(most, stop(`Please use at most ${most} characters.`))
const printable = z.refine<string>((text) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), 'Please use letters, digits and signs only.')
/** Signs that turn the direction of what follows, also of words that are not theirs. */
export const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g
/** Without them; and a letter with its accent, which is one sign or two, by keyboard, is read as one. */
export const tidyText = (text: string): string => text.replace(directionMarks, '').trim().normalize()
const tidy = z.overwrite(tidyText)
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** A text that must be there: trimmed, and silent about its other rules while it is empty. */
const required = (message: string, ...rules: Check[]) => z.string(message).check(tidy, z.regex(visible, stop(message)), printable, ...rules)

/** A text that may be missing. */
const optional = (...rules: Check[]) => z._default(z.string('Please send a text.').check(tidy, printable, ...rules), '')

/** A box that must be ticked, and one that may be. */
const ticked = (message: string) => z.literal('1', message)
const flag = z._default(z.enum(['0', '1'], 'Please send 0 or 1.'), '0')

const capital = /\p{Lu}/u
const small = /\p{Ll}/u
const digit = /\p{Nd}/u
const special = /[^\p{L}\p{Nd}]/u

/** The parts of the password's rule, so that a screen can tick them one by one. */
export const passwordRules = [
  { label: 'At least 8 characters', met: (password: string) => [...password].length >= figures.password_length },
  { label: 'One uppercase letter', met: (password: string) => capital.test(password) },
  { label: 'One lowercase letter', met: (password: string) => small.test(password) },
  { label: 'One digit', met: (password: string) => digit.test(password) },
  { label: 'One special character', met: (password: string) => special.test(password) },
] as const

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?'
const EMAIL = new RegExp(`^(?!.*\\.\\.)(?!\\.)[\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~-]+(?<!\\.)@(?:${LABEL}\\.)+(?=..)${LABEL}$`, 'u')
/** Under a name that no browser and no password manager knows. */
const TRAP = z._default(z.literal('', 'This field should be left empty.'), '')

export const fields = {
  // ACCOUNT
  first_name: required('Please enter your first name.', tooLong(figures.name_length)),
  last_name: required('Please enter your last name.', tooLong(figures.name_length)),
  business_name: optional(tooLong(figures.text_length)),
  mobile_phone: required('Please enter your mobile phone number.', z.overwrite(phoneDigits), z.regex(/^\+?\d{7,20}$/, 'Invalid mobile phone number format.')),
  hall_lantern: TRAP,
  hall_umbrella: TRAP,

  // CODE_VERIFICATION
  code: required('Please enter the code.', z.overwrite(phoneDigits), z.regex(/^\d{4,10}$/, 'Invalid code format.')),

  // ACCOUNT_CREATION
  email: required('Please enter your email address.', tooLong(figures.email_length), z.regex(EMAIL, 'Invalid email format.')),
  username: required('Please enter your username.', z.toLowerCase(), z.regex(/^[a-z0-9]+$/, 'Username must contain only letters (A-Z) and numbers.'), tooLong(figures.site_length)),
  password: z.string('Please enter your password.').check(
    z.minLength(1, stop('Please enter your password.')),
    tooLong(figures.password_max_length),
    z.refine<string>((password) => passwordRules.every((rule) => rule.met(password)), 'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.'),
  ),

  // PAYMENT
  country: z.literal('US', 'Please select a country.'),
  address: required('Please enter your address.', tooLong(figures.text_length)),
  address2: optional(tooLong(figures.text_length)),
  city: required('Please enter your city.', tooLong(figures.text_length)),
  state: required('Please select a state.', z.refine<string>(isState, 'Please select a state.')),
  post_code: required('Please enter your Post / ZIP code.', z.regex(/^\d{5}(?:[- ]?\d{4})?$/, 'Invalid Post / ZIP code format.'), z.overwrite(withHyphen)),
  cc_number: required('Please enter your credit card number.', z.overwrite(cardDigits), z.refine<string>(isCardNumber, 'Invalid credit card number format.')),
  cc_month: required(
    'Please select the expiration month.',
    z.refine<string>((month) => expiryMonths.includes(month), 'Please select the expiration month.'),
  ),
  cc_year: required('Please select the expiration year.', z.regex(/^20\d\d$/, 'Please select the expiration year.')),
  cc_cvv: required('Please enter the CVC.', z.regex(/^\d{3,4}$/, 'Invalid CVC format.')),
  agreement_1: ticked('Please confirm all the agreements.'),
  agreement_2: ticked('Please confirm all the agreements.'),
  agreement_3: flag,
  captcha: required('Please confirm the captcha.'),

  // Where it is sent, when that is somewhere else
  is_shipping_different: flag,
  ship_address: optional(tooLong(figures.text_length)),
  ship_address2: optional(tooLong(figures.text_length)),
  ship_city: optional(tooLong(figures.text_length)),
  ship_country: optional(z.regex(/^(?:[A-Z]{2})?$/, 'Please select a country.')),
  ship_state: optional(tooLong(figures.text_length)),
  ship_zip_code: optional(tooLong(20)),

  // The office's door: username or email
  name: required('Please enter your username or email address.', tooLong(figures.text_length)),

  // What comes with the address and the choice
  sponsor_site: z.string('Please use a sponsor’s link.').check(z.trim(), z.toLowerCase(), z.regex(SITE_PATTERN, 'This is not a sponsor’s link.')),
  recipient: optional(tooLong(figures.text_length)),
  product_ids: optional(z.regex(/^(?:\d{1,9}(?:,\d{1,9}){0,19})?$/, 'Please choose a package.')),
}

/** Messages that need more than one field or the clock. */
export const messages = {
  expired: 'This card has expired.',
  chooseOne: 'Please choose one package.',
  shipping: {
    ship_address: 'Please enter your address.',
    ship_city: 'Please enter your city.',
    ship_country: 'Please select a country.',
    ship_state: 'Please select a state.',
    ship_zip_code: 'Please enter your Post / ZIP code.',
  },
} as const

/** '891011234' → '89101-1234'. */
function withHyphen(zip: string) {
  return zip.replace(/^(\d{5})[- ]?(\d{4})$/, '$1-$2')
}

/** The messages of each field that does not fit. */
export const messagesByField = (issues: readonly { path: PropertyKey[]; message: string }[]): Record<string, string[]> => {
  const found: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const field = path.length ? path.join('.') : 'body'
    found[field] = [...(found[field] ?? []), message]
  }
  return found
}
