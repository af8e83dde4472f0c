import * as z from 'zod/mini'
import { cardDigits, expiryMonths, isCardNumber } from './card.ts'
import { isState } from './countries.ts'
import { figures } from './figures.ts'
import { phoneDigits } from './phone.ts'
import { SITE_PATTERN } from './site.ts'

/** Every field of the spec, with rule and message on one line. The browser and the server run the same line. */

type Check = z.core.CheckFn<string> | z.core.$ZodCheck<string>

/** Later rules of the field are skipped, so that only this message is shown. */
const abortWith = (error: string) => ({ error, abort: true })
const maxLength = (max: number, name?: string) => z.maxLength(max, abortWith(`Please use at most ${max} characters${name ? ` for your ${name}` : ''}.`))
const maxNameLength = (name: string) => z.maxLength(figures.name_length, abortWith(`Please use at most ${figures.name_length} characters for your ${name}. A short form or initials are fine.`))
const noControlCharacters = z.refine<string>((text) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), 'Please use only letters, numbers and symbols.')
/** Characters that change the text direction, also of the text around them. */
export const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g
/** Trimmed, without direction marks, and in Unicode normal form: some keyboards type an accented letter as two characters. */
export const tidyText = (text: string): string => text.replace(directionMarks, '').trim().normalize()
const tidy = z.overwrite(tidyText)
const visibleCharacter = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Required text. While it is empty, only this message is shown. */
const required = (message: string, ...rules: Check[]) => z.string(message).check(tidy, z.regex(visibleCharacter, abortWith(message)), noControlCharacters, ...rules)

const optional = (...rules: Check[]) => z._default(z.string('Please enter text.').check(tidy, noControlCharacters, ...rules), '')

const requiredCheckbox = (message: string) => z.literal('1', message)
const optionalCheckbox = z._default(z.enum(['0', '1'], 'This must be 0 or 1.'), '0')

const uppercase = /\p{Lu}/u
const lowercase = /\p{Ll}/u
const digit = /\p{Nd}/u
const special = /[^\p{L}\p{Nd}]/u

/** The password rule in parts, so that the form can tick them off one by one. */
export const passwordRulesFor = (length: number) => [
  { label: `At least ${length} characters`, met: (password: string) => [...password].length >= length },
  { label: 'One uppercase letter', met: (password: string) => uppercase.test(password) },
  { label: 'One lowercase letter', met: (password: string) => lowercase.test(password) },
  { label: 'One digit', met: (password: string) => digit.test(password) },
  { label: 'One special character', met: (password: string) => special.test(password) },
]
export const passwordRules = passwordRulesFor(figures.password_length)

const DOMAIN_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?'
const EMAIL = new RegExp(`^(?!.*\\.\\.)(?!\\.)[\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~-]+(?<!\\.)@(?:${DOMAIN_LABEL}\\.)+(?=..)${DOMAIN_LABEL}$`, 'u')
/** Hidden from people; bots fill it in. Its name is one that no browser or password manager fills in. */
const honeypot = z._default(z.literal('', 'This field should be left empty.'), '')

export const fields = {
  // ACCOUNT
  first_name: required('Please enter your first name.', maxNameLength('first name')),
  last_name: required('Please enter your last name.', maxNameLength('last name')),
  business_name: optional(maxLength(figures.text_length, 'company name')),
  mobile_phone: required('Please enter your mobile phone number.', z.overwrite(phoneDigits), z.regex(/^\+?\d{7,20}$/, 'Invalid mobile phone number format.')),
  hall_lantern: honeypot,
  hall_umbrella: honeypot,

  // CODE_VERIFICATION
  code: required('Please enter the code.', z.overwrite(phoneDigits), z.regex(/^\d{4,10}$/, 'Invalid code format.')),

  // ACCOUNT_CREATION
  email: required('Please enter your email address.', maxLength(figures.email_length), z.regex(EMAIL, 'Invalid email format.')),
  username: required('Please enter your username.', z.toLowerCase(), z.regex(/^[a-z0-9]+$/, 'Username must contain only letters (A-Z) and numbers.'), maxLength(figures.username_length)),
  password: z.string('Please enter your password.').check(
    z.minLength(1, abortWith('Please enter your password.')),
    maxLength(figures.password_max_length),
    z.refine<string>((password) => passwordRules.every((rule) => rule.met(password)), 'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.'),
  ),

  // PAYMENT
  country: z.literal('US', 'Please select a country.'),
  address: required('Please enter your address.', maxLength(figures.text_length, 'address')),
  address2: optional(maxLength(figures.text_length)),
  city: required('Please enter your city.', maxLength(figures.text_length, 'city')),
  state: required('Please select a state.', z.refine<string>(isState, 'Please select a state.')),
  post_code: required('Please enter your Post / ZIP code.', z.regex(/^\d{5}(?:[- ]?\d{4})?$/, 'Invalid Post / ZIP code format.'), z.overwrite(hyphenateZip)),
  cc_number: required('Please enter your credit card number.', z.overwrite(cardDigits), z.refine<string>(isCardNumber, 'Invalid credit card number format.')),
  cc_month: required(
    'Please select the expiration month.',
    z.refine<string>((month) => expiryMonths.includes(month), 'Please select the expiration month.'),
  ),
  cc_year: required('Please select the expiration year.', z.regex(/^20\d\d$/, 'Please select the expiration year.')),
  cc_cvv: required('Please enter the CVC.', z.regex(/^\d{3,4}$/, 'Invalid CVC format.')),
  agreement_1: requiredCheckbox('Please confirm all the agreements.'),
  agreement_2: requiredCheckbox('Please confirm all the agreements.'),
  agreement_3: optionalCheckbox,
  captcha: required('Please confirm the captcha.'),

  // Shipping address, when it differs from the billing address
  is_shipping_different: optionalCheckbox,
  ship_address: optional(maxLength(figures.text_length)),
  ship_address2: optional(maxLength(figures.text_length)),
  ship_city: optional(maxLength(figures.text_length)),
  ship_country: optional(z.regex(/^(?:[A-Z]{2})?$/, 'Please select a country.')),
  ship_state: optional(maxLength(figures.text_length)),
  ship_zip_code: optional(maxLength(20)),

  // Signing in to the office: username or email
  name: required('Please enter your username or email address.', maxLength(figures.text_length)),

  // From the sponsor link and the chosen package
  sponsor_site: z.string('Please use a sponsor link.').check(z.trim(), z.toLowerCase(), z.regex(SITE_PATTERN, 'This sponsor link is not valid.')),
  recipient: optional(maxLength(figures.text_length)),
  product_ids: optional(z.regex(/^(?:\d{1,9}(?:,\d{1,9}){0,19})?$/, 'Please choose a package.')),
}

/** Messages of rules that need more than one field, or the current time. */
export const messages = {
  expired: 'This card has expired.',
  chooseOne: 'Please choose one package.',
  chooseOnce: 'Please choose each package only once.',
  shipping: {
    ship_address: 'Please enter your address.',
    ship_city: 'Please enter your city.',
    ship_country: 'Please select a country.',
    ship_state: 'Please select a state.',
    ship_zip_code: 'Please enter your Post / ZIP code.',
  },
} as const

/** '891011234' → '89101-1234'. */
function hyphenateZip(zip: string) {
  return zip.replace(/^(\d{5})[- ]?(\d{4})$/, '$1-$2')
}

/** The messages of each invalid field. */
export const messagesByField = (issues: readonly { path: PropertyKey[]; message: string }[]): Record<string, string[]> => {
  const byField: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const field = path.length ? path.join('.') : 'body'
    byField[field] = [...(byField[field] ?? []), message]
  }
  return byField
}

/** What the server says about a name that someone else has. */
export const takenMessages: Record<'username' | 'email', string> = {
  username: 'This username is already taken.',
  email: 'This email address is already registered.',
}
