import { describe, expect, test } from 'vitest'
import { fields, messagesByField, passwordRules } from './fields.ts'

type Field = keyof typeof fields

/** All messages about a value, or 'ok'. */
const messagesFor = (field: Field, value: unknown) => {
  const { success, error } = fields[field].safeParse(value)
  return success ? 'ok' : error.issues.map(({ message }) => message)
}

const abbreviate = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 44 ? `${text.slice(0, 30)}… (${text.length - 2})` : text
}

const checks = (rows: [Field, unknown, string][]) =>
  test.each(rows.map(([field, value, message]) => ({ field, value, message, input: abbreviate(value) })))(
    `6.1 $field $input → $message`,
    ({ field, value, message }) => expect(messagesFor(field, value)).toEqual(message === 'ok' ? 'ok' : [message]),
  )

const USERNAME_LONG = 'Please use at most 30 characters.'
const FIRST_LONG = 'Please use at most 30 characters for your first name. A short form or initials are fine.'
const LAST_LONG = 'Please use at most 30 characters for your last name. A short form or initials are fine.'
const EMAIL_LONG = 'Please use at most 50 characters.'
const CONTROL_CHARACTER = 'Please use only letters, numbers and symbols.'
const HONEYPOT = 'This field should be left empty.'
const PHONE = 'Invalid mobile phone number format.'
const EMAIL = 'Invalid email format.'
const USERNAME = 'Username must contain only letters (A-Z) and numbers.'
const PASSWORD =
  'Password must have at least 8 characters, one uppercase letter, one lowercase letter, one digit, and one special character.'
const ZIP = 'Invalid Post / ZIP code format.'
const CARD = 'Invalid credit card number format.'
const CVC = 'Invalid CVC format.'
const AGREE = 'Please confirm all the agreements.'
const emailOf = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`

/** Word for word from the spec. */
const whenMissing: Partial<Record<Field, string>> = {
  first_name: 'Please enter your first name.',
  last_name: 'Please enter your last name.',
  mobile_phone: 'Please enter your mobile phone number.',
  email: 'Please enter your email address.',
  username: 'Please enter your username.',
  password: 'Please enter your password.',
  country: 'Please select a country.',
  address: 'Please enter your address.',
  city: 'Please enter your city.',
  state: 'Please select a state.',
  post_code: 'Please enter your Post / ZIP code.',
  agreement_1: AGREE,
  agreement_2: AGREE,
  cc_number: 'Please enter your credit card number.',
  cc_month: 'Please select the expiration month.',
  cc_year: 'Please select the expiration year.',
  cc_cvv: 'Please enter the CVC.',
  captcha: 'Please confirm the captcha.',
}

describe('an empty required field has only one message', () => {
  const rows = (Object.entries(whenMissing) as [Field, string][]).map(([field, message]) => ({ field, message }))
  test.each(rows)('6.1 11.7 $field → $message', ({ field, message }) => {
    for (const value of [undefined, null, '', 7, ['x'], { x: 1 }]) expect(messagesFor(field, value)).toEqual([message])
  })
  test.each(rows.filter(({ field }) => field !== 'password'))('6.1 a blank $field counts as empty', (row) => {
    expect(messagesFor(row.field, ' \t\u00a0\n')).toEqual([row.message])
  })
})

describe('ACCOUNT', () => {
  checks([
    ['first_name', 'Ada', 'ok'],
    ['first_name', 'a'.repeat(30), 'ok'],
    ['first_name', 'a'.repeat(31), FIRST_LONG],
    ['first_name', ` ${'a'.repeat(30)} `, 'ok'],
    ['first_name', '𠮷'.repeat(30), 'ok'],
    ['first_name', '𠮷'.repeat(31), FIRST_LONG],
    ['first_name', 'A\u0000da', CONTROL_CHARACTER],
    ['first_name', 'A\u001b[31mda', CONTROL_CHARACTER],
    ['first_name', 'A\nda', CONTROL_CHARACTER],
    ['first_name', 'A\u2028da', CONTROL_CHARACTER],
    ['first_name', 'A\u2029da', CONTROL_CHARACTER],
    ['last_name', 'b'.repeat(30), 'ok'],
    ['last_name', 'b'.repeat(31), LAST_LONG],
    ['last_name', 'Love\u007flace', CONTROL_CHARACTER],
    ['business_name', undefined, 'ok'],
    ['business_name', '', 'ok'],
    ['business_name', '  ', 'ok'],
    ['business_name', 'Müller & Søn, Inc.', 'ok'],
    ['business_name', 'Acme\u0007', CONTROL_CHARACTER],
    ['mobile_phone', '1234567', 'ok'],
    ['mobile_phone', '123456', PHONE],
    ['mobile_phone', `+${'1'.repeat(20)}`, 'ok'],
    ['mobile_phone', `+${'1'.repeat(21)}`, PHONE],
    ['mobile_phone', '+1 (202) 555-0123', 'ok'],
    ['mobile_phone', '+49.30/1234 567', 'ok'],
    ['mobile_phone', '1+2025550123', PHONE],
    ['mobile_phone', '++12025550123', PHONE],
    ['mobile_phone', '202555O123', PHONE],
    ['mobile_phone', '٢٠٢٥٥٥٠١٢٣', PHONE],
    ['mobile_phone', '()', PHONE],
  ])

  test('25.5 the company name is optional', () => expect(messagesFor('business_name', '')).toBe('ok'))

  test.each(['José', 'Nguyễn', 'Анна', '美咲', 'محمد', 'नेहा', 'שרה', 'O’Hara', 'Anne-Marie', '𐌰𐌽𐌽𐌰'])(
    'a name can be in any script: %s',
    (name) => {
      expect(fields.first_name.parse(name)).toBe(name)
      expect(fields.last_name.parse(name)).toBe(name)
    },
  )

  test('an accented letter is stored as one character, however it was typed', () => {
    expect(fields.first_name.parse('Zoe\u0308')).toBe('Zo\u00eb')
    expect(fields.business_name.parse('Cafe\u0301')).toBe('Caf\u00e9')
    expect(fields.email.parse('zoe\u0308@mail.example')).toBe('zo\u00eb@mail.example')
    expect(messagesFor('first_name', 'e\u0301'.repeat(30))).toBe('ok')
  })

  test('a phone number is stored without separators', () => {
    expect(fields.mobile_phone.parse(' +1 (202) 555-01.23 ')).toBe('+12025550123')
  })

  test.each(['hall_lantern', 'hall_umbrella'] as const)('6.1 11.3 the honeypot %s must stay empty', (field) => {
    expect(messagesFor(field, undefined)).toBe('ok')
    expect(messagesFor(field, '')).toBe('ok')
    expect(messagesFor(field, 'x')).toEqual([HONEYPOT])
    expect(messagesFor(field, ' ')).toEqual([HONEYPOT])
  })
})

describe('CODE_VERIFICATION', () => {
  checks([
    ['code', '', 'Please enter the code.'],
    ['code', undefined, 'Please enter the code.'],
    ['code', '123 456', 'ok'],
    ['code', '123', 'Invalid code format.'],
    ['code', '12345a', 'Invalid code format.'],
  ])
})

describe('ACCOUNT_CREATION', () => {
  checks([
    ['email', 'ada@example.com', 'ok'],
    ['email', ' ada@example.com ', 'ok'],
    ['email', 'ada+join@mail.example.co.uk', 'ok'],
    ['email', "o'hara@example.ie", 'ok'],
    ['email', 'josé@exämple.de', 'ok'],
    ['email', 'jose\u0301@exa\u0308mple.de', 'ok'],
    ['email', emailOf(50), 'ok'],
    ['email', emailOf(51), EMAIL_LONG],
    ['email', 'ada', EMAIL],
    ['email', 'ada@example', EMAIL],
    ['email', '@example.com', EMAIL],
    ['email', 'ada@@example.com', EMAIL],
    ['email', 'ada@example..com', EMAIL],
    ['email', 'ada lovelace@example.com', EMAIL],
    ['email', 'ada@-example.com', EMAIL],
    ['username', 'ada1815', 'ok'],
    ['username', 'ADA', 'ok'],
    ['username', 'a', 'ok'],
    ['username', 'a'.repeat(30), 'ok'],
    ['username', 'a'.repeat(31), USERNAME_LONG],
    ['username', 'ada lovelace', USERNAME],
    ['username', 'ada_l', USERNAME],
    ['username', 'adá', USERNAME],
    ['username', '../etc', USERNAME],
    ['password', 'Abcdef1!', 'ok'],
    ['password', 'Abcde1!', PASSWORD],
    ['password', 'abcdef1!', PASSWORD],
    ['password', 'ABCDEF1!', PASSWORD],
    ['password', 'Abcdefg!', PASSWORD],
    ['password', 'Abcdefg1', PASSWORD],
    ['password', 'Abcdef1 ', 'ok'],
    ['password', `Abcdef1!${'x'.repeat(992)}`, 'ok'],
    ['password', `Abcdef1!${'x'.repeat(993)}`, 'Please use at most 1000 characters.'],
    ['password', ' ', PASSWORD],
    ['password', `Aa1!${'x'.repeat(996)}`, 'ok'],
  ])

  test('6.1 a username is stored in lowercase', () => expect(fields.username.parse(' AdaL ')).toBe('adal'))

  test('a password is used exactly as it was typed', () =>
    expect(fields.password.parse(' Abcdef1! ')).toBe(' Abcdef1! '))

  test('6.1 the password rule has five parts that the form can tick off', () => {
    const rulesMet = (password: string) => passwordRules.flatMap(({ label, met }) => (met(password) ? [label] : []))
    expect(rulesMet('')).toEqual([])
    expect(rulesMet('a1')).toEqual(['One lowercase letter', 'One digit'])
    expect(rulesMet('𝒜𝒜𝒜𝒜𝒜𝒜𝒜')).not.toContain('At least 8 characters')
    expect(rulesMet('Abcdef1!')).toEqual(passwordRules.map(({ label }) => label))
  })
})

describe('PAYMENT', () => {
  checks([
    ['country', 'US', 'ok'],
    ['country', 'CA', 'Please select a country.'],
    ['address', '1 Main St', 'ok'],
    ['address', '1 Main\u0000St', CONTROL_CHARACTER],
    ['address2', undefined, 'ok'],
    ['address2', 'Apt 4', 'ok'],
    ['city', 'Las Vegas', 'ok'],
    ['state', 'NV', 'ok'],
    ['state', 'AE', 'ok'],
    ['state', 'Nevada', 'Please select a state.'],
    ['state', 'ZZ', 'Please select a state.'],
    ['post_code', '89101', 'ok'],
    ['post_code', '8910', ZIP],
    ['post_code', '891011', ZIP],
    ['post_code', '89101-12', ZIP],
    ['post_code', 'SW1A 1AA', ZIP],
    ['agreement_1', '1', 'ok'],
    ['agreement_1', '0', AGREE],
    ['agreement_1', true, AGREE],
    ['agreement_2', '1', 'ok'],
    ['agreement_2', '0', AGREE],
    ['agreement_2', 'on', AGREE],
    ['agreement_3', undefined, 'ok'],
    ['cc_number', '4242 4242-4242 4242', 'ok'],
    ['cc_number', '3782-822463-10005', 'ok'],
    ['cc_number', '4242424242424241', CARD],
    ['cc_number', '30569309025904', CARD],
    ['cc_number', '4242 4242', CARD],
    ['cc_number', '4242a4242b4242c4242', CARD],
    ['cc_number', '- -', CARD],
    ['cc_month', '01', 'ok'],
    ['cc_month', '12', 'ok'],
    ['cc_month', '00', 'Please select the expiration month.'],
    ['cc_month', '13', 'Please select the expiration month.'],
    ['cc_month', '1', 'Please select the expiration month.'],
    ['cc_year', '2030', 'ok'],
    ['cc_year', '30', 'Please select the expiration year.'],
    ['cc_cvv', '12', CVC],
    ['cc_cvv', '123', 'ok'],
    ['cc_cvv', '1234', 'ok'],
    ['cc_cvv', '12345', CVC],
    ['cc_cvv', '12a', CVC],
    ['captcha', 'solved', 'ok'],
  ])

  test.each(['89101-1234', '89101 1234', '891011234'])('the ZIP+4 %s is stored with a hyphen', (zip) =>
    expect(fields.post_code.parse(zip)).toBe('89101-1234'),
  )

  test.each(['4242 4242 4242 4242', '4242-4242-4242-4242', ' 4242424242424242 '])(
    '6.1 spaces and dashes in a card number are ignored: %s',
    (typed) => expect(fields.cc_number.parse(typed)).toBe('4242424242424242'),
  )
})

describe('sponsor link and packages', () => {
  checks([
    ['sponsor_site', 'master', 'ok'],
    ['sponsor_site', 'a'.repeat(60), 'ok'],
    ['sponsor_site', 'a'.repeat(61), 'This sponsor link is not valid.'],
    ['sponsor_site', 'Jane-Doe', 'ok'],
    ['sponsor_site', 'jane doe', 'This sponsor link is not valid.'],
    ['sponsor_site', undefined, 'Please use a sponsor link.'],
  ])
  checks([
    ['product_ids', undefined, 'ok'],
    ['product_ids', '', 'ok'],
    ['product_ids', '34', 'ok'],
    ['product_ids', '34,35', 'ok'],
    ['product_ids', Array(20).fill('34').join(), 'ok'],
    ['product_ids', Array(21).fill('34').join(), 'Please choose a package.'],
    ['product_ids', '34,', 'Please choose a package.'],
    ['product_ids', '34;35', 'Please choose a package.'],
  ])
  test('a sponsor site is stored in lowercase, like a username', () =>
    expect(fields.sponsor_site.parse('AdaL')).toBe('adal'))
})

test('messages are grouped by field', () => {
  const issues = [
    { path: ['email'], message: 'one' },
    { path: ['email'], message: 'two' },
    { path: [], message: 'the whole body' },
  ]
  expect(messagesByField(issues)).toEqual({ email: ['one', 'two'], body: ['the whole body'] })
})

describe('a name with text direction characters', () => {
  test.each(['first_name', 'last_name', 'business_name', 'city'] as const)(
    '16.5 %s is stored without them',
    (field) => {
      for (const mark of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
        expect(fields[field].parse(`${mark} Best${mark} Co`)).toBe('Best Co')
    },
  )
  test('16.5 joiners and script-specific marks are kept', () => {
    for (const name of ['👩‍👧', 'می‌خواهم', 'שרה\u200fבת', 'a\u200eb']) expect(fields.first_name.parse(name)).toBe(name)
  })
  test('16.5 a name of such characters only counts as empty', () =>
    expect(messagesFor('first_name', '\u202e\u2066')).toEqual(['Please enter your first name.']))
})
